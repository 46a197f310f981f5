/* The VMF parser: Hammer's map files, in KeyValues format. Contents of `hidden` blocks are skipped,
 * as by Valve's tools; visgroups alone hide nothing. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/unicode.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/vmf.def"
#include "common/text/lexer.h"
#include "vbsp/level/cordon.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/level/level.h"
#include "vbsp/level/plane_points.h"

#define DEFAULT_TEXTURE_SCALE 0.25

/* The place of a key in lower case, among the pairs of its entity. */
struct key_place {
    char *key;
    size_t value;
};

struct reader {
    struct level *map;
    struct diag *diag;
    /* Number of sides whose lightmap scale was replaced: reported once, with the first. */
    size_t lightmap_defaults;
    struct diag_where first_default;
    const struct map_entity *entity; /* being read */
    struct key_place *places; /* stb_ds table: of its first `placed` pairs, without outputs */
    size_t placed;
};

static int64_t whole_number(const struct kv *block, const char *key)
{
    const char *text = kv_value(block, key);
    double number;
    if (!text || str_to_doubles(text, &number, 1) != 1 || fabs(number) > INT32_MAX)
        return 0;
    return (int64_t)number;
}

static bool read_points(const char *text, struct vec3 points[3])
{
    double numbers[9];
    if (!text || str_to_doubles(text, numbers, 9) != 9)
        return false;
    for (int i = 0; i < 9; i++)
        points[i / 3].e[i % 3] = numbers[i];
    return plane_points_fit(points);
}

/* "[x y z shift] scale" */
static bool read_axis(const char *text, struct map_texture_axis *out)
{
    double numbers[5];
    if (!text || str_to_doubles(text, numbers, 5) != 5 || fabs(numbers[4]) < 1e-6)
        return false;
    for (int i = 0; i < 5; i++)
        if (fabs(numbers[i]) > 1e9)
            return false;
    out->axis = vec3(numbers[0], numbers[1], numbers[2]);
    out->shift = numbers[3];
    out->scale = numbers[4];
    return true;
}

/* Default axes in the plane of the points, for a side with invalid ones. */
static void default_axes(struct map_side *side)
{
    struct vec3 normal = vec3_cross(vec3_sub(side->points[0], side->points[1]),
                                    vec3_sub(side->points[2], side->points[1]));
    int major = vec3_major_axis(normal);
    side->u.axis = major == 0 ? vec3(0, 1, 0) : vec3(1, 0, 0);
    side->v.axis = major == 2 ? vec3(0, -1, 0) : vec3(0, 0, -1);
    side->u.shift = side->v.shift = 0;
    side->u.scale = side->v.scale = DEFAULT_TEXTURE_SCALE;
}

static void read_lightmap_scale(struct reader *reader, const struct kv *block,
                                const struct map_solid *solid, struct map_side *side)
{
    side->lightmap_scale = (double)whole_number(block, "lightmapscale");
    if (side->lightmap_scale >= 1 && side->lightmap_scale <= MAX_LUXEL_SCALE)
        return;
    side->lightmap_scale = 0;
    if (!reader->lightmap_defaults++)
        reader->first_default = map_where(reader->map, reader->entity, solid, side);
}

static bool read_side(struct reader *reader, const struct kv *block, const struct map_solid *solid,
                      struct map_side *side)
{
    side->line = block->line;
    side->id = (int)whole_number(block, "id");
    struct diag_where where = map_where(reader->map, reader->entity, solid, side);
    const char *plane = kv_value(block, "plane");
    if (!plane) {
        diag_report(reader->diag, DIAG_SIDE_PLANE, &where,
                    "the side has no plane; the solid is dropped");
        return false;
    }
    if (!read_points(plane, side->points)) {
        diag_report(reader->diag, DIAG_SIDE_PLANE, &where,
                    "\"%.120s\" is not three points inside the world; the solid is dropped", plane);
        return false;
    }
    /* Collinear ones stay as they are, and are reported by who makes the plane. */
    (void)plane_points_settle(side->points);
    side->material = kv_value(block, "material");
    if (!side->material || !*side->material) {
        diag_report(reader->diag, DIAG_SIDE_MATERIAL, &where, "tools/toolsnodraw is used");
        side->material = "tools/toolsnodraw";
    }
    if (!read_axis(kv_value(block, "uaxis"), &side->u) ||
        !read_axis(kv_value(block, "vaxis"), &side->v)) {
        diag_report(reader->diag, DIAG_SIDE_AXES, &where,
                    "uaxis and vaxis must have the form \"[x y z shift] scale\"; axes along the "
                    "face are used");
        default_axes(side);
    }
    read_lightmap_scale(reader, block, solid, side);
    const char *groups = kv_value(block, "smoothing_groups");
    int64_t bits;
    if (groups && str_to_int64(groups, &bits))
        side->smoothing_groups = (uint32_t)bits;
    side->contents = (int)whole_number(block, "contents");
    side->flags = (int)whole_number(block, "flags");
    const struct kv *displacement = kv_find(block, "dispinfo");
    side->displacement = displacement && !displacement->value ? displacement : NULL;
    return true;
}

