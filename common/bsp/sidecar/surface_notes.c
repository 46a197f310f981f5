#include "common/bsp/sidecar/surface_notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/core/sha256.h"
#include "common/diag/codes/sidecars.def"

enum { TOKEN_MAX = 79, FIELDS = 6, GROUP_MAX = 1 << 30, AMBIENT_MAX = 1 << 16 };

static const char magic[] = "brushwork-surfaces";
static const char lights_word[] = "lights";
/* With ambient light, which the first has not. */
enum { VERSION = 1, VERSION_AMBIENT = 2 };

/* Hashes what the light stage does not change, so that a lit map still matches. */
static void hash_bsp(const struct bsp *bsp, char text[2 * SHA256_SIZE + 1])
{
    struct sha256 hash;
    unsigned char digest[SHA256_SIZE];
    sha256_begin(&hash);
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        const struct bsp_surface *surface = &bsp->surfaces[i];
        const int32_t parts[] = {
            surface->shader,       surface->effect,        surface->type,
            surface->first_vertex, surface->vertex_count,  surface->first_index,
            surface->index_count,  surface->patch_size[0], surface->patch_size[1]};
        sha256_add(&hash, parts, sizeof parts);
    }
    for (size_t i = 0; i < arrlenu(bsp->draw_vertices); i++) {
        sha256_add(&hash, bsp->draw_vertices[i].p, sizeof bsp->draw_vertices[i].p);
        sha256_add(&hash, bsp->draw_vertices[i].texture, sizeof bsp->draw_vertices[i].texture);
    }
    sha256_end(&hash, digest);
    sha256_text(digest, text);
}

static bool has_ambient(const struct surface_notes *notes)
{
    for (ptrdiff_t i = 0; i < arrlen(notes->items); i++) {
        const float *ambient = notes->items[i].ambient;
        if (ambient[0] != 0 || ambient[1] != 0 || ambient[2] != 0)
            return true;
    }
    return false;
}

void surface_notes_format(const struct surface_notes *notes, const struct bsp *bsp,
                          struct bytes *out)
{
    char hash[2 * SHA256_SIZE + 1];
    const int version = has_ambient(notes) ? VERSION_AMBIENT : VERSION;
    hash_bsp(bsp, hash);
    bytes_append_text(out, "%s %d %s\n%zu\n", magic, version, hash, arrlenu(notes->items));
    for (size_t i = 0; i < arrlenu(notes->items); i++) {
        const struct surface_note *note = &notes->items[i];
        const float *ambient = note->ambient;
        bytes_append_text(out, "%.9g %.9g %d %d %d %d", (double)note->sample_size,
                          (double)note->shade_angle, note->cast_shadows, note->receive_shadows,
                          note->entity, note->group);
        if (version >= VERSION_AMBIENT)
            bytes_append_text(out, " %.9g %.9g %.9g", (double)ambient[0], (double)ambient[1],
                              (double)ambient[2]);
        bytes_append_text(out, "\n");
    }
    if (arrlen(notes->lights)) {
        bytes_append_text(out, "%s\n", lights_word);
        bytes_append(out, notes->lights, arrlenu(notes->lights));
    }
}

struct reader {
    const char *at, *end, *name;
    int line;
    struct diag *diag;
    char token[TOKEN_MAX + 1];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0';
}

static const char *next_token(struct reader *reader)
{
    size_t length = 0;
    while (reader->at < reader->end && is_blank(*reader->at))
        reader->line += *reader->at++ == '\n';
    for (; reader->at < reader->end && !is_blank(*reader->at); reader->at++)
        if (length < TOKEN_MAX)
            reader->token[length++] = *reader->at;
    reader->token[length] = '\0';
    return reader->token;
}

static enum status fail(const struct reader *reader, const char *expected)
{
    struct diag_where where = {.file = reader->name, .line = reader->line};
    return diag_report(reader->diag, DIAG_SURFACE_NOTES, &where, "expected %s, found \"%s\"",
                       expected, reader->token);
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

static enum status read_note(struct reader *reader, bool ambient, struct surface_note *note)
{
    double v[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        TRY(read_number(reader, i < 2 || i > 3 ? 0 : -GROUP_MAX, GROUP_MAX, &v[i]));
    *note = (struct surface_note){(float)v[0],   (float)v[1],   (int32_t)v[2], (int32_t)v[3],
                                  (int32_t)v[4], (int32_t)v[5], {0, 0, 0}};
    for (int k = 0; k < 3 && ambient; k++) {
        TRY(read_number(reader, -AMBIENT_MAX, AMBIENT_MAX, &v[k]));
        note->ambient[k] = (float)v[k];
    }
    return STATUS_OK;
}

/* The rest of the file: only lights that vrad takes out of a map may come back into one. */
static enum status read_lights(struct reader *reader, struct surface_notes *notes)
{
    struct entity_list list;
    enum status status = STATUS_OK;
    if (reader->at < reader->end && *reader->at == '\n') /* after the word */
        reader->at++;
    while (reader->at < reader->end)
        arrput(notes->lights, *reader->at++);
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

static enum status read_all(struct reader *reader, const struct bsp *bsp,
                            struct surface_notes *notes)
{
    char hash[2 * SHA256_SIZE + 1];
    double version, count;
    if (strcmp(next_token(reader), magic) != 0)
        return fail(reader, magic);
    TRY(read_number(reader, VERSION, VERSION_AMBIENT, &version));
    hash_bsp(bsp, hash);
    if (strcmp(next_token(reader), hash) != 0) {
        (void)diag_report(reader->diag, DIAG_SURFACE_NOTES_STALE,
                          &(struct diag_where){.file = reader->name},
                          "written with another BSP; ignored");
        return STATUS_OK;
    }
    TRY(read_number(reader, 0, (double)arrlenu(bsp->surfaces), &count));
    if ((size_t)count != arrlenu(bsp->surfaces))
        return fail(reader, "the number of surfaces of the BSP");
    for (size_t i = 0; i < (size_t)count; i++) {
        struct surface_note note;
        TRY(read_note(reader, version >= (double)VERSION_AMBIENT, &note));
        arrput(notes->items, note);
    }
    const char *last = next_token(reader);
    if (strcmp(last, lights_word) == 0)
        return read_lights(reader, notes);
    return *last ? fail(reader, "the end of the file") : STATUS_OK;
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

enum status surface_notes_take_lights(struct surface_notes *notes, const struct bsp *bsp,
                                      struct diag *diag)
{
    struct entity_list all, lights = {0};
    struct bytes text = {0};
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", diag, &all));
    bool keeps = arrlen(all.entities) && world_keeps_lights(&all.entities[0]);
    for (ptrdiff_t i = 1; i < arrlen(all.entities) && !keeps; i++)
        if (entity_is_baked_light(&all.entities[i]))
            arrput(lights.entities, all.entities[i]);
    entities_format(&lights, &text);
    arrsetlen(notes->lights, text.size);
    if (text.size)
        memcpy(notes->lights, text.data, text.size);
    bytes_free(&text);
    arrfree(lights.entities);
    entities_free(&all);
    return STATUS_OK;
}

void surface_notes_free(struct surface_notes *notes)
{
    arrfree(notes->items);
    arrfree(notes->lights);
    *notes = (struct surface_notes){0};
}
