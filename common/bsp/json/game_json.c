#include "common/bsp/json/game_json.h"

#include <stdlib.h>

#include <jansson.h>

#include "common/bsp/engine.h"
#include "common/bsp/flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/options.def"

struct description_reader {
    struct game_description *out;
    struct diag *diag;
    struct diag_where where;
};

static enum status wrong(const struct description_reader *reader, const char *member,
                         const char *wanted)
{
    return diag_report(reader->diag, DIAG_GAME_UNKNOWN, &reader->where, "\"%s\": expected %s",
                       member, wanted);
}

/* Bits as a whole number, or as text with a hexadecimal one. */
static bool read_bits(const json_t *value, int32_t *out)
{
    const char *text = json_string_value(value);
    if (!value)
        return true;
    if (json_is_integer(value)) {
        const json_int_t number = json_integer_value(value);
        *out = (int32_t)(uint32_t)number;
        return number >= INT32_MIN && number <= (json_int_t)UINT32_MAX;
    }
    if (!text || strncmp(text, "0x", 2) != 0 || !text[2])
        return false;
    char *end;
    const unsigned long long number = strtoull(text + 2, &end, 16);
    *out = (int32_t)(uint32_t)number;
    return !*end && text[2] != '-' && text[2] != '+' && text[2] != ' ' && number <= UINT32_MAX;
}

static enum status read_parm(struct description_reader *reader, const char *name,
                             const json_t *value)
{
    struct game_description *out = reader->out;
    const json_t *solid = json_object_get(value, "solid");
    struct dialect_parm parm = {.name = arena_strdup(&out->arena, name)};
    if (!json_is_object(value))
        return wrong(reader, name, "an object with contents, surface and solid");
    if (!read_bits(json_object_get(value, "contents"), &parm.own_contents) ||
        !read_bits(json_object_get(value, "surface"), &parm.own_surface))
        return wrong(reader, name, "numbers of 32 bits, as \"0x80\"");
    if (solid && !json_is_boolean(solid))
        return wrong(reader, name, "true or false for solid");
    if (json_is_false(solid))
        parm.clears = Q3_CONTENTS_SOLID;
    arrput(out->parms, parm);
    return STATUS_OK;
}

static const struct bsp_limit *find_limit(const struct bsp_format *format, const char *name)
{
    for (size_t i = 0; i < format->limit_count; i++)
        if (strcmp(format->limits[i].name, name) == 0)
            return bsp_limit_at(format, i);
    return NULL;
}

static const char *list_limits(struct game_description *out)
{
    const char *list = "";
    for (size_t i = 0; i < out->format.limit_count; i++)
        list = arena_printf(&out->arena, "%s%s%s", list, i ? ", " : "one of ",
                            out->format.limits[i].name);
    return list;
}

/* A map with more than the number fails. */
static enum status read_limit(struct description_reader *reader, const char *name,
                              const json_t *value)
{
    struct game_description *out = reader->out;
    const struct bsp_limit *base = find_limit(&out->format, name);
    const json_int_t number = json_integer_value(value);
    if (!base)
        return wrong(reader, name, list_limits(out));
    if (!json_is_integer(value) || number < 1 || number > INT32_MAX)
        return wrong(reader, name, "a whole number from 1 to 2147483647");
    struct bsp_limit limit = *base;
    limit.maximum = limit.accepted = number;
    limit.beyond = NULL;
    limit.source = "the description of the game";
    arrput(out->limits, limit);
    return STATUS_OK;
}

static enum status read_limits(struct description_reader *reader, json_t *limits)
{
    if (limits && !json_is_object(limits))
        return wrong(reader, "limits", "an object");
    for (void *at = json_object_iter(limits); at; at = json_object_iter_next(limits, at))
        TRY(read_limit(reader, json_object_iter_key(at), json_object_iter_value(at)));
    return STATUS_OK;
}

static enum status read_parms(struct description_reader *reader, json_t *parms)
{
    if (parms && !json_is_object(parms))
        return wrong(reader, "surfaceparms", "an object");
    for (void *at = json_object_iter(parms); at; at = json_object_iter_next(parms, at))
        TRY(read_parm(reader, json_object_iter_key(at), json_object_iter_value(at)));
    return STATUS_OK;
}

/* The first row with files of that title: the one that readers of the file take it for. */
static const struct bsp_format *find_file(const char *title)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (str_equal_nocase(format->title, title))
            return format;
    return NULL;
}

static const struct flag_pair *stored_flags(const struct engine *engine)
{
    return engine->dialect ? engine->dialect->contents : NULL;
}

