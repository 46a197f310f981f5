#include "common/bsp/convert/transform.h"

#include <stdio.h>

#include "common/bsp/engine.h"
#include "common/bsp/light_grid.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_conversion.def"
#include "common/text/entities.h"

/* The engine collides up to here. */
#define COORDINATE_MAX 65535.0

/* Defaults and limits of the light grid's cells. */
#define MIN_CELL 8.0

struct move {
    struct bsp *bsp;
    const struct bsp_transform *whole;
    struct bsp_transform scale_only; /* for models about the origin of their entity */
    bool *is_about_origin;           /* stb_ds array, by model */
    int32_t *copies;                 /* stb_ds array, by pair of planes: the pair for such models */
};

static struct vec3 move_point(const struct bsp_transform *by, struct vec3 p)
{
    return vec3(p.x * by->scale.x + by->shift.x, p.y * by->scale.y + by->shift.y,
                p.z * by->scale.z + by->shift.z);
}

static struct vec3 move_back(const struct bsp_transform *by, struct vec3 p)
{
    return vec3((p.x - by->shift.x) / by->scale.x, (p.y - by->shift.y) / by->scale.y,
                (p.z - by->shift.z) / by->scale.z);
}

static void move_floats(const struct bsp_transform *by, float p[3])
{
    vec3_to_floats(move_point(by, vec3_from_floats(p)), p);
}

/* Axial normals stay exact. */
static struct vec3 move_normal(const struct bsp_transform *by, struct vec3 n, double *length)
{
    struct vec3 moved = vec3(n.x / by->scale.x, n.y / by->scale.y, n.z / by->scale.z);
    *length = vec3_length(moved);
    for (int k = 0; k < 3; k++)
        if (fabs(n.e[k]) >= 1)
            return n;
    return vec3_normalize(moved);
}

static void move_normal_floats(const struct bsp_transform *by, float n[3])
{
    double length;
    if (floats_are_finite(n, 3))
        vec3_to_floats(move_normal(by, vec3_from_floats(n), &length), n);
}

/* --- planes --- */

static struct bsp_plane move_plane(const struct bsp_transform *by, struct bsp_plane plane)
{
    struct vec3 n = vec3_from_floats(plane.normal);
    double length, at = 0;
    struct vec3 moved = move_normal(by, n, &length);
    for (int k = 0; k < 3; k++)
        at += n.e[k] / by->scale.e[k] * by->shift.e[k];
    vec3_to_floats(moved, plane.normal);
    if (length > 0)
        plane.dist = (float)(((double)plane.dist + at) / length);
    return plane;
}

/* The number of the plane for a model about an origin: in a pair that is not shifted. */
static int32_t copy_plane(struct move *move, const struct bsp_plane *old, int32_t number)
{
    int32_t pair = number / 2;
    if (move->copies[pair] < 0) {
        move->copies[pair] = (int32_t)arrlen(move->bsp->planes);
        for (int32_t i = 2 * pair; i < 2 * pair + 2; i++) {
            struct bsp_plane plane =
                move_plane(&move->scale_only, old[i < arrlen(old) ? i : number]);
            arrput(move->bsp->planes, plane);
        }
    }
    return move->copies[pair] + number % 2;
}

static bool needs_copies(const struct move *move)
{
    return vec3_length(move->whole->shift) > 0;
}

static void copy_planes_of(struct move *move, const struct bsp_plane *old,
                           const struct bsp_model *model)
{
    struct bsp *bsp = move->bsp;
    for (int i = 0; i < model->brush_count; i++) {
        const struct bsp_brush *brush = &bsp->brushes[model->first_brush + i];
        for (int k = 0; k < brush->side_count; k++) {
            struct bsp_brush_side *side = &bsp->brush_sides[brush->first_side + k];
            if (side->plane < arrlen(old)) /* else it was done */
                side->plane = copy_plane(move, old, side->plane);
        }
    }
}

static void move_planes(struct move *move)
{
    struct bsp *bsp = move->bsp;
    struct bsp_plane *old = NULL;
    for (size_t i = 0; i < arrlenu(bsp->planes); i++) {
        arrput(old, bsp->planes[i]);
        bsp->planes[i] = move_plane(move->whole, bsp->planes[i]);
    }
    for (size_t i = 0; i < arrlenu(old) / 2 + 1; i++)
        arrput(move->copies, -1);
    for (size_t i = 0; i < arrlenu(bsp->models) && needs_copies(move); i++)
        if (move->is_about_origin[i])
            copy_planes_of(move, old, &bsp->models[i]);
    arrfree(old);
}