static bool is_block(const struct kv *node, const char *name)
{
    return !node->value && str_equal_nocase(node->key, name);
}

static bool read_sides(struct reader *reader, const struct kv *block, struct map_solid *solid)
{
    for (const struct kv *node = block->children; node; node = node->next) {
        if (!is_block(node, "side"))
            continue;
        struct map_side side = {0};
        if (!read_side(reader, node, solid, &side))
            return false;
        arrput(solid->sides, side);
    }
    if (arrlen(solid->sides) >= 4)
        return true;
    struct diag_where where = map_where(reader->map, reader->entity, solid, NULL);
    diag_report(reader->diag, DIAG_SOLID_SIDES, &where,
                "%td valid, at least 4 needed; the solid is dropped", arrlen(solid->sides));
    return false;
}

static void read_solid(struct reader *reader, const struct kv *block, struct map_entity *entity)
{
    struct map_solid solid = {.id = (int)whole_number(block, "id"),
                              .line = block->line,
                              .entity = (int)arrlen(reader->map->entities)};
    if (read_sides(reader, block, &solid))
        arrput(entity->solids, solid);
    else
        arrfree(solid.sides);
}

static void append_pair(struct map_entity *entity, const struct kv *node)
{
    struct key_value pair = {node->key, node->value};
    arrput(entity->keys.pairs, pair);
}

/* Entities with more keys look for them by a table. */
enum { FEW_KEYS = 32 };

static struct key_value *find_in_table(struct reader *reader, struct map_entity *entity,
                                       const char *key)
{
    struct key_value *pairs = entity->keys.pairs;
    struct arena *arena = &reader->map->arena;
    for (; reader->placed < arrlenu(pairs); reader->placed++)
        if (!entity_lump_is_output(pairs[reader->placed].value))
            shput(reader->places, arena_strlower(arena, pairs[reader->placed].key), reader->placed);
    ptrdiff_t at = shgeti(reader->places, arena_strlower(arena, key));
    return at >= 0 ? &pairs[reader->places[at].value] : NULL;
}

/* The pair of a key that is no output; NULL: there is none. */
static struct key_value *find_pair(struct reader *reader, struct map_entity *entity,
                                   const char *key)
{
    struct key_value *pairs = entity->keys.pairs;
    if (arrlen(pairs) > FEW_KEYS)
        return find_in_table(reader, entity, key);
    for (size_t i = 0; i < arrlenu(pairs); i++)
        if (str_equal_nocase(pairs[i].key, key) && !entity_lump_is_output(pairs[i].value))
            return &pairs[i];
    return NULL;
}

/* Of equal keys the first gives the place and the spelling, the last the value, as in Valve's
 * compilers; outputs repeat. */
static void set_pair(struct reader *reader, struct map_entity *entity, const struct kv *node)
{
    bool repeats = str_equal_nocase(node->key, "classname") || entity_lump_is_output(node->value);
    struct key_value *pair = repeats ? NULL : find_pair(reader, entity, node->key);
    if (pair)
        pair->value = node->value;
    else
        append_pair(entity, node);
}

/* Keys keep their order, the outputs of `connections` among them. */
static void read_entity(struct reader *reader, const struct kv *block, struct map_entity *entity)
{
    entity->line = block->line;
    entity->id = (int)whole_number(block, "id");
    reader->entity = entity;
    for (const struct kv *node = block->children; node; node = node->next) {
        if (node->value) {
            if (!str_equal_nocase(node->key, "id"))
                set_pair(reader, entity, node);
        } else if (is_block(node, "solid")) {
            read_solid(reader, node, entity);
        } else if (is_block(node, "overlaytransition")) {
            entity->overlay_transition = node;
        } else if (is_block(node, "connections")) {
            for (const struct kv *output = node->children; output; output = output->next)
                if (output->value)
                    append_pair(entity, output);
        }
    }
    entity_keep_first(&entity->keys, "classname");
    shfree(reader->places);
    reader->placed = 0;
}

