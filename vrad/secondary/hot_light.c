#include "vrad/secondary/hot_light.h"

#include <float.h>

#include "common/core/random.h"
#include "vrad/secondary/hot_lanes.h"

/* The light of secondary lights, by next-event estimation: what a spot gives if nothing is in the
 * way (its gain) is known without a ray, and a ray tells whether anything is. A spot that gives as
 * much as a ray is worth gets its own. Of the others the gains are summed in a row, and whenever
 * the sum has grown by the worth of a ray, the spot at which it has gets one that stands for all of
 * that: systematic sampling, which starts at a random place lest points agree in what they miss.
 * Spots with a small bound for a whole cell are drawn in the same way by their bounds, which costs
 * no gain of those that are passed over. */

/* What a ray is worth, of 255, if the receiver does not say. */
#define WORTH_A_RAY 0.2

/* How much of the bounds a drawn spot stands for, in what a ray is worth. */
#define DRAWN_STRIDE 1.0f

#define ALL_LANES ((1u << HOT_LANES) - 1)

/* Rays to spots that wait for company. */
struct ray_batch {
    struct trace_packet packet;
    const struct hot_spot *spot[TRACE_PACKET];
    float weight[TRACE_PACKET]; /* how many times its light the spot stands for */
    int count, cast;            /* that wait; that were cast */
};

/* The light of a receiver. */
struct light_job {
    const struct hot_view *view;
    const struct hot_receiver *to;
    struct hot_eye eye;
    float start[3];    /* of the rays */
    float ray_worth;   /* light that a ray is worth */
    float to_next_ray; /* light that is still to be summed before the next ray */
    struct ray_batch batch;
    float *out;
};

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds what the spot of a ray gives, by the cosines at both ends and the distance between. */
static void add_light(const struct light_job *job, int lane)
{
    const struct hot_spot *spot = job->batch.spot[lane];
    float way[3];
    for (int k = 0; k < 3; k++)
        way[k] = spot->center[k] - job->eye.point[k];
    float square = dot(way, way), ahead_of_spot = -dot(way, spot->normal);
    if (ahead_of_spot <= 0)
        return;
    float factor = job->batch.weight[lane] * ahead_of_spot / (square * square);
    for (int j = 0; j < job->to->axes; j++) {
        float along = dot(way, job->eye.axis[j]);
        for (int k = 0; k < 3 && along > 0; k++)
            job->out[3 * j + k] += factor * along * spot->power[k];
    }
}

static void cast_batch(struct light_job *job)
{
    struct ray_batch *batch = &job->batch;
    uint32_t lanes = (uint32_t)((1u << batch->count) - 1);
    if (!lanes)
        return;
    const struct scene *scene = job->view->hot->radiosity->scene;
    uint32_t seen = lanes & ~scene_blocked16(scene, &batch->packet, lanes);
    seen = scene_through16(scene, &batch->packet, seen, false);
    for (int i = 0; i < batch->count; i++)
        if (seen >> i & 1)
            add_light(job, i);
    batch->cast += batch->count;
    batch->count = 0;
}

/* Aims a ray at a random place of the inner quarter of the spot, lest its shadows are sharp; how
 * much light comes is that of the middle. */
static void aim_ray(struct light_job *job, int number, float weight)
{
    const struct hot_spot *spot = &job->view->hot->spots[number];
    struct ray_batch *batch = &job->batch;
    uint64_t random = hash_pair(job->to->seed, (uint64_t)number);
    float across = (float)(uint32_t)random * 0x1p-33f - 0.25f;
    float along = (float)(random >> 32) * 0x1p-33f - 0.25f;
    int lane = batch->count++;
    batch->spot[lane] = spot;
    batch->weight[lane] = weight;
    for (int k = 0; k < 3; k++) {
        float target = spot->center[k] + spot->normal[k] * (float)SCENE_RAY_OFFSET +
                       spot->half_side[0][k] * across + spot->half_side[1][k] * along;
        batch->packet.origin[k][lane] = job->start[k];
        batch->packet.direction[k][lane] = target - job->start[k];
    }
    batch->packet.far[lane] = 1;
    if (batch->count == TRACE_PACKET)
        cast_batch(job);
}

