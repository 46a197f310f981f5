#include "common/bsp/sidecar/surface_notes.h"

#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/bsp/sidecar/notes_text.h"
#include "common/bsp/sidecar/surface_shape.h"
#include "common/core/array.h"

void surface_notes_hash(const struct bsp *bsp, char text[2 * SHA256_SIZE + 1])
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

/* Surfaces that have what the default says do not repeat it. */
static const char defaults_text[] = "default\n{\n\tcastShadows 1\n\treceiveShadows 1\n"
                                    "\tsampleSize 16\n\tambientColor ( 0 0 0 )\n"
                                    "\tlongestCurve 0\n}\n";

static void write_name(const struct bsp *bsp, int32_t shader, struct bytes *out)
{
    if (shader < 0 || shader >= (int32_t)arrlen(bsp->shaders))
        return;
    const char *name = bsp->shaders[shader].name;
    const int length = (int)strnlen(name, SHADER_NAME);
    for (int i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == '"')
            return;
    const char *quote = memchr(name, ' ', (size_t)length) ? "\"" : "";
    bytes_append_text(out, "\tshader %s%.*s%s\n", quote, length, name, quote);
}

/* Of patches the default is to cast shadows on request; our own key tells of those that always do.
 */
static void write_shadows(const struct surface_note *note, bool is_patch, struct bytes *out)
{
    const int32_t otherwise = is_patch ? SHADOWS_OF_PATCH : 1;
    const char *const ours = is_patch && note->cast_shadows == 1 ? SURFACE_NOTES_OWN " " : "";
    if (note->cast_shadows != otherwise)
        bytes_append_text(out, "\t%scastShadows %d\n", ours, note->cast_shadows);
    if (note->receive_shadows != 1)
        bytes_append_text(out, "\treceiveShadows %d\n", note->receive_shadows);
}

/* The shape of the surface, for the light stage of q3map2. */
static void write_shape(const struct bsp *bsp, const struct bsp_surface *surface,
                        const struct surface_note *note, struct bytes *out)
{
    float axis[3];
    const double curve = surface_longest_curve(bsp, surface);
    if (curve > 0)
        bytes_append_text(out, "\tlongestCurve %.6f\n", curve);
    if (note->sample_size > 0 && surface_lightmap_axis(bsp, surface, axis))
        bytes_append_text(out, "\tlightmapAxis ( %.6f %.6f %.6f )\n", (double)axis[0],
                          (double)axis[1], (double)axis[2]);
}

static void write_own(const struct surface_note *note, struct bytes *out)
{
    if (note->shade_angle != 0)
        bytes_append_text(out, "\t" SURFACE_NOTES_OWN " shadeAngle %.9g\n",
                          (double)note->shade_angle);
    if (note->entity)
        bytes_append_text(out, "\t" SURFACE_NOTES_OWN " entity %d\n", note->entity);
    if (note->group)
        bytes_append_text(out, "\t" SURFACE_NOTES_OWN " group %d\n", note->group);
}

static void write_surface(const struct bsp *bsp, size_t i, const struct surface_note *note,
                          struct bytes *out)
{
    const struct bsp_surface *surface = &bsp->surfaces[i];
    const float *ambient = note->ambient;
    bytes_append_text(out, "\n%zu\n{\n", i);
    write_name(bsp, surface->shader, out);
    write_shadows(note, surface->type == SURFACE_PATCH, out);
    if (note->sample_size != SURFACE_NOTES_SAMPLE)
        bytes_append_text(out, "\tsampleSize %.9g\n", (double)note->sample_size);
    if (ambient[0] != 0 || ambient[1] != 0 || ambient[2] != 0)
        bytes_append_text(out, "\tambientColor ( %.9g %.9g %.9g )\n", (double)ambient[0],
                          (double)ambient[1], (double)ambient[2]);
    write_shape(bsp, surface, note, out);
    write_own(note, out);
    bytes_append_text(out, "}\n");
}

/* As comments, since q3map2 reads the map for them. */
static void write_lights(const char *lights, struct bytes *out)
{
    const char *at = lights, *end = lights + arrlenu(lights);
    bytes_append_text(out, "\n" SURFACE_NOTES_OWN " lights\n");
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *next = line ? line + 1 : end;
        bytes_append_text(out, "// ");
        bytes_append(out, at, (size_t)(next - at));
        at = next;
    }
}

void surface_notes_format(const struct surface_notes *notes, const struct bsp *bsp,
                          struct bytes *out)
{
    char hash[2 * SHA256_SIZE + 1];
    surface_notes_hash(bsp, hash);
    bytes_append_text(out, SURFACE_NOTES_FIRST " %s\n%s", hash, defaults_text);
    for (size_t i = 0; i < arrlenu(notes->items); i++)
        write_surface(bsp, i, &notes->items[i], out);
    if (arrlen(notes->lights))
        write_lights(notes->lights, out);
}

enum status surface_notes_take_lights(struct surface_notes *notes, const struct bsp *bsp,
                                      struct diag *diag)
{
    struct bytes lights = {0}, rest = {0};
    TRY(baked_lights_split(bsp, diag, &lights, &rest));
    arrsetlen(notes->lights, lights.size);
    if (lights.size)
        memcpy(notes->lights, lights.data, lights.size);
    notes->has_all_lights = true;
    bytes_free(&lights);
    bytes_free(&rest);
    return STATUS_OK;
}

void surface_notes_free(struct surface_notes *notes)
{
    arrfree(notes->items);
    arrfree(notes->lights);
    *notes = (struct surface_notes){0};
}
