#include "vrad/secondary/next_event.h"

#include <float.h>

#include "common/core/random.h"
#include "vrad/secondary/secondary_lanes.h"

/* Next-event estimation of secondary lights. The unoccluded contribution of a light (its gain)
 * needs no ray; a shadow ray tests visibility. A light with a gain of at least the worth of a ray
 * gets its own ray. The other lights are sampled systematically: their gains are summed in order,
 * and whenever the sum has grown by the worth of a ray, the current light gets a ray that is
 * weighted for all of that sum. The sum starts at a random offset, so that the errors of
 * neighbouring points are independent. Lights with a small bound for a whole cell are sampled in
 * the same way by their bounds, which avoids computing the gains of those that are skipped. */

/* Gain that is worth a ray, of 255, if the receiver has no own value. */
#define WORTH_A_RAY 0.2

/* Sum of bounds per sampled light, relative to the worth of a ray. */
#define DRAWN_STRIDE 1.0f

#define ALL_LANES ((1u << SECONDARY_LANES) - 1)

/* Shadow rays that are collected until the packet is full. */
struct ray_batch {
    struct trace_packet packet;
    const struct secondary_light *light[TRACE_PACKET];
    float weight[TRACE_PACKET]; /* factor of the light's contribution */
    int count, cast;            /* waiting; traced so far */
};

/* One evaluation at a receiver. */
struct light_job {
    const struct culled_lights *view;
    const struct next_event_receiver *to;
    struct secondary_point eye;
    float start[3];    /* origin of the rays */
    float ray_worth;   /* gain that is worth a ray */
    float to_next_ray; /* gain that is still to be summed before the next ray */
    struct ray_batch batch;
    float *out;
};

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds the contribution of a ray's light: form factor by the cosines at both ends and the
 * distance. */
static void add_light(const struct light_job *job, int lane)
{
    const struct secondary_light *light = job->batch.light[lane];
    float way[3];
    for (int k = 0; k < 3; k++)
        way[k] = light->center[k] - job->eye.point[k];
    float square = dot(way, way), ahead_of_light = -dot(way, light->normal);
    if (ahead_of_light <= 0)
        return;
    float factor = job->batch.weight[lane] * ahead_of_light / (square * square);
    for (int j = 0; j < job->to->axes; j++) {
        float along = dot(way, job->eye.axis[j]);
        for (int k = 0; k < 3 && along > 0; k++)
            job->out[3 * j + k] += factor * along * light->power[k];
    }
}

static void cast_batch(struct light_job *job)
{
    struct ray_batch *batch = &job->batch;
    uint32_t lanes = (uint32_t)((1u << batch->count) - 1);
    if (!lanes)
        return;
    const struct scene *scene = job->view->secondary->radiosity->scene;
    uint32_t seen = lanes & ~scene_blocked16(scene, &batch->packet, lanes);
    seen = scene_through_alpha16(scene, &batch->packet, seen, false);
    for (int i = 0; i < batch->count; i++)
        if (seen >> i & 1)
            add_light(job, i);
    batch->cast += batch->count;
    batch->count = 0;
}

/* Queues a ray to a random point of the inner quarter of the light, which softens its shadows; the
 * contribution is that of the centre. */
static void queue_ray(struct light_job *job, int number, float weight)
{
    const struct secondary_light *light = &job->view->secondary->lights[number];
    struct ray_batch *batch = &job->batch;
    uint64_t random = hash_pair(job->to->seed, (uint64_t)number);
    float across = (float)(uint32_t)random * 0x1p-33f - 0.25f;
    float along = (float)(random >> 32) * 0x1p-33f - 0.25f;
    int lane = batch->count++;
    batch->light[lane] = light;
    batch->weight[lane] = weight;
    for (int k = 0; k < 3; k++) {
        float target = light->center[k] + light->normal[k] * (float)SCENE_RAY_OFFSET +
                       light->half_side[0][k] * across + light->half_side[1][k] * along;
        batch->packet.origin[k][lane] = job->start[k];
        batch->packet.direction[k][lane] = target - job->start[k];
    }
    batch->packet.far[lane] = 1;
    if (batch->count == TRACE_PACKET)
        cast_batch(job);
}

