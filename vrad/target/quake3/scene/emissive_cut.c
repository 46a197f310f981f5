/* In how large pieces the light of an emissive surface ends. Other tools take each triangle as a
 * light of its own, and drop it where it is weak; measured. */
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/target/quake3/scene/scene.h"

/* Pieces are smaller than this, in units, unless a shader says it. */
#define CUT_SIZE 999.0

/* Curves are cut into straight pieces that are so near to them, in units; there are two between
 * three control points at least. */
#define CUT_ERROR 8.0

/* Areas of pieces, and their squares. */
struct areas {
    double sum, squares;
};

static void add_area(struct areas *areas, double area, double max)
{
    areas->sum += area;
    areas->squares += area * portable_fmin(area, max);
}

static void add_triangles(const struct quake3_light *q, int surface, double max,
                          struct areas *areas)
{
    struct emissive_triangle *triangles = NULL;
    emissive_triangles(q, surface, &triangles);
    for (ptrdiff_t i = 0; i < arrlen(triangles); i++)
        add_area(areas, triangles[i].area, max);
    arrfree(triangles);
}

/* Both triangles of each cell of the grid. */
static void add_patch(const struct quake3_light *q, int surface, double max, struct areas *areas)
{
    const struct bsp_surface *from = &q->bsp->surfaces[surface];
    struct arena arena = {0};
    struct patch_surface grid;
    if (patch_surface_build(q->bsp, from, CUT_ERROR, 0, &arena, &grid)) {
        int across = grid.columns - 1, along = grid.rows - 1;
        for (int i = 0; i < across * along; i++) {
            const struct patch_point *p = &grid.points[i / across * grid.columns + i % across];
            struct vec3 diagonal = vec3_sub(p[grid.columns + 1].p, p->p);
            struct vec3 cross =
                vec3_cross(diagonal, vec3_sub(p[1].p, p[grid.columns].p)); /* twice the area */
            double split = portable_fmax((from->patch_size[0] - 1.0) / across, 1) *
                           portable_fmax((from->patch_size[1] - 1.0) / along, 1);
            double whole = vec3_length(cross) / 2, piece = whole / (2 * split);
            areas->sum += whole;
            areas->squares += whole * portable_fmin(piece, max);
        }
    }
    arena_free(&arena);
}

double quake3_cut_area(const struct quake3_light *q, const int *surfaces, int count)
{
    struct areas areas = {0};
    const struct shader *shader = q->surfaces[surfaces[0]].material->shader;
    double size = shader->light_subdivide > 0 ? shader->light_subdivide : CUT_SIZE;
    double max = size * size / 2;
    for (int i = 0; i < count; i++)
        if (q->bsp->surfaces[surfaces[i]].type == SURFACE_PATCH)
            add_patch(q, surfaces[i], max, &areas);
        else
            add_triangles(q, surfaces[i], max, &areas);
    return areas.sum > 0 ? areas.squares / areas.sum : max;
}
