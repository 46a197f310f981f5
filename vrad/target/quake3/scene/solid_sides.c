/* Undrawn sides of structural brushes: caulk behind a curve stops the light that curves let pass.
 * Detail caulk does not, since the tree is open there. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"
#include "vrad/target/quake3/scene/scene.h"

/* Distance of the points that are tested before and behind a side, in units. */
#define NEAR 0.25

/* Points tested between the middle of a side and each of its corners. */
enum { STEPS = 3 };

struct side_job {
    struct quake3_light *q;
    const struct scene_brush *brush;
    struct arena arena;
};

static bool is_solid_at(const struct bsp *bsp, struct vec3 point)
{
    return bsp->leaves[bsp_leaf_at(bsp, 0, point)].cluster < 0;
}

/* Returns true if the tree is solid behind the side and open before it, somewhere. */
static bool bounds_solid(const struct bsp *bsp, const struct winding *winding, struct vec3 normal)
{
    struct vec3 middle = winding_center(winding);
    for (int i = 0; i < winding->count; i++)
        for (int k = 0; k < STEPS; k++) {
            double share = (k + 0.5) / (double)STEPS;
            struct vec3 toward = vec3_sub(winding->points[i], middle);
            struct vec3 point = vec3_mad(middle, toward, share);
            if (!is_solid_at(bsp, vec3_mad(point, normal, NEAR)) &&
                is_solid_at(bsp, vec3_mad(point, normal, -NEAR)))
                return true;
        }
    return false;
}

static void add_triangles(struct scene *scene, const struct winding *winding, struct vec3 normal)
{
    float out[3];
    for (int k = 0; k < 3; k++)
        out[k] = (float)normal.e[k];
    for (int i = 1; i + 1 < winding->count; i++) {
        const struct vec3 *corners[3] = {&winding->points[0], &winding->points[i],
                                         &winding->points[i + 1]};
        float positions[9];
        for (int k = 0; k < 9; k++)
            positions[k] = (float)corners[k / 3]->e[k % 3];
        uint32_t number = (uint32_t)arrlen(scene->triangles);
        struct scene_triangle triangle = scene_triangle_of(SCENE_BLANK, NULL, out);
        arrput(scene->triangles, triangle);
        arrput(scene->one_sided, false);
        trace_add(scene->trace, TRACE_SOLID, positions, NULL, 1);
        trace_add(scene->trace, TRACE_FACE, positions, &number, 1);
    }
}

static void add_side(struct side_job *job, int own)
{
    struct scene *scene = &job->q->scene;
    struct arena_mark mark = arena_mark(&job->arena);
    const struct plane *planes = scene->planes + job->brush->first_plane;
    const struct winding *winding = winding_of_side(
        &job->arena, planes, (size_t)job->brush->plane_count, (size_t)own, EPSILON_BRUSH_CLIP);
    if (winding && winding->count >= 3 &&
        !winding_is_beyond(winding, job->q->bsp->engine->geometry.world_limit) &&
        bounds_solid(job->q->bsp, winding, planes[own].normal))
        add_triangles(scene, winding, planes[own].normal);
    arena_release(&job->arena, mark);
}

void quake3_add_solid_sides(struct quake3_light *q, int brush)
{
    struct side_job job = {.q = q, .brush = &q->scene.brushes[q->scene.brush_numbers[brush]]};
    const struct bsp_brush *from = &q->bsp->brushes[brush];
    for (int i = 0; i < from->side_count; i++) {
        int shader = q->bsp->brush_sides[from->first_side + i].texinfo;
        bool known = shader >= 0 && shader < arrlen(q->bsp->shaders);
        int flags = known ? bsp_shader_surface(q->bsp, shader) : 0;
        if (flags & Q3_SURFACE_NODRAW && !(flags & Q3_SURFACE_SKY))
            add_side(&job, i);
    }
    arena_free(&job.arena);
}