/* --- boxes --- */

/* Boxes of leaves that are in no tree are empty, or turned inside out. */
static void move_box(const struct bsp_transform *by, int32_t mins[3], int32_t maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (mins[k] >= maxs[k])
            return;
    for (int k = 0; k < 3; k++) {
        mins[k] = (int32_t)floor(mins[k] * by->scale.e[k] + by->shift.e[k]);
        maxs[k] = (int32_t)ceil(maxs[k] * by->scale.e[k] + by->shift.e[k]);
    }
}

static void move_tree(struct move *move)
{
    for (size_t i = 0; i < arrlenu(move->bsp->nodes); i++)
        move_box(move->whole, move->bsp->nodes[i].mins, move->bsp->nodes[i].maxs);
    for (size_t i = 0; i < arrlenu(move->bsp->leaves); i++)
        if (bsp_leaf_has_box(&move->bsp->leaves[i]))
            move_box(move->whole, move->bsp->leaves[i].mins, move->bsp->leaves[i].maxs);
}

/* --- surfaces --- */

static void move_surface(const struct bsp_transform *by, struct bsp_surface *surface)
{
    move_floats(by, surface->lightmap_origin);
    move_normal_floats(by, surface->normal);
    for (int i = 0; i < 2; i++) {
        if (surface->type == SURFACE_PATCH) { /* corners of a box */
            move_floats(by, surface->lightmap_vectors[i]);
            continue;
        }
        for (int k = 0; k < 3; k++)
            surface->lightmap_vectors[i][k] *= (float)by->scale.e[k];
    }
}

static void move_models(struct move *move)
{
    struct bsp *bsp = move->bsp;
    bool *is_moved = NULL; /* vertices */
    array_make(&is_moved, arrlenu(bsp->draw_vertices), sizeof *is_moved);
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        struct bsp_model *model = &bsp->models[i];
        const struct bsp_transform *by = move->is_about_origin[i] ? &move->scale_only : move->whole;
        move_floats(by, model->mins);
        move_floats(by, model->maxs);
        for (int k = 0; k < model->face_count; k++) {
            struct bsp_surface *surface = &bsp->surfaces[model->first_face + k];
            move_surface(by, surface);
            for (int v = surface->first_vertex; v < surface->first_vertex + surface->vertex_count;
                 v++) {
                if (is_moved[v])
                    continue;
                is_moved[v] = true;
                move_floats(by, bsp->draw_vertices[v].p);
                move_normal_floats(by, bsp->draw_vertices[v].normal);
            }
        }
    }
    arrfree(is_moved);
}

/* --- light grid --- */

/* Each point takes the light of the one nearest to where it was. */
static void resample(struct move *move, const struct light_grid *old, const struct light_grid *grid)
{
    struct bsp *bsp = move->bsp;
    struct bsp_grid_point *points = NULL;
    int at[3];
    for (at[2] = 0; at[2] < grid->count[2]; at[2]++)
        for (at[1] = 0; at[1] < grid->count[1]; at[1]++)
            for (at[0] = 0; at[0] < grid->count[0]; at[0]++) {
                struct vec3 p = grid->origin;
                size_t number = 0;
                for (int k = 0; k < 3; k++)
                    p.e[k] += at[k] * grid->cell.e[k];
                p = move_back(move->whole, p);
                for (int k = 3; k-- > 0;) {
                    double step = rint((p.e[k] - old->origin.e[k]) / old->cell.e[k]);
                    step = portable_fmin(portable_fmax(step, 0), old->count[k] - 1);
                    number = number * (size_t)old->count[k] + (size_t)step;
                }
                arrput(points, bsp->light_grid[number]);
            }
    arrfree(bsp->light_grid);
    bsp->light_grid = points;
}

/* --- entities --- */

static void set_vector(struct entity_list *list, struct entity *entity, const char *key,
                       struct vec3 v)
{
    char text[128];
    snprintf(text, sizeof text, "%.9g %.9g %.9g", v.x + 0.0, v.y + 0.0, v.z + 0.0);
    entity_set(entity, &list->arena, key, text);
}

