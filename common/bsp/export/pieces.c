#include "common/bsp/export/pieces.h"

#include <string.h>

#include "common/assets/shaders/shader.h"
#include "common/bsp/patch_surface.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/entities.h"

const char *const *shader_names(const struct bsp *bsp, struct arena *arena)
{
    const char **names = ARENA_ARRAY(arena, const char *, arrlenu(bsp->shaders));
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++) {
        const char *stored = bsp->shaders[i].name;
        char *name = arena_strndup(arena, stored, strnlen(stored, SHADER_NAME));
        for (char *c = name; *c; c++)
            if ((unsigned char)*c <= ' ' || *c == '"')
                *c = '_';
            else if (*c == '\\')
                *c = '/';
        names[i] = name;
    }
    return names;
}

/* The chords of a patch are within this many units of its curves. */
#define CURVE_ERROR 1.0

struct gather {
    const struct bsp *bsp;
    const char *const *shaders;
    bool with_lightmaps;
    struct pieces *out;
};

int model_of_entity(const struct bsp *bsp, const struct entity *entity, bool is_world)
{
    const char *name = entity_value(entity, "model");
    int64_t number;
    if (is_world)
        return 0;
    if (*name != '*' || !str_to_int64(name + 1, &number) || number < 1 ||
        number >= (int64_t)arrlen(bsp->models))
        return -1;
    return (int)number;
}

static int material_number(struct pieces *pieces, const char *name)
{
    for (size_t i = 0; i < arrlenu(pieces->materials); i++)
        if (strcmp(pieces->materials[i], name) == 0)
            return (int)i;
    const char *copy = arena_strdup(&pieces->arena, name);
    arrput(pieces->materials, copy);
    return (int)arrlen(pieces->materials) - 1;
}

static bool has_page(const struct gather *gather, const struct bsp_surface *surface)
{
    return gather->with_lightmaps && surface->lightmap >= 0;
}

static void set_vertex(const struct gather *gather, const struct bsp_surface *surface, int number,
                       struct piece_vertex *out)
{
    const struct bsp_draw_vertex *vertex =
        &gather->bsp->draw_vertices[surface->first_vertex + number];
    const float *texture = has_page(gather, surface) ? vertex->lightmap : vertex->texture;
    out->p = vec3_from_floats(vertex->p);
    if (floats_are_finite(vertex->normal, 3))
        out->normal = vec3_from_floats(vertex->normal);
    for (int k = 0; k < 2; k++)
        out->texture[k] = isfinite(texture[k]) ? (double)texture[k] : 0;
}

static void copy_triangles(struct gather *gather, const struct bsp_surface *surface,
                           struct piece *piece)
{
    struct arena *arena = &gather->out->arena;
    piece->vertex_count = (size_t)surface->vertex_count;
    piece->index_count = (size_t)surface->index_count / 3 * 3;
    piece->vertices = ARENA_ARRAY(arena, struct piece_vertex, piece->vertex_count);
    piece->indices = ARENA_ARRAY(arena, int, piece->index_count);
    for (size_t i = 0; i < piece->vertex_count; i++)
        set_vertex(gather, surface, (int)i, &piece->vertices[i]);
    for (size_t i = 0; i < piece->index_count; i++)
        piece->indices[i] = gather->bsp->draw_indices[(size_t)surface->first_index + i];
}

/* Two triangles per cell of the grid. */
static void grid_triangles(const struct patch_surface *grid, struct arena *arena,
                           struct piece *piece)
{
    size_t columns = (size_t)grid->columns, rows = (size_t)grid->rows;
    piece->indices = ARENA_ARRAY(arena, int, (columns - 1) * (rows - 1) * 6);
    for (size_t r = 0; r + 1 < rows; r++)
        for (size_t c = 0; c + 1 < columns; c++) {
            int at = (int)(r * columns + c), below = at + (int)columns;
            const int cell[6] = {at, below, at + 1, at + 1, below, below + 1};
            memcpy(piece->indices + piece->index_count, cell, sizeof cell);
            piece->index_count += 6;
        }
}

