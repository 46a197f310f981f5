/* Reads .srf files: ours, and those of q3map2, which have the same form and no hash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/bsp/sidecar/notes_text.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/sidecars.def"

enum { TOKEN_MAX = 127, NUMBER_MAX = 1 << 30, AMBIENT_MAX = 1 << 16 };

struct reader {
    const char *at, *end, *name;
    int line;
    bool is_own; /* comments may have keys */
    struct diag *diag;
    char token[TOKEN_MAX + 1];
};

static enum status fail(const struct reader *reader, const char *expected)
{
    struct diag_where where = {.file = reader->name, .line = reader->line};
    return diag_report(reader->diag, DIAG_SURFACE_NOTES, &where, "expected %s, found \"%s\"",
                       expected, reader->token);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0';
}

static bool starts_with(const struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

static void skip_line(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
}

/* Up to the next token; that of a comment with a key of ours is that key. */
static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        if (is_blank(*reader->at))
            reader->line += *reader->at++ == '\n';
        else if (reader->is_own && starts_with(reader, SURFACE_NOTES_OWN " "))
            reader->at += sizeof SURFACE_NOTES_OWN - 1;
        else if (starts_with(reader, "//"))
            skip_line(reader);
        else
            return;
    }
}

/* Returns "" at the end. */
static const char *next_token(struct reader *reader)
{
    size_t length = 0;
    skip_blanks(reader);
    for (; reader->at < reader->end && !is_blank(*reader->at); reader->at++)
        if (length < TOKEN_MAX)
            reader->token[length++] = *reader->at;
    reader->token[length] = '\0';
    return reader->token;
}

static enum status read_number(struct reader *reader, double min, double max, double *out)
{
    const char *token = next_token(reader);
    char *end;
    *out = strtod(token, &end);
    if (end == token || *end || !(*out >= min && *out <= max))
        return fail(reader, "a number in range");
    return STATUS_OK;
}

static enum status expect(struct reader *reader, const char *token)
{
    return strcmp(next_token(reader), token) == 0 ? STATUS_OK : fail(reader, token);
}

static enum status read_integer(struct reader *reader, int min, int32_t *out)
{
    double number;
    TRY(read_number(reader, min, NUMBER_MAX, &number));
    *out = (int32_t)number;
    return STATUS_OK;
}

static enum status read_float(struct reader *reader, double min, double max, float *out)
{
    double number;
    TRY(read_number(reader, min, max, &number));
    *out = (float)number;
    return STATUS_OK;
}

static enum status read_ambient(struct reader *reader, struct surface_note *note)
{
    TRY(expect(reader, "("));
    for (int k = 0; k < 3; k++)
        TRY(read_float(reader, -AMBIENT_MAX, AMBIENT_MAX, &note->ambient[k]));
    return expect(reader, ")");
}

/* The shader's name has to be that of the surface, or the file belongs to another BSP. */
static bool is_shader_of(struct reader *reader, const struct bsp *bsp, size_t surface)
{
    const char *start = reader->at;
    const int32_t number = bsp->surfaces[surface].shader;
    skip_line(reader);
    const char *end = reader->at;
    while (start < end && (is_blank(*start) || *start == '"'))
        start++;
    while (start < end && (is_blank(end[-1]) || end[-1] == '"'))
        end--;
    if (number < 0 || number >= (int32_t)arrlen(bsp->shaders))
        return false;
    const char *name = bsp->shaders[number].name;
    const size_t length = strnlen(name, SHADER_NAME);
    return length == (size_t)(end - start) && memcmp(name, start, length) == 0;
}

/* A key and its value; those that the light has no use for are left out. */
static enum status read_key(struct reader *reader, struct surface_note *note)
{
    const char *key = reader->token;
    if (str_equal_nocase(key, "castShadows"))
        return read_integer(reader, -NUMBER_MAX, &note->cast_shadows);
    if (str_equal_nocase(key, "receiveShadows"))
        return read_integer(reader, -NUMBER_MAX, &note->receive_shadows);
    if (str_equal_nocase(key, "sampleSize"))
        return read_float(reader, 0, NUMBER_MAX, &note->sample_size);
    if (str_equal_nocase(key, "ambientColor"))
        return read_ambient(reader, note);
    if (reader->is_own && strcmp(key, "shadeAngle") == 0)
        return read_float(reader, 0, NUMBER_MAX, &note->shade_angle);
    if (reader->is_own && strcmp(key, "entity") == 0)
        return read_integer(reader, 0, &note->entity);
    if (reader->is_own && strcmp(key, "group") == 0)
        return read_integer(reader, 0, &note->group);
    skip_line(reader);
    return STATUS_OK;
}

/* Of a surface, or of the default (SIZE_MAX). *fits: its shader is that of the BSP. */
static enum status read_keys(struct reader *reader, const struct bsp *bsp, size_t surface,
                             struct surface_note *note, bool *fits)
{
    TRY(expect(reader, "{"));
    for (;;) {
        const char *key = next_token(reader);
        if (strcmp(key, "}") == 0)
            return STATUS_OK;
        if (!*key || strcmp(key, "{") == 0)
            return fail(reader, "a key or }");
        if (surface != SIZE_MAX && str_equal_nocase(key, "shader"))
            *fits &= is_shader_of(reader, bsp, surface);
        else
            TRY(read_key(reader, note));
    }
}