/* The model of an entity, or 0: none of its own. */
static size_t own_model(const struct bsp *bsp, const struct entity *entity)
{
    const char *name = entity_value(entity, "model");
    int64_t number;
    bool has = *name == '*' && str_to_int64(name + 1, &number) && number > 0 &&
               number < (int64_t)arrlen(bsp->models);
    return has ? (size_t)number : 0;
}

static void find_origins(struct move *move, const struct entity_list *list)
{
    array_make(&move->is_about_origin, arrlenu(move->bsp->models), sizeof(bool));
    for (size_t i = 1; i < arrlenu(list->entities); i++) {
        struct vec3 origin;
        size_t model = own_model(move->bsp, &list->entities[i]);
        if (model && entity_vector(&list->entities[i], "origin", &origin) &&
            vec3_length(origin) > 0)
            move->is_about_origin[model] = true;
    }
}

static void move_entities(const struct move *move, struct entity_list *list)
{
    for (size_t i = 1; i < arrlenu(list->entities); i++) {
        struct entity *entity = &list->entities[i];
        size_t model = own_model(move->bsp, entity);
        struct vec3 origin = vec3(0, 0, 0);
        bool has_origin = entity_vector(entity, "origin", &origin);
        if (model ? move->is_about_origin[model] : has_origin)
            set_vector(list, entity, "origin", move_point(move->whole, origin));
    }
}

static struct vec3 read_cell(const struct entity_list *list)
{
    struct vec3 cell = vec3(64, 64, 128);
    if (arrlen(list->entities))
        (void)entity_vector(&list->entities[0], "gridsize", &cell);
    return cell;
}

static void move_grid(struct move *move, struct entity_list *list, const struct light_grid *old)
{
    struct vec3 cell = old->cell;
    for (int k = 0; k < 3; k++)
        cell.e[k] = portable_fmax(cell.e[k] * move->whole->scale.e[k], MIN_CELL);
    if (vec3_distance(cell, old->cell) > 0)
        set_vector(list, &list->entities[0], "gridsize", cell);
    const struct light_grid grid = light_grid_of(move->bsp, cell);
    resample(move, old, &grid);
}

static enum status check(const struct bsp *bsp, const struct bsp_transform *by,
                         const struct diag_where *where, struct diag *diag)
{
    if (!bsp->engine->can_transform)
        return diag_report(diag, DIAG_BSP_TRANSFORM, where, "it is not of Quake 3");
    for (size_t i = 0; i < 2 && arrlen(bsp->models); i++) {
        const struct bsp_model *world = &bsp->models[0];
        struct vec3 p = move_point(by, vec3_from_floats(i ? world->maxs : world->mins));
        for (int k = 0; k < 3; k++)
            if (!(fabs(p.e[k]) <= COORDINATE_MAX))
                return diag_report(diag, DIAG_BSP_TRANSFORM, where,
                                   "a corner would be at %g %g %g, beyond %g units", p.x, p.y, p.z,
                                   COORDINATE_MAX);
    }
    return STATUS_OK;
}

enum status bsp_transform(struct bsp *bsp, const struct bsp_transform *transform, const char *name,
                          struct diag *diag)
{
    const struct diag_where where = {.file = name};
    struct move move = {bsp, transform, {.scale = transform->scale}, NULL, NULL};
    struct entity_list list;
    struct bytes text = {0};
    TRY(check(bsp, transform, &where, diag));
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), name, diag, &list));
    find_origins(&move, &list);
    bool has_grid = arrlen(bsp->models) && arrlen(bsp->light_grid) && arrlen(list.entities);
    struct light_grid old = {0};
    if (has_grid) {
        old = light_grid_of(bsp, read_cell(&list));
        has_grid = light_grid_points(&old) == arrlenu(bsp->light_grid);
    }
    move_planes(&move);
    move_tree(&move);
    move_models(&move);
    move_entities(&move, &list);
    if (has_grid)
        move_grid(&move, &list, &old);
    entities_format(&list, &text);
    arrsetlen(bsp->entities, text.size);
    if (text.size)
        memcpy(bsp->entities, text.data, text.size);
    bytes_free(&text);
    entities_free(&list);
    arrfree(move.is_about_origin);
    arrfree(move.copies);
    return STATUS_OK;
}
