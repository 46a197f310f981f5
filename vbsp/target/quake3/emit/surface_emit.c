/* Writes records of surfaces. */
#include <string.h>

#include "common/core/array.h"
#include "vbsp/target/quake3/emit/emit.h"

enum { LIGHTMAP_NONE = -3 }; /* vertex lit */

#define DEFAULT_SAMPLE_SIZE 16.0F

struct run_cell {
    uint64_t key; /* hash of a run of indices */
    int value;    /* its position */
};

static uint64_t hash_more(uint64_t hash, int index)
{
    hash = (hash ^ (uint64_t)(unsigned)index) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Runs consist of whole triangles: each prefix of one is known too. */
static void learn_run(struct quake3 *quake3, const int32_t *indices, int first, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        hash = hash_more(hash, indices[(size_t)first + i]);
        if (i % 3 == 2 && hmgeti(quake3->runs, hash) < 0)
            hmput(quake3->runs, hash, first);
    }
}

/* Position of the indices: an equal run written before, or the end. Nearly all polygons have the
 * indices of a quad or a prefix of them, which come first. */
static int emit_indices(struct compile *compile, const int *indices)
{
    struct quake3 *quake3 = quake3_of(compile);
    struct bsp *bsp = compile->bsp;
    static const int square[] = {0, 1, 2, 0, 2, 3};
    if (!arrlen(bsp->draw_indices)) {
        for (size_t i = 0; i < sizeof square / sizeof *square; i++)
            arrput(bsp->draw_indices, square[i]);
        learn_run(quake3, bsp->draw_indices, 0, sizeof square / sizeof *square);
    }
    size_t count = arrlenu(indices);
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = hash_more(hash, indices[i]);
    ptrdiff_t at = hmgeti(quake3->runs, hash);
    int known = at < 0 ? 0 : quake3->runs[at].value;
    if (at >= 0 && (size_t)known + count <= arrlenu(bsp->draw_indices) &&
        memcmp(bsp->draw_indices + known, indices, count * sizeof *indices) == 0)
        return known;
    int first = (int)arrlen(bsp->draw_indices);
    for (size_t i = 0; i < count; i++)
        arrput(bsp->draw_indices, indices[i]);
    learn_run(quake3, bsp->draw_indices, first, count);
    return first;
}

void quake3_runs_free(struct quake3 *quake3)
{
    hmfree(quake3->runs);
}

static struct bsp_draw_vertex vertex_record(const struct draw_vertex *vertex)
{
    struct bsp_draw_vertex record = {0};
    for (int i = 0; i < 3; i++) {
        record.p[i] = (float)vertex->p.e[i] + 0.0F;
        record.normal[i] = (float)vertex->normal.e[i] + 0.0F;
    }
    for (int i = 0; i < 2; i++)
        record.texture[i] = (float)vertex->texture[i] + 0.0F;
    memcpy(record.colour, vertex->colour, sizeof record.colour);
    return record;
}

/* A patch has the bounds of its LOD group. */
static void set_vectors(const struct draw_surface *surface, struct bsp_surface *record)
{
    for (int i = 0; i < 3; i++) {
        if (surface->type == SURFACE_PATCH) {
            record->lightmap_vectors[0][i] = (float)surface->lod.mins.e[i];
            record->lightmap_vectors[1][i] = (float)surface->lod.maxs.e[i];
        }
        if (surface->planar)
            record->normal[i] = (float)surface->normal.e[i] + 0.0F;
    }
    record->patch_size[0] = surface->patch_columns;
    record->patch_size[1] = surface->patch_rows;
}

/* A flare has no vertex in the file: position, colour and direction are in the record. */
static void set_flare(const struct draw_surface *surface, struct bsp_surface *record)
{
    const struct draw_vertex *vertex = &surface->vertices[0];
    for (int i = 0; i < 3; i++) {
        record->lightmap_origin[i] = (float)vertex->p.e[i] + 0.0F;
        record->lightmap_vectors[0][i] = (float)vertex->colour[i] / 255.0F;
        record->normal[i] = (float)vertex->normal.e[i] + 0.0F;
    }
    record->vertex_count = 0;
}

static void note_surface(struct quake3 *quake3, const struct draw_surface *surface)
{
    struct surface_note note = {.shade_angle = (float)surface->keys.shade_angle,
                                .cast_shadows = surface->keys.cast_shadows,
                                .receive_shadows = surface->keys.receive_shadows,
                                .entity = surface->entity};
    if (surface->type == SURFACE_PATCH && note.cast_shadows && !surface->keys.casts_by_key)
        note.cast_shadows = SHADOWS_OF_PATCH;
    if (surface->lightmapped)
        note.sample_size =
            surface->keys.sample_size > 0 ? (float)surface->keys.sample_size : DEFAULT_SAMPLE_SIZE;
    arrput(quake3->notes.items, note);
}

int quake3_emit_surface(struct compile *compile, const struct draw_surface *surface)
{
    struct bsp *bsp = compile->bsp;
    struct bsp_surface record = {
        .shader = quake3_shader_number(compile, surface->shader, surface->shader->contents),
        .effect = surface->fog,
        .type = (int32_t)surface->type,
        .first_vertex = (int32_t)arrlen(bsp->draw_vertices),
        .vertex_count = (int32_t)arrlen(surface->vertices),
        .index_count = (int32_t)arrlen(surface->indices),
        .lightmap = LIGHTMAP_NONE,
    };
    record.first_index = emit_indices(compile, surface->indices);
    set_vectors(surface, &record);
    if (surface->type == SURFACE_FLARE && arrlen(surface->vertices))
        set_flare(surface, &record);
    for (int i = 0; i < record.vertex_count; i++)
        arrput(bsp->draw_vertices, vertex_record(&surface->vertices[i]));
    arrput(bsp->surfaces, record);
    note_surface(quake3_of(compile), surface);
    return (int)arrlen(bsp->surfaces) - 1;
}