/* Readers of a file know flags by its container. */
static enum status read_file(struct description_reader *reader, const json_t *value)
{
    struct game_description *out = reader->out;
    const char *title = json_string_value(value);
    if (!value)
        return STATUS_OK;
    const struct bsp_format *file = find_file(title ? title : "");
    if (!file || !file->engine->geometry.has_surfaces)
        return wrong(reader, "file", "IBSP 46, IBSP 47, RBSP 1 or FBSP 1");
    if (stored_flags(file->engine) != stored_flags(&out->engine) &&
        !bsp_format_is_same_file(file, &out->format))
        return wrong(reader, "file", "one whose flags of shaders are those of the target");
    const struct bsp_format base = out->format;
    out->format = *file;
    out->format.target = base.target;
    out->format.limits = base.limits;
    out->format.limit_count = base.limit_count;
    out->format.own_limits = base.own_limits;
    out->format.own_limit_count = base.own_limit_count;
    out->format.spawns_without_model = base.spawns_without_model;
    out->engine.light = file->engine->light;
    return STATUS_OK;
}

static enum status read_page_side(struct description_reader *reader, const json_t *value)
{
    struct engine_light *light = &reader->out->engine.light;
    const json_int_t side = json_integer_value(value);
    if (!value)
        return STATUS_OK;
    if (!json_is_integer(value) || !bsp_can_be_page_side(side))
        return wrong(reader, "lightmaps", PAGE_SIDES);
    light->tells_page_side = side != light->page_side;
    light->page_side = (int)side;
    return STATUS_OK;
}

/* A member with another name would be one that has no effect. */
static enum status check_members(const struct description_reader *reader, json_t *root)
{
    static const char *const known[] = {"name",      "target",       "file",
                                        "lightmaps", "surfaceparms", "limits"};
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at)) {
        const char *name = json_object_iter_key(at);
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= strcmp(known[i], name) == 0;
        if (!found)
            return wrong(reader, name,
                         "name, target, file, lightmaps, surfaceparms and limits alone");
    }
    return STATUS_OK;
}

static enum status read_root(struct description_reader *reader, json_t *root)
{
    struct game_description *out = reader->out;
    const char *target = json_string_value(json_object_get(root, "target"));
    const char *name = json_string_value(json_object_get(root, "name"));
    if (!json_is_object(root))
        return wrong(reader, "", "an object");
    TRY(check_members(reader, root));
    const struct bsp_format *base = bsp_format_find(target ? target : "");
    if (!base || base->read_only || !base->engine->geometry.has_surfaces)
        return wrong(reader, "target", "a target of the family of Quake 3");
    out->format = *base;
    out->engine = *base->engine;
    if (name)
        out->engine.name = arena_strdup(&out->arena, name);
    TRY(read_file(reader, json_object_get(root, "file")));
    TRY(read_page_side(reader, json_object_get(root, "lightmaps")));
    TRY(read_limits(reader, json_object_get(root, "limits")));
    return read_parms(reader, json_object_get(root, "surfaceparms"));
}

/* The names and limits of the target follow: the first of a name counts. */
static void join(struct game_description *out)
{
    const struct dialect *base = out->engine.dialect;
    out->dialect = base ? *base : (struct dialect){0};
    for (size_t i = 0; i < out->dialect.parm_count; i++)
        arrput(out->parms, out->dialect.parms[i]);
    out->dialect.parms = out->parms;
    out->dialect.parm_count = arrlenu(out->parms);
    out->engine.dialect = &out->dialect;
    out->format.engine = &out->engine;
    for (size_t i = 0; i < out->format.own_limit_count; i++)
        arrput(out->limits, out->format.own_limits[i]);
    out->format.own_limits = out->limits;
    out->format.own_limit_count = arrlenu(out->limits);
}

enum status game_description_read(const struct bytes *text, const char *file, struct diag *diag,
                                  struct game_description *out)
{
    struct description_reader reader = {.out = out, .diag = diag, .where = {.file = file}};
    json_error_t error;
    *out = (struct game_description){0};
    sha256_of(text->data, text->size, out->digest);
    json_t *root = json_loadb(text->size ? (const char *)text->data : "", text->size,
                              JSON_REJECT_DUPLICATES, &error);
    reader.where.line = root ? 0 : error.line;
    if (!root)
        return diag_report(diag, DIAG_GAME_UNKNOWN, &reader.where, "%s", error.text);
    enum status status = read_root(&reader, root);
    json_decref(root);
    if (status == STATUS_OK)
        join(out);
    return status;
}

void game_description_free(struct game_description *description)
{
    arrfree(description->parms);
    arrfree(description->limits);
    arena_free(&description->arena);
}