/* In the order in which wide registers are summed by halves. */
static float sum_of(const float values[HOT_LANES])
{
    float sums[HOT_LANES / 2];
    for (int i = 0; i < HOT_LANES / 2; i++)
        sums[i] = values[i] + values[i + HOT_LANES / 2];
    for (int i = 0; i < 4; i++)
        sums[i] += sums[i + 4];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/* `stands_for` is the light that the spot counts for in the sum: its gain, or, of a spot that was
 * drawn, more. */
static void weigh(struct light_job *job, int number, float gain, float stands_for)
{
    if (stands_for >= job->ray_worth) {
        aim_ray(job, number, stands_for / gain);
        return;
    }
    job->to_next_ray -= stands_for;
    if (gain > 0 && job->to_next_ray <= 0) {
        job->to_next_ray += job->ray_worth;
        aim_ray(job, number, job->ray_worth / gain);
    }
}

/* Weighs the spots (bits) of lanes. `numbers`: of the spots; NULL: they follow each other from
 * `first` on. Most lanes together give too little for a ray: the sum of their gains tells at once.
 */
static void weigh_lanes(struct light_job *job, const struct hot_lanes *lanes, uint32_t spots,
                        int first, const int *numbers)
{
    float gain[HOT_LANES];
    job->view->hot->work->gains(lanes, &job->eye, gain);
    for (uint32_t out = ~spots & ALL_LANES; out; out &= out - 1)
        gain[__builtin_ctz(out)] = 0;
    float sum = sum_of(gain);
    if (sum < 0.99f * job->to_next_ray) {
        job->to_next_ray -= sum;
        return;
    }
    for (int i = 0; i < HOT_LANES; i++)
        if (gain[i] > 0)
            weigh(job, numbers ? numbers[i] : first + i, gain[i], gain[i]);
}

static struct light_job job_begin(const struct hot_view *view, const struct hot_receiver *to,
                                  float *out)
{
    struct light_job job = {.view = view, .to = to, .out = out};
    job.ray_worth = (float)(to->min > 0 ? to->min : WORTH_A_RAY);
    job.to_next_ray = job.ray_worth * ((float)(hash_u64(to->seed + 1) >> 41) * 0x1p-23f);
    job.eye.axes = to->axes < HOT_AXES ? to->axes : 0;
    for (int k = 0; k < 3; k++) {
        job.eye.point[k] = (float)to->position.e[k];
        job.start[k] = (float)to->start.e[k];
        for (int j = 0; j < to->axes; j++)
            job.eye.axis[j][k] = (float)to->axis[j].e[k];
    }
    return job;
}

int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out)
{
    if (!arrlen(view->parts))
        return 0;
    struct light_job job = job_begin(view, to, out);
    for (ptrdiff_t i = 0; i < arrlen(view->parts); i++) {
        const struct hot_part *part = &view->parts[i];
        weigh_lanes(&job, &view->hot->lanes[part->lanes], part->spots, part->lanes * HOT_LANES,
                    NULL);
    }
    cast_batch(&job);
    return job.batch.cast;
}

/* ---- rays from the points of a cell ---- */

static float gain_at(const struct light_job *job, const struct hot_spot *spot)
{
    float way[3], square = 0, along = 0, facing = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = job->eye.point[k] - spot->center[k];
        square += way[k] * way[k];
        along += way[k] * spot->normal[k];
    }
    if (!hot_is_aimed(square, along, spot->near, spot->reach))
        return 0;
    for (int j = 0; j < job->eye.axes; j++) {
        const float *axis = job->eye.axis[j];
        float cosine = -(way[0] * axis[0] + way[1] * axis[1] + way[2] * axis[2]);
        facing = cosine > facing ? cosine : facing;
    }
    if (!job->eye.axes)
        facing = sqrtf(square);
    return spot->strength * along * facing / (square * square + FLT_MIN);
}

/* Every so often along the sum of the bounds lies a spot that is drawn. It stands for as much of
 * that sum, in the measure in which it gives what its bound says. */
static void weigh_drawn(struct light_job *job, const struct hot_cell *cell)
{
    float stride = DRAWN_STRIDE * job->ray_worth;
    float next = stride * ((float)(hash_u64(job->to->seed + 2) >> 41) * 0x1p-23f);
    int count = (int)arrlen(cell->drawn), strides = (int)arrlen(cell->first);
    int i = 0;
    for (;;) {
        int start = (int)(next / HOT_STRIDE);
        if (start >= strides)
            return;
        i = cell->first[start] > i ? cell->first[start] : i;
        while (i < count && cell->up_to[i] <= next)
            i++;
        if (i == count)
            return;
        float bound = cell->up_to[i] - (i ? cell->up_to[i - 1] : 0), stands_for = 0;
        for (; next < cell->up_to[i]; next += stride)
            stands_for += stride;
        float gain = gain_at(job, &job->view->hot->spots[cell->drawn[i]]);
        if (gain > 0)
            weigh(job, cell->drawn[i], gain, stands_for * gain / bound);
    }
}

int hot_cell_light(const struct hot_view *view, const struct hot_cell *cell,
                   const struct hot_receiver *to, float *out)
{
    if (!arrlen(cell->sure) && !arrlen(cell->drawn))
        return 0;
    struct light_job job = job_begin(view, to, out);
    for (ptrdiff_t i = 0; i < arrlen(cell->sure); i++)
        weigh_lanes(&job, &cell->sure[i], ALL_LANES, 0, &cell->sure_spots[i * HOT_LANES]);
    weigh_drawn(&job, cell);
    cast_batch(&job);
    return job.batch.cast;
}
