/* Colours of what is in the tree: clusters, leaves, visibility, and what a game draws of it. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "render/debug/debug_internal.h"

/* The leaf of a surface is that of a point this far before it. */
#define BEFORE 0.5

#define FARTHEST      1e6
#define STEP          0.01
#define STEP_FRACTION 1e-5

enum { MAX_LAYERS = 64 };

/* Returns -1 when the map has no tree. */
static int leaf_before(const struct debug_job *job, struct vec3 point, struct vec3 normal)
{
    if (arrlen(job->render->scene.bsp->leaves) == 0)
        return -1;
    return bsp_leaf_at(job->render->scene.bsp, 0, vec3_mad(point, normal, BEFORE));
}

int debug_cluster(const struct debug_job *job, struct vec3 point, struct vec3 normal)
{
    int leaf = leaf_before(job, point, normal);
    return leaf < 0 ? -1 : job->render->scene.bsp->leaves[leaf].cluster;
}

struct vec3 debug_clusters(const struct debug_job *job, const struct debug_sample *at,
                           const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    int cluster = debug_cluster(job, at->hit.point, at->hit.normal);
    return cluster < 0 ? vec3(60, 60, 60) : debug_shaded(debug_distinct(cluster), at->hit.normal);
}

struct vec3 debug_leaves(const struct debug_job *job, const struct debug_sample *at,
                         const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    int leaf = leaf_before(job, at->hit.point, at->hit.normal);
    return leaf < 0 ? vec3(60, 60, 60) : debug_shaded(debug_distinct(leaf), at->hit.normal);
}

static bool is_visible(const struct debug_job *job, int cluster)
{
    if (bsp_vis_clusters(job->render->scene.bsp) == 0)
        return true;
    return job->row && cluster >= 0 && cluster < bsp_vis_clusters(job->render->scene.bsp) &&
           bsp_vis_bit(job->row, cluster);
}

struct vec3 debug_pvs(const struct debug_job *job, const struct debug_sample *at,
                      const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    int cluster = debug_cluster(job, at->hit.point, at->hit.normal);
    struct vec3 colour = vec3(44, 30, 38);
    if (cluster >= 0 && cluster == job->cluster)
        colour = vec3(255, 220, 90);
    else if (is_visible(job, cluster))
        colour = vec3(150, 205, 155);
    return debug_shaded(colour, at->hit.normal);
}

/* Returns whether a game draws the surface on the ray: its front, in a visible
 * cluster; all that are in the map when it is seen from outside. */
static bool is_drawn(const struct debug_job *job, const struct trace_hit *hit, struct vec3 point,
                     struct vec3 direction)
{
    const struct triangle *triangle = &job->render->scene.mesh.triangles[hit->triangle];
    struct vec3 normal = vec3_from_floats(triangle->normal);
    bool back = vec3_dot(normal, direction) > 0;
    if (back && !surface_has_back(&job->render->scene.mesh.surfaces[triangle->surface],
                                  job->camera.outside))
        return false;
    return job->camera.outside ||
           is_visible(job, debug_cluster(job, point, back ? vec3_neg(normal) : normal));
}

struct vec3 debug_overdraw(const struct debug_job *job, const struct debug_sample *at,
                           const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    struct trace_ray ray = {.far = (float)FARTHEST};
    int count = 0;
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)at->origin.e[k];
        ray.direction[k] = (float)at->direction.e[k];
    }
    for (int layer = 0; layer < MAX_LAYERS; layer++) {
        struct trace_hit hit =
            trace_closest(job->render->scene.mesh.trace, TRACE_FACE | TRACE_SKY, &ray);
        if (hit.distance < 0)
            break;
        double distance = (double)hit.distance;
        struct vec3 point = vec3_mad(at->origin, at->direction, distance);
        count += hit.class == TRACE_FACE && is_drawn(job, &hit, point, at->direction);
        ray.near = (float)(distance + portable_fmax(STEP, distance * STEP_FRACTION));
    }
    return debug_heat(count / DEBUG_MOST);
}
