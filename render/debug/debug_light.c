/* Colours of what is about light: luxels, seams of lightmaps, lights. */
#include "common/bsp/query.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "render/debug/debug_internal.h"
#include "scene/light/gamma.h"
#include "scene/shade/light_at.h"
#include "vrad/lights/light.h"

/* Two pixels are on surfaces that meet: cosine of their normals, and their distance in units and as
 * a part of that from the eye. */
#define SAME_DIRECTION 0.97
#define NEAR           4.0
#define NEAR_PART      0.02

/* Bytes: from here on a seam is red. */
#define PLAIN_TO_SEE 24.0

#define DIM 0.45

enum { SIZES = 7 }; /* of luxels: from 2 units and less to 128 and more */

/* Bytes of the light alone. */
static struct vec3 light_bytes(const struct debug_job *job, const struct debug_sample *at)
{
    float light[3];
    struct vec3 bytes;
    scene_first_hit_light(&job->render->scene, &at->hit, light);
    for (int k = 0; k < 3; k++)
        bytes.e[k] = gamma_byte((double)light[k] / 255);
    return bytes;
}

struct vec3 debug_lit(const struct debug_job *job, const struct debug_sample *at,
                      const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    return vec3_scale(light_bytes(job, at), DIM);
}

/* --- density --- */

/* Returns the side of a luxel in units. */
static double luxel_side(const struct debug_job *job, uint32_t number)
{
    const struct triangle *triangle = &job->render->scene.mesh.triangles[number];
    const float *corners = job->positions + 9 * (size_t)number;
    struct vec3 a = vec3_from_floats(corners);
    struct vec3 cross = vec3_cross(vec3_sub(vec3_from_floats(corners + 3), a),
                                   vec3_sub(vec3_from_floats(corners + 6), a));
    double s1 = (double)(triangle->st[1][0] - triangle->st[0][0]),
           t1 = (double)(triangle->st[1][1] - triangle->st[0][1]),
           s2 = (double)(triangle->st[2][0] - triangle->st[0][0]),
           t2 = (double)(triangle->st[2][1] - triangle->st[0][1]);
    double luxels = fabs(s1 * t2 - s2 * t1);
    return luxels > 0 ? sqrt(vec3_length(cross) / luxels) : HUGE_VAL;
}

struct vec3 debug_density(const struct debug_job *job, const struct debug_sample *at,
                          const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    const struct triangle *triangle = &job->render->scene.mesh.triangles[at->hit.triangle];
    if (job->render->scene.mesh.surfaces[triangle->surface].lit_by != LIT_BY_LUXELS)
        return debug_shaded(vec3(90, 90, 90), at->hit.normal);
    double side = luxel_side(job, at->hit.triangle), luxel[2] = {0.5, 0.5};
    int size = (int)floor(portable_log2(portable_fmin(portable_fmax(side, 1), 1e6)) + 0.5) - 1;
    size = size < 0 ? 0 : size < SIZES ? size : SIZES - 1;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            luxel[i] += at->hit.weights[k] * (double)triangle->st[k][i];
    bool dark = ((int64_t)floor(luxel[0]) + (int64_t)floor(luxel[1])) % 2;
    return debug_shaded(vec3_scale(debug_legend(DEBUG_DENSITY)[size].colour, dark ? 0.7 : 1),
                        at->hit.normal);
}

/* --- seams --- */

/* Returns the difference of the light across a seam, in bytes, or -1 without a seam. */
static double seam_between(const struct debug_job *job, const struct debug_sample *a,
                           const struct debug_sample *b)
{
    const struct mesh *mesh = &job->render->scene.mesh;
    if (!b || b->hit.kind != HIT_SURFACE)
        return -1;
    uint32_t first = mesh->triangles[a->hit.triangle].surface,
             second = mesh->triangles[b->hit.triangle].surface;
    if (first == second || mesh->surfaces[first].lit_by != LIT_BY_LUXELS ||
        mesh->surfaces[second].lit_by != LIT_BY_LUXELS)
        return -1;
    double distance = vec3_distance(a->hit.point, b->hit.point);
    if (vec3_dot(a->hit.normal, b->hit.normal) < SAME_DIRECTION ||
        distance > NEAR + NEAR_PART * a->hit.distance)
        return -1;
    struct vec3 difference = vec3_sub(light_bytes(job, a), light_bytes(job, b));
    return portable_fmax(portable_fmax(fabs(difference.x), fabs(difference.y)), fabs(difference.z));
}

struct vec3 debug_seams(const struct debug_job *job, const struct debug_sample *at,
                        const struct debug_sample *right, const struct debug_sample *below)
{
    double seam = portable_fmax(seam_between(job, at, right), seam_between(job, at, below));
    if (seam < 0)
        return debug_lit(job, at, right, below);
    return vec3_lerp(vec3(50, 160, 80), vec3(255, 40, 20), portable_fmin(seam / PLAIN_TO_SEE, 1));
}

/* --- lights --- */

/* Returns false for a light whose cluster does not see that of the surface; the sun is in none. */
static bool may_reach(const struct debug_job *job, size_t light, int cluster)
{
    int clusters = bsp_vis_clusters(job->render->scene.bsp);
    const struct light *from = &job->render->scene.lights[light];
    if (!job->light_rows || cluster < 0 || from->cluster < 0 || from->type == WORLDLIGHT_SKY)
        return true;
    return bsp_vis_bit(job->light_rows + light * (((size_t)clusters + 7) / 8), cluster);
}

struct vec3 debug_lights(const struct debug_job *job, const struct debug_sample *at,
                         const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    const struct render *render = job->render;
    int cluster = debug_cluster(job, at->hit.point, at->hit.normal), count = 0;
    for (size_t i = 0; i < arrlenu(render->scene.lights); i++)
        count += may_reach(job, i, cluster) &&
                 scene_light_reaches(&render->scene, &render->scene.lights[i], at->hit.point,
                                     at->hit.normal);
    return debug_heat(count / DEBUG_MOST);
}
