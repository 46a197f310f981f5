/* The light of hot spots at a point. */
#include <float.h>
#include <math.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "vrad/secondary/hot_cells.h"
#include "vrad/secondary/hot_lanes.h"

/* What a ray is worth, of 255, if the receiver does not say. */
#define WORTH_A_RAY 0.2

/* How much of the bounds a drawn spot stands for, in what a ray is worth. */
#define DRAWN_STRIDE 1.0f

#define ALL_LANES ((1u << HOT_LANES) - 1)

/* ---- rays that meet a spot by chance ---- */

static bool is_listed(const struct hot_view *view, int spot)
{
    ptrdiff_t low = 0, high = arrlen(view->parts);
    int lanes = spot / HOT_LANES;
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (view->parts[middle].lanes < lanes)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arrlen(view->parts) && view->parts[low].lanes == lanes &&
           view->parts[low].spots >> spot % HOT_LANES & 1;
}

static bool is_aimed_at(const struct hot_spot *spot, struct vec3 point)
{
    float square = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        float way = (float)point.e[k] - spot->center[k];
        square += way * way;
        along += way * spot->normal[k];
    }
    return hot_is_aimed(square, along, spot->near, spot->reach);
}

const float *hot_excess_of(const struct hot_view *view, size_t seen, struct vec3 point)
{
    const struct hot_luxel *luxel = hot_luxel_at(view->hot, seen);
    bool aimed = is_aimed_at(&view->hot->spots[luxel->spot], point) && is_listed(view, luxel->spot);
    return aimed ? luxel->excess : NULL;
}

/* ---- rays that are aimed ---- */

struct shots {
    struct trace_packet packet;
    const struct hot_spot *spot[TRACE_PACKET];
    float weight[TRACE_PACKET];
    int count, rays;
};

/* A receiver at work. */
struct taking {
    const struct hot_view *view;
    const struct hot_receiver *to;
    struct hot_eye eye;
    float start[3];   /* of the rays */
    float least, due; /* light that a ray is worth; what is still to go by without one */
    struct shots shots;
    float *out;
};

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void receive(const struct taking *taking, int lane)
{
    const struct hot_receiver *to = taking->to;
    const struct hot_spot *spot = taking->shots.spot[lane];
    float way[3];
    for (int k = 0; k < 3; k++)
        way[k] = spot->center[k] - taking->eye.point[k];
    float square = dot(way, way), there = -dot(way, spot->normal);
    if (there <= 0)
        return;
    float factor = taking->shots.weight[lane] * there / (square * square);
    for (int j = 0; j < to->axes; j++) {
        float along = dot(way, taking->eye.axis[j]);
        for (int k = 0; k < 3 && along > 0; k++)
            taking->out[3 * j + k] += factor * along * spot->power[k];
    }
}

static void shoot(struct taking *taking)
{
    struct shots *shots = &taking->shots;
    uint32_t lanes = (uint32_t)((1u << shots->count) - 1);
    if (!lanes)
        return;
    const struct scene *scene = taking->view->hot->radiosity->scene;
    uint32_t seen = lanes & ~scene_blocked16(scene, &shots->packet, lanes);
    seen = scene_through16(scene, &shots->packet, seen, false);
    for (int i = 0; i < shots->count; i++)
        if (seen >> i & 1)
            receive(taking, i);
    shots->rays += shots->count;
    shots->count = 0;
}

/* The ray goes to a random place of the inner quarter of the spot, lest its shadows are sharp; how
 * much light comes is that of the middle. */
static void aim(struct taking *taking, int number, float weight)
{
    const struct hot_spot *spot = &taking->view->hot->spots[number];
    struct shots *shots = &taking->shots;
    uint64_t random = hash_pair(taking->to->seed, (uint64_t)number);
    float across = (float)(uint32_t)random * 0x1p-33f - 0.25f;
    float along = (float)(random >> 32) * 0x1p-33f - 0.25f;
    int lane = shots->count++;
    shots->spot[lane] = spot;
    shots->weight[lane] = weight;
    for (int k = 0; k < 3; k++) {
        float target = spot->center[k] + spot->normal[k] * (float)SCENE_RAY_OFFSET +
                       spot->half_side[0][k] * across + spot->half_side[1][k] * along;
        shots->packet.origin[k][lane] = taking->start[k];
        shots->packet.direction[k][lane] = target - taking->start[k];
    }
    shots->packet.far[lane] = 1;
    if (shots->count == TRACE_PACKET)
        shoot(taking);
}