static bool tessellate(struct gather *gather, const struct bsp_surface *surface,
                       struct piece *piece)
{
    struct arena *arena = &gather->out->arena;
    struct bsp_draw_vertex *vertices = NULL;
    struct bsp_surface patch = *surface;
    struct bsp lone = {.draw_vertices = NULL};
    struct patch_surface grid;
    for (int i = 0; i < surface->vertex_count; i++) {
        struct bsp_draw_vertex vertex = gather->bsp->draw_vertices[surface->first_vertex + i];
        if (has_page(gather, surface))
            memcpy(vertex.texture, vertex.lightmap, sizeof vertex.texture);
        arrput(vertices, vertex);
    }
    patch.first_vertex = 0;
    lone.draw_vertices = vertices;
    bool fits = patch_surface_build(&lone, &patch, CURVE_ERROR, 0, arena, &grid);
    arrfree(vertices);
    if (!fits)
        return false;
    piece->vertex_count = (size_t)grid.columns * (size_t)grid.rows;
    piece->vertices = ARENA_ARRAY(arena, struct piece_vertex, piece->vertex_count);
    for (size_t i = 0; i < piece->vertex_count; i++)
        piece->vertices[i] =
            (struct piece_vertex){grid.points[i].p,
                                  grid.points[i].normal,
                                  {grid.points[i].texture[0], grid.points[i].texture[1]}};
    grid_triangles(&grid, arena, piece);
    return true;
}

static const char *material_name(const struct gather *gather, const struct bsp_surface *surface)
{
    if (!has_page(gather, surface))
        return gather->shaders[surface->shader];
    return arena_printf(&gather->out->arena, "lm_%04d", surface->lightmap);
}

static void add_surface(struct gather *gather, int number, int model, struct vec3 origin)
{
    const struct bsp_surface *surface = &gather->bsp->surfaces[number];
    struct piece piece = {.surface = number, .model = model};
    if (bsp_shader_surface(gather->bsp, surface->shader) & Q3_SURFACE_NODRAW)
        return;
    if (surface->type == SURFACE_PATCH) {
        if (!tessellate(gather, surface, &piece))
            return;
    } else if (surface->type == SURFACE_PLANAR || surface->type == SURFACE_MESH) {
        copy_triangles(gather, surface, &piece);
    }
    if (!piece.index_count)
        return;
    for (size_t i = 0; i < piece.vertex_count; i++)
        piece.vertices[i].p = vec3_add(piece.vertices[i].p, origin);
    piece.material = material_number(gather->out, material_name(gather, surface));
    arrput(gather->out->pieces, piece);
}

static void add_entity(struct gather *gather, const struct entity *entity, bool is_world)
{
    int number = model_of_entity(gather->bsp, entity, is_world);
    struct vec3 origin = vec3(0, 0, 0);
    if (number < 0)
        return;
    if (number > 0)
        (void)entity_vector(entity, "origin", &origin);
    const struct bsp_model *model = &gather->bsp->models[number];
    for (int i = 0; i < model->face_count; i++)
        add_surface(gather, model->first_face + i, number, origin);
}

enum status pieces_gather(const struct bsp *bsp, bool with_lightmaps, const char *name,
                          struct diag *diag, struct pieces *out)
{
    struct entity_list list;
    *out = (struct pieces){0};
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), name, diag, &list));
    struct gather gather = {bsp, shader_names(bsp, &out->arena), with_lightmaps, out};
    for (size_t i = 0; i < arrlenu(list.entities); i++)
        add_entity(&gather, &list.entities[i], i == 0);
    entities_free(&list);
    return STATUS_OK;
}

void pieces_free(struct pieces *pieces)
{
    arrfree(pieces->pieces);
    arrfree(pieces->materials);
    arena_free(&pieces->arena);
}