/* Sums in the order of SIMD registers that are folded by halves. */
static float sum_of(const float values[SECONDARY_LANES])
{
    float sums[SECONDARY_LANES / 2];
    for (int i = 0; i < SECONDARY_LANES / 2; i++)
        sums[i] = values[i] + values[i + SECONDARY_LANES / 2];
    for (int i = 0; i < 4; i++)
        sums[i] += sums[i + 4];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/* `stands_for` is the light's share in the running sum: its gain, or more for a sampled light. */
static void weigh(struct light_job *job, int number, float gain, float stands_for)
{
    if (stands_for >= job->ray_worth) {
        queue_ray(job, number, stands_for / gain);
        return;
    }
    job->to_next_ray -= stands_for;
    if (gain > 0 && job->to_next_ray <= 0) {
        job->to_next_ray += job->ray_worth;
        queue_ray(job, number, job->ray_worth / gain);
    }
}

/* Evaluates the lights (bits) of a lane group. `numbers` are those of the lights; NULL: consecutive
 * from `first` on. Most groups as a whole are worth no ray, which the sum of their gains shows. */
static void weigh_lanes(struct light_job *job, const struct secondary_lanes *lanes, uint32_t lights,
                        int first, const int *numbers)
{
    float gain[SECONDARY_LANES];
    job->view->secondary->work->gains(lanes, &job->eye, gain);
    for (uint32_t out = ~lights & ALL_LANES; out; out &= out - 1)
        gain[__builtin_ctz(out)] = 0;
    float sum = sum_of(gain);
    if (sum < 0.99f * job->to_next_ray) {
        job->to_next_ray -= sum;
        return;
    }
    for (int i = 0; i < SECONDARY_LANES; i++)
        if (gain[i] > 0)
            weigh(job, numbers ? numbers[i] : first + i, gain[i], gain[i]);
}

static struct light_job job_begin(const struct culled_lights *view,
                                  const struct next_event_receiver *to, float *out)
{
    struct light_job job = {.view = view, .to = to, .out = out};
    job.ray_worth = (float)(to->min > 0 ? to->min : WORTH_A_RAY);
    job.to_next_ray = job.ray_worth * ((float)(hash_u64(to->seed + 1) >> 41) * 0x1p-23f);
    job.eye.axes = to->axes < SECONDARY_AXES ? to->axes : 0;
    for (int k = 0; k < 3; k++) {
        job.eye.point[k] = (float)to->position.e[k];
        job.start[k] = (float)to->start.e[k];
        for (int j = 0; j < to->axes; j++)
            job.eye.axis[j][k] = (float)to->axis[j].e[k];
    }
    return job;
}

int next_event_light(const struct culled_lights *view, const struct next_event_receiver *to,
                     float *out)
{
    if (!arrlen(view->parts))
        return 0;
    struct light_job job = job_begin(view, to, out);
    for (ptrdiff_t i = 0; i < arrlen(view->parts); i++) {
        const struct culled_lanes *part = &view->parts[i];
        weigh_lanes(&job, &view->secondary->lanes[part->lanes], part->lights,
                    part->lanes * SECONDARY_LANES, NULL);
    }
    cast_batch(&job);
    return job.batch.cast;
}

/* ---- sampling within a cell ---- */

static float gain_at(const struct light_job *job, const struct secondary_light *light)
{
    float way[3], square = 0, along = 0, facing = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = job->eye.point[k] - light->center[k];
        square += way[k] * way[k];
        along += way[k] * light->normal[k];
    }
    if (!secondary_is_sampled(square, along, light->near, light->reach))
        return 0;
    for (int j = 0; j < job->eye.axes; j++) {
        const float *axis = job->eye.axis[j];
        float cosine = -(way[0] * axis[0] + way[1] * axis[1] + way[2] * axis[2]);
        facing = cosine > facing ? cosine : facing;
    }
    if (!job->eye.axes)
        facing = sqrtf(square);
    return light->strength * along * facing / (square * square + FLT_MIN);
}

/* Samples lights at regular steps along the running sum of the bounds. A sampled light stands for
 * the step, scaled by the ratio of its gain to its bound. */
static void weigh_drawn(struct light_job *job, const struct light_cell *cell)
{
    float stride = DRAWN_STRIDE * job->ray_worth;
    float next = stride * ((float)(hash_u64(job->to->seed + 2) >> 41) * 0x1p-23f);
    int count = (int)arrlen(cell->drawn);
    float strides = (float)arrlen(cell->first);
    int i = 0;
    for (;;) {
        float at = next / LIGHT_CELL_STRIDE;
        if (!(at < strides)) /* before the conversion: a ray may be worth more than an int holds */
            return;
        int start = (int)at;
        i = cell->first[start] > i ? cell->first[start] : i;
        while (i < count && cell->up_to[i] <= next)
            i++;
        if (i == count)
            return;
        float bound = cell->up_to[i] - (i ? cell->up_to[i - 1] : 0), stands_for = 0;
        for (; next < cell->up_to[i]; next += stride)
            stands_for += stride;
        float gain = gain_at(job, &job->view->secondary->lights[cell->drawn[i]]);
        if (gain > 0)
            weigh(job, cell->drawn[i], gain, stands_for * gain / bound);
    }
}

int next_event_cell_light(const struct culled_lights *view, const struct light_cell *cell,
                          const struct next_event_receiver *to, float *out)
{
    if (!arrlen(cell->sure) && !arrlen(cell->drawn))
        return 0;
    struct light_job job = job_begin(view, to, out);
    for (ptrdiff_t i = 0; i < arrlen(cell->sure); i++)
        weigh_lanes(&job, &cell->sure[i], ALL_LANES, 0, &cell->sure_lights[i * SECONDARY_LANES]);
    weigh_drawn(&job, cell);
    cast_batch(&job);
    return job.batch.cast;
}