static float sum_of(const float values[HOT_LANES])
{
    float sums[HOT_LANES / 2];
    for (int i = 0; i < HOT_LANES / 2; i++)
        sums[i] = values[i] + values[i + HOT_LANES / 2];
    for (int i = 0; i < 4; i++)
        sums[i] += sums[i + 4];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/* Spots that give less than a ray is worth get one each time that they have given as much together,
 * for all of it. A spot that was drawn stands for more than it gives itself. */
static void take(struct taking *taking, int number, float gain, float stands_for)
{
    if (stands_for >= taking->least) {
        aim(taking, number, stands_for / gain);
        return;
    }
    taking->due -= stands_for;
    if (gain > 0 && taking->due <= 0) {
        taking->due += taking->least;
        aim(taking, number, taking->least / gain);
    }
}

/* `numbers`: of the spots; NULL: they follow each other from `first` on. */
static void take_lanes(struct taking *taking, const struct hot_lanes *lanes, uint32_t spots,
                       int first, const int *numbers)
{
    float gain[HOT_LANES];
    taking->view->hot->work->gains(lanes, &taking->eye, gain);
    for (uint32_t out = ~spots & ALL_LANES; out; out &= out - 1)
        gain[__builtin_ctz(out)] = 0;
    float sum = sum_of(gain);
    if (sum < 0.99f * taking->due) {
        taking->due -= sum;
        return;
    }
    for (int i = 0; i < HOT_LANES; i++)
        if (gain[i] > 0)
            take(taking, numbers ? numbers[i] : first + i, gain[i], gain[i]);
}

static struct taking begin(const struct hot_view *view, const struct hot_receiver *to, float *out)
{
    struct taking taking = {.view = view, .to = to, .out = out};
    taking.least = (float)(to->least > 0 ? to->least : WORTH_A_RAY);
    taking.due = taking.least * ((float)(hash_u64(to->seed + 1) >> 41) * 0x1p-23f);
    taking.eye.axes = to->axes < HOT_AXES ? to->axes : 0;
    for (int k = 0; k < 3; k++) {
        taking.eye.point[k] = (float)to->position.e[k];
        taking.start[k] = (float)to->start.e[k];
        for (int j = 0; j < to->axes; j++)
            taking.eye.axis[j][k] = (float)to->axis[j].e[k];
    }
    return taking;
}

int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out)
{
    if (!arrlen(view->parts))
        return 0;
    struct taking taking = begin(view, to, out);
    for (ptrdiff_t i = 0; i < arrlen(view->parts); i++) {
        const struct hot_part *part = &view->parts[i];
        take_lanes(&taking, &view->hot->lanes[part->lanes], part->spots, part->lanes * HOT_LANES,
                   NULL);
    }
    shoot(&taking);
    return taking.shots.rays;
}

/* ---- rays from the points of a cell ---- */

static float gain_at(const struct taking *taking, const struct hot_spot *spot)
{
    float way[3], square = 0, along = 0, facing = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = taking->eye.point[k] - spot->center[k];
        square += way[k] * way[k];
        along += way[k] * spot->normal[k];
    }
    if (!hot_is_aimed(square, along, spot->near, spot->reach))
        return 0;
    for (int j = 0; j < taking->eye.axes; j++) {
        const float *axis = taking->eye.axis[j];
        float cosine = -(way[0] * axis[0] + way[1] * axis[1] + way[2] * axis[2]);
        facing = cosine > facing ? cosine : facing;
    }
    if (!taking->eye.axes)
        facing = sqrtf(square);
    return spot->strength * along * facing / (square * square + FLT_MIN);
}

/* Every so often along the sum of the bounds lies a spot that is drawn. It stands for as much of
 * that sum, in the measure in which it gives what its bound says. */
static void take_drawn(struct taking *taking, const struct hot_cell *cell)
{
    float stride = DRAWN_STRIDE * taking->least;
    float next = stride * ((float)(hash_u64(taking->to->seed + 2) >> 41) * 0x1p-23f);
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
        float gain = gain_at(taking, &taking->view->hot->spots[cell->drawn[i]]);
        if (gain > 0)
            take(taking, cell->drawn[i], gain, stands_for * gain / bound);
    }
}

int hot_cell_light(const struct hot_view *view, const struct hot_cell *cell,
                   const struct hot_receiver *to, float *out)
{
    if (!arrlen(cell->sure) && !arrlen(cell->drawn))
        return 0;
    struct taking taking = begin(view, to, out);
    for (ptrdiff_t i = 0; i < arrlen(cell->sure); i++)
        take_lanes(&taking, &cell->sure[i], ALL_LANES, 0, &cell->sure_spots[i * HOT_LANES]);
    take_drawn(&taking, cell);
    shoot(&taking);
    return taking.shots.rays;
}
