#include "vbsp/level/adapt/adapt.h"

#include "common/core/array.h"
#include "common/geom/winding.h"
#include "vbsp/level/displacement.h"

/* Vertices along a side of a patch: so few are far below the engine's limits on collision facets.
 * */
enum { PATCH_SIDE = 5, MAX_SIDE = (1 << DISPLACEMENT_MAX_POWER) + 1 };

struct patch_grid {
    struct map_displacement map;
    struct map_patch_point *points; /* map.side squared: vertices, then control points */
};

/* The side's outline: its plane clipped by the solid's other sides. */
static struct winding *outline(struct arena *arena, const struct map_solid *solid,
                               const struct map_side *side)
{
    struct plane plane;
    const struct vec3 *p = side->points;
    if (!plane_from_points(p[0], p[1], p[2], &plane))
        return NULL;
    struct winding *winding = winding_from_plane(arena, &plane);
    for (size_t i = 0; i < arrlenu(solid->sides) && winding; i++) {
        const struct vec3 *q = solid->sides[i].points;
        if (&solid->sides[i] != side && plane_from_points(q[0], q[1], q[2], &plane))
            winding = winding_clip_behind(arena, winding, &plane, EPSILON_BRUSH_CLIP);
    }
    return winding && winding->count == 4 ? winding : NULL;
}

static int nearest_corner(const struct winding *winding, struct vec3 start)
{
    int best = 0;
    for (int i = 1; i < winding->count; i++)
        if (vec3_distance(winding->points[i], start) < vec3_distance(winding->points[best], start))
            best = i;
    return best;
}

static double texel(const struct map_texture_axis *axis, struct vec3 p)
{
    return vec3_dot(p, axis->axis) / axis->scale + axis->shift;
}

/* Rows go from the start corner to the next one of the outline; texture coordinates are those of
 * the flat side. */
static void place_vertices(const struct map_side *side, const struct winding *winding,
                           struct patch_grid *patch_grid)
{
    int first = nearest_corner(winding, patch_grid->map.start), count = patch_grid->map.side;
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = winding->points[(first + i) % 4];
    for (int i = 0; i < count * count; i++) {
        double v = (double)(i / count) / (count - 1), u = (double)(i % count) / (count - 1);
        struct vec3 base = vec3_lerp(vec3_lerp(corners[0], corners[1], v),
                                     vec3_lerp(corners[3], corners[2], v), u);
        patch_grid->points[i].p = vec3_add(base, patch_grid->map.vertices[i].vector);
        patch_grid->points[i].texture[0] = texel(&side->u, base);
        patch_grid->points[i].texture[1] = texel(&side->v, base);
    }
}

static double *value_of(struct map_patch_point *point, int value)
{
    return value < 3 ? &point->p.e[value] : &point->texture[value - 3];
}

/* The midpoint of a quadratic curve is a quarter of both ends and half of the middle control point,
 * which is chosen so that the curve runs through the vertex. Edges depend on nothing else, so that
 * neighbours meet. */
static void fit_curve(struct map_patch_point *points, int count, int step)
{
    for (int i = 1; i < count; i += 2)
        for (int k = 0; k < 5; k++) {
            double *middle = value_of(&points[i * step], k);
            *middle =
                2 * *middle -
                (*value_of(&points[(i - 1) * step], k) + *value_of(&points[(i + 1) * step], k)) / 2;
        }
}

static void make_controls(struct patch_grid *patch_grid)
{
    int count = patch_grid->map.side;
    for (int row = 0; row < count; row++)
        fit_curve(patch_grid->points + row * count, count, 1);
    for (int column = 0; column < count; column++)
        fit_curve(patch_grid->points + column, count, count);
}

static void add_patch(struct level *map, const struct map_solid *solid, const struct map_side *side,
                      const struct patch_grid *patch_grid, int row, int column,
                      struct map_patch **out)
{
    struct map_patch patch = {.id = solid->id,
                              .line = side->line,
                              .material = side->material,
                              .columns = PATCH_SIDE,
                              .rows = PATCH_SIDE,
                              .mapped_in_texels = true};
    patch.points = ARENA_ARRAY(&map->arena, struct map_patch_point, PATCH_SIDE * PATCH_SIDE);
    for (int r = 0; r < PATCH_SIDE; r++)
        for (int c = 0; c < PATCH_SIDE; c++)
            patch.points[r * PATCH_SIDE + c] =
                patch_grid->points[(row + r) * patch_grid->map.side + column + c];
    arrput(*out, patch);
}

bool displacement_patches(struct level *map, const struct map_solid *solid,
                          const struct map_side *side, struct map_patch **out)
{
    struct arena scratch = {0};
    struct map_patch_point points[MAX_SIDE * MAX_SIDE];
    struct patch_grid patch_grid = {.points = points};
    const char *problem;
    struct winding *winding = outline(&scratch, solid, side);
    bool sound =
        winding && map_displacement_read(side->displacement, &scratch, &patch_grid.map, &problem);
    if (sound) {
        place_vertices(side, winding, &patch_grid);
        make_controls(&patch_grid);
        for (int row = 0; row + PATCH_SIDE <= patch_grid.map.side; row += PATCH_SIDE - 1)
            for (int column = 0; column + PATCH_SIDE <= patch_grid.map.side;
                 column += PATCH_SIDE - 1)
                add_patch(map, solid, side, &patch_grid, row, column, out);
    }
    arena_free(&scratch);
    return sound;
}
