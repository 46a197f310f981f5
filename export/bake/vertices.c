#include "export/bake/vertices.h"

#include "common/core/array.h"
#include "common/diag/codes/exports.def"
#include "export/bake/bake.h"

enum {
    MAX_TRIANGLES = 1 << 22,
    USUAL_TRIANGLES = 500000, /* that a step which nobody gave keeps to */
    MAX_DEPTH = 64,           /* of coordinates beyond all precision */
    LIGHT_STEPS = 4095        /* colours on both sides of an edge are the same */
};

/* Units. */
#define USUAL_STEP   16.0
#define LARGEST_STEP 65536.0

struct split_job {
    const struct bake *bake;
    bake_take *take;
    void *context;
    size_t count, max_count; /* parts so far, and after how many to stop */
};

static struct bake_corner between(const struct bake_corner *a, const struct bake_corner *b)
{
    struct bake_corner middle = {.point = vec3_scale(vec3_add(a->point, b->point), 0.5)};
    for (int k = 0; k < 3; k++)
        middle.weights[k] = (a->weights[k] + b->weights[k]) / 2;
    return middle;
}

/* Halves the longest edge. */
static void split(struct split_job *job, const struct bake_corner corners[3], int depth)
{
    double longest = 0;
    int edge = -1;
    for (int k = 0; k < 3 && depth < MAX_DEPTH; k++) {
        double length = vec3_distance(corners[k].point, corners[(k + 1) % 3].point);
        if (length > job->bake->step && length > longest && isfinite(length)) {
            longest = length;
            edge = k;
        }
    }
    if (job->count > job->max_count)
        return;
    if (edge < 0) {
        job->count++;
        if (job->take)
            job->take(job->context, corners);
        return;
    }
    struct bake_corner half[3] = {corners[0], corners[1], corners[2]};
    const struct bake_corner middle = between(&corners[edge], &corners[(edge + 1) % 3]);
    half[(edge + 1) % 3] = middle;
    split(job, half, depth + 1);
    half[(edge + 1) % 3] = corners[(edge + 1) % 3];
    half[edge] = middle;
    split(job, half, depth + 1);
}

static void split_triangle(struct split_job *job, uint32_t triangle)
{
    const struct map_scene *map = job->bake->map;
    const float *from = scene_corners(map, &map->mesh.triangles[triangle]);
    struct bake_corner corners[3] = {{.weights = {1}}, {.weights = {0, 1}}, {.weights = {0, 0, 1}}};
    for (size_t k = 0; k < 3; k++)
        corners[k].point = vec3_from_floats(from + 3 * k);
    split(job, corners, 0);
}

void bake_split(const struct bake *bake, uint32_t triangle, bake_take *take, void *context)
{
    struct split_job job = {
        .bake = bake, .take = take, .context = context, .max_count = MAX_TRIANGLES};
    split_triangle(&job, triangle);
}

static bool fits(const struct bake *bake, size_t max_count)
{
    const struct mesh *mesh = &bake->map->mesh;
    struct split_job job = {.bake = bake, .max_count = max_count};
    for (uint32_t i = 0; i < arrlenu(mesh->triangles) && job.count <= max_count; i++)
        split_triangle(&job, i);
    return job.count <= max_count;
}

enum status bake_vertices_fit(struct bake *bake)
{
    if (!(bake->step > 0)) {
        bake->step = USUAL_STEP;
        while (bake->step < LARGEST_STEP && !fits(bake, USUAL_TRIANGLES))
            bake->step *= 2;
    }
    if (fits(bake, MAX_TRIANGLES))
        return STATUS_OK;
    return diag_report(bake->map->env->diag, DIAG_BAKE_LARGE, NULL,
                       "more than %d triangles with a step of %g units", MAX_TRIANGLES, bake->step);
}

void bake_corner_light(const struct bake *bake, uint32_t triangle, const struct bake_corner *corner,
                       float out[3])
{
    const struct surface_hit hit = look_hit(bake->map, triangle, corner->weights);
    look_light(bake->map, &bake->tone, &hit, out);
    for (int k = 0; k < 3; k++)
        out[k] = roundf(out[k] * (float)LIGHT_STEPS) / (float)LIGHT_STEPS;
}