static enum status stale(const struct reader *reader, const char *why)
{
    (void)diag_report(reader->diag, DIAG_SURFACE_NOTES_STALE,
                      &(struct diag_where){.file = reader->name}, "%s; ignored", why);
    return STATUS_OK;
}

/* Without a key for its shadows a patch casts them on request. */
static void set_shadows(const struct bsp_surface *surface, struct surface_note *note)
{
    if (note->cast_shadows == INT32_MIN)
        note->cast_shadows = surface->type == SURFACE_PATCH ? SHADOWS_OF_PATCH : 1;
}

/* Blocks of a number each, from 0. *fits is false when they are those of another BSP. */
static enum status read_surfaces(struct reader *reader, const struct bsp *bsp,
                                 struct surface_notes *notes, bool *fits)
{
    const struct surface_note plain = {
        .sample_size = SURFACE_NOTES_SAMPLE, .cast_shadows = INT32_MIN, .receive_shadows = 1};
    struct surface_note base = plain;
    if (str_equal_nocase(next_token(reader), "default")) {
        TRY(read_keys(reader, bsp, SIZE_MAX, &base, fits));
        if (base.cast_shadows == 1)
            base.cast_shadows = INT32_MIN;
        next_token(reader);
    }
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++, next_token(reader)) {
        struct surface_note note = base;
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        if (strcmp(reader->token, number) != 0) {
            *fits = reader->is_own;
            return *fits ? fail(reader, "the number of a surface") : STATUS_OK;
        }
        TRY(read_keys(reader, bsp, i, &note, fits));
        set_shadows(&bsp->surfaces[i], &note);
        arrput(notes->items, note);
    }
    return STATUS_OK;
}

/* The rest of the file, as comments. */
static void uncomment(struct reader *reader, char **out)
{
    skip_line(reader);
    while (reader->at < reader->end) {
        reader->at += *reader->at == '\n';
        if (starts_with(reader, "// "))
            reader->at += 3;
        const char *start = reader->at;
        skip_line(reader);
        const size_t length = (size_t)(reader->at - start);
        if (length) {
            memcpy(arraddnptr(*out, length), start, length);
            arrput(*out, '\n');
        }
    }
}

/* Only lights that vrad takes out of a map may come back into one. */
static enum status read_lights(struct reader *reader, struct surface_notes *notes)
{
    struct entity_list list;
    enum status status = STATUS_OK;
    uncomment(reader, &notes->lights);
    TRY(entities_parse(notes->lights, arrlenu(notes->lights), reader->name, reader->diag, &list));
    for (ptrdiff_t i = 0; i < arrlen(list.entities) && status == STATUS_OK; i++) {
        const struct entity *entity = &list.entities[i];
        snprintf(reader->token, sizeof reader->token, "%s", entity_value(entity, "classname"));
        if (!entity_is_baked_light(entity))
            status = fail(reader, "lights without a name");
    }
    entities_free(&list);
    return status;
}

static enum status read_own(struct reader *reader, const struct bsp *bsp,
                            struct surface_notes *notes)
{
    char hash[2 * SHA256_SIZE + 1];
    bool fits = true;
    reader->at += sizeof SURFACE_NOTES_FIRST - 1;
    surface_notes_hash(bsp, hash);
    if (strcmp(next_token(reader), hash) != 0)
        return stale(reader, "written with another BSP");
    reader->is_own = notes->has_all_lights = true;
    TRY(read_surfaces(reader, bsp, notes, &fits));
    if (strcmp(reader->token, "lights") == 0)
        return read_lights(reader, notes);
    return *reader->token ? fail(reader, "the end of the file") : STATUS_OK;
}

static enum status read_foreign(struct reader *reader, const struct bsp *bsp,
                                struct surface_notes *notes)
{
    bool fits = true;
    TRY(read_surfaces(reader, bsp, notes, &fits));
    if (fits && !*reader->token)
        return STATUS_OK;
    if (fits && !(*reader->token >= '0' && *reader->token <= '9'))
        return fail(reader, "the end of the file");
    arrfree(notes->items);
    return stale(reader, "its surfaces are those of another BSP");
}

static enum status read_all(struct reader *reader, const struct bsp *bsp,
                            struct surface_notes *notes)
{
    if (starts_with(reader, SURFACE_NOTES_FIRST " "))
        return read_own(reader, bsp, notes);
    if (starts_with(reader, SURFACE_NOTES_OLD))
        return stale(reader, "written by an earlier version of vbsp");
    const char *at = reader->at;
    const char *first = next_token(reader);
    if (!str_equal_nocase(first, "default") && strcmp(first, "0") != 0)
        return fail(reader, "surfaces");
    reader->at = at;
    reader->line = 1;
    return read_foreign(reader, bsp, notes);
}

enum status surface_notes_parse(const char *text, size_t size, const char *name,
                                const struct bsp *bsp, struct diag *diag, struct surface_notes *out)
{
    if (!size) /* the text may be NULL */
        text = "";
    struct reader reader = {.at = text, .end = text + size, .name = name, .line = 1, .diag = diag};
    *out = (struct surface_notes){0};
    enum status status = read_all(&reader, bsp, out);
    if (status != STATUS_OK)
        surface_notes_free(out);
    return status;
}
