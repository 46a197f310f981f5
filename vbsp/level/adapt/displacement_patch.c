#include "vbsp/level/adapt/adapt.h"

#include "common/core/array.h"
#include "common/geom/winding.h"
#include "vbsp/level/displacement.h"

/* Vertices along a side of a patch: the engine's limits on facets of one are far off for so few. */
enum { PIECE = 5, MAX_SIDE = (1 << DISPLACEMENT_MAX_POWER) + 1 };

struct sheet {
    struct map_displacement map;
    struct map_patch_point *points; /* map.side squared: vertices, then control points */
};

/* What the solid's other sides leave of the side's plane. */
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

/* Rows go from the start corner to the next one of the outline; textures stay where they lie on
 * the flat side. */
static void place_vertices(const struct map_side *side, const struct winding *winding,
                           struct sheet *sheet)
{
    int first = nearest_corner(winding, sheet->map.start), count = sheet->map.side;
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = winding->points[(first + i) % 4];
    for (int i = 0; i < count * count; i++) {
        double v = (double)(i / count) / (count - 1), u = (double)(i % count) / (count - 1);
        struct vec3 base = vec3_lerp(vec3_lerp(corners[0], corners[1], v),
                                     vec3_lerp(corners[3], corners[2], v), u);
        sheet->points[i].p = vec3_add(base, sheet->map.vertices[i].vector);
        sheet->points[i].texture[0] = texel(&side->u, base);
        sheet->points[i].texture[1] = texel(&side->v, base);
    }
}

static double *value_of(struct map_patch_point *point, int value)
{
    return value < 3 ? &point->p.e[value] : &point->texture[value - 3];
}

/* A quadratic curve is halfway at a quarter of its ends and a half of its middle point: that is put
 * where the curve runs through the vertex. Edges depend on nothing but themselves, so that
 * neighbours meet. */
static void bend_line(struct map_patch_point *points, int count, int step)
{
    for (int i = 1; i < count; i += 2)
        for (int k = 0; k < 5; k++) {
            double *middle = value_of(&points[i * step], k);
            *middle =
                2 * *middle -
                (*value_of(&points[(i - 1) * step], k) + *value_of(&points[(i + 1) * step], k)) / 2;
        }
}

static void make_controls(struct sheet *sheet)
{
    int count = sheet->map.side;
    for (int row = 0; row < count; row++)
        bend_line(sheet->points + row * count, count, 1);
    for (int column = 0; column < count; column++)
        bend_line(sheet->points + column, count, count);
}

static void cut_piece(struct level *map, const struct map_solid *solid, const struct map_side *side,
                      const struct sheet *sheet, int row, int column, struct map_patch **out)
{
    struct map_patch patch = {.id = solid->id,
                              .line = side->line,
                              .material = side->material,
                              .columns = PIECE,
                              .rows = PIECE,
                              .mapped_in_texels = true};
    patch.points = ARENA_ARRAY(&map->arena, struct map_patch_point, PIECE * PIECE);
    for (int r = 0; r < PIECE; r++)
        for (int c = 0; c < PIECE; c++)
            patch.points[r * PIECE + c] = sheet->points[(row + r) * sheet->map.side + column + c];
    arrput(*out, patch);
}

bool displacement_patches(struct level *map, const struct map_solid *solid,
                          const struct map_side *side, struct map_patch **out)
{
    struct arena scratch = {0};
    struct map_patch_point points[MAX_SIDE * MAX_SIDE];
    struct sheet sheet = {.points = points};
    const char *problem;
    struct winding *winding = outline(&scratch, solid, side);
    bool sound =
        winding && map_displacement_read(side->displacement, &scratch, &sheet.map, &problem);
    if (sound) {
        place_vertices(side, winding, &sheet);
        make_controls(&sheet);
        for (int row = 0; row + PIECE <= sheet.map.side; row += PIECE - 1)
            for (int column = 0; column + PIECE <= sheet.map.side; column += PIECE - 1)
                cut_piece(map, solid, side, &sheet, row, column, out);
    }
    arena_free(&scratch);
    return sound;
}