static void read_point_entity(struct reader *reader, const struct kv *block)
{
    struct map_entity entity = {0};
    read_entity(reader, block, &entity);
    struct diag_where where = map_where(reader->map, &entity, NULL, NULL);
    if (!*entity_value(&entity.keys, "classname")) {
        diag_report(reader->diag, DIAG_ENTITY_CLASSNAME, &where, "the entity is dropped");
    } else if (entity_is(&entity.keys, "worldspawn")) {
        diag_report(reader->diag, DIAG_WORLD_TWICE, &where,
                    "another entity has the classname worldspawn; it is dropped");
    } else {
        arrput(reader->map->entities, entity);
        return;
    }
    map_entity_free(&entity);
}

static void read_world(struct reader *reader, const struct kv *root, const struct kv *block)
{
    struct map_entity world = {0};
    read_entity(reader, block, &world);
    entity_set(&world.keys, &reader->map->arena, "classname", "worldspawn");
    arrput(reader->map->entities, world);
    const struct kv *version = kv_find(root, "versioninfo");
    if (kv_value(block, "mapversion") || !version)
        version = block;
    reader->map->revision = (int)whole_number(version, "mapversion");
}

static enum status read_map(struct reader *reader, const struct kv *root)
{
    const struct kv *world = NULL;
    for (const struct kv *node = root->children; node; node = node->next) {
        if (!is_block(node, "world"))
            continue;
        struct diag_where where = {.file = reader->map->file, .line = node->line};
        if (world)
            diag_report(reader->diag, DIAG_WORLD_TWICE, &where,
                        "the second world block is dropped");
        else
            world = node;
    }
    if (!world) {
        struct diag_where where = {.file = reader->map->file};
        return diag_report(reader->diag, DIAG_VMF_NO_WORLD, &where,
                           "the file has no \"world\" block");
    }
    read_world(reader, root, world);
    for (const struct kv *node = root->children; node; node = node->next)
        if (is_block(node, "entity"))
            read_point_entity(reader, node);
    if (reader->lightmap_defaults)
        diag_report(reader->diag, DIAG_LIGHTMAP_SCALE, &reader->first_default,
                    "%zu side%s with none or one outside 1 to %d%s; the default is used",
                    reader->lightmap_defaults, reader->lightmap_defaults == 1 ? "" : "s",
                    MAX_LUXEL_SCALE, reader->lightmap_defaults == 1 ? "" : ", this is the first");
    return STATUS_OK;
}

/* A VMF starts with the name of a block and its brace; a .map or a binary file does not. */
static bool looks_like_vmf(const char *text, size_t size)
{
    struct arena scratch = {0};
    unicode_to_utf8(&scratch, &text, &size);
    struct lexer lexer = lexer_new(text, size);
    struct token name = lexer_next(&lexer), brace = lexer_next(&lexer);
    bool looks = name.kind == TOKEN_TEXT && brace.kind == TOKEN_OPEN;
    for (size_t i = 0; looks && i < name.length; i++)
        looks = (unsigned char)name.text[i] > ' ' && (unsigned char)name.text[i] < 0x7F;
    arena_free(&scratch);
    return looks;
}

enum status vmf_parse_quotes(bool escaped_quotes, const char *text, size_t size, const char *name,
                             struct diag *diag, struct level *out)
{
    const enum kv_mode mode = escaped_quotes ? KV_STRICT_QUOTES : KV_STRICT;
    *out = (struct level){.escaped_quotes = escaped_quotes};
    struct diag_where where = {.file = name};
    if (!size)
        return diag_report(diag, DIAG_VMF_NOT, &where, "the file is empty");
    if (!looks_like_vmf(text, size))
        return diag_report(diag, DIAG_VMF_NOT, &where, "the file does not begin with a block");
    out->file = arena_strdup(&out->arena, name);
    struct kv *root;
    enum status status = kv_parse(text, size, out->file, mode, &out->arena, diag, &root);
    struct reader reader = {.map = out, .diag = diag};
    if (status == STATUS_OK)
        status = read_map(&reader, root);
    if (status == STATUS_OK)
        cordon_read(root, out, diag);
    if (status != STATUS_OK)
        level_free(out);
    return status;
}

enum status vmf_parse(const char *text, size_t size, const char *name, struct diag *diag,
                      struct level *out)
{
    return vmf_parse_quotes(false, text, size, name, diag, out);
}
