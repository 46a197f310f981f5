/* The light of hot spots at a point. */
#include <float.h>
#include <math.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "vrad/hot_spots.h"

/* What a ray is worth, of 255, if the receiver does not say. */
#define WORTH_A_RAY 0.2

#define PI 3.14159265358979324

static const uint32_t lane_bits[HOT_LANES] = {
    1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15};

/* What a spot gives straight ahead; 0 when it is a surface like others. */
static inline float gain_of(float square, float along, float strength, float near, float reach)
{
    float gain = strength * along / (square * sqrtf(square));
    bool aimed = along > 0 && square > near && gain * reach > strength;
    return aimed ? gain : 0;
}

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

static bool is_aimed_at(const struct hot_spots *hot, int spot, struct vec3 point)
{
    const struct hot_lanes *lanes = &hot->lanes[spot / HOT_LANES];
    int i = spot % HOT_LANES;
    float square = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        float way = (float)point.e[k] - lanes->center[k][i];
        square += way * way;
        along += way * lanes->normal[k][i];
    }
    return gain_of(square, along, lanes->strength[i], lanes->near[i], lanes->reach[i]) > 0;
}

const float *hot_excess(const struct hot_view *view, size_t seen, struct vec3 point)
{
    int32_t number = view->hot->luxel_of ? view->hot->luxel_of[seen] : -1;
    if (number < 0)
        return NULL;
    const struct hot_luxel *luxel = &view->hot->luxels[number];
    bool aimed = is_aimed_at(view->hot, luxel->spot, point) && is_listed(view, luxel->spot);
    return aimed ? luxel->excess : NULL;
}

/* ---- rays that are aimed ---- */

struct shots {
    struct trace_packet packet;
    const struct hot_spot *spot[TRACE_PACKET];
    struct vec3 way[TRACE_PACKET];
    double weight[TRACE_PACKET];
    int count, rays;
};

/* A receiver at work, in single precision. */
struct taking {
    const struct hot_view *view;
    const struct hot_receiver *to;
    float point[3], axis[HOT_AXES][3];
    int axes;         /* by whose cosine spots are weighed; 0: they count as straight ahead */
    float least, due; /* light that a ray is worth; what is still to go by without one */
    struct shots shots;
    float *out;
};

static void receive(const struct hot_receiver *to, const struct shots *shots, int lane, float *out)
{
    const struct hot_spot *spot = shots->spot[lane];
    struct vec3 way = shots->way[lane];
    double square = vec3_dot(way, way), there = -vec3_dot(way, spot->normal);
    if (there <= 0)
        return;
    double factor = shots->weight[lane] * there / (PI * square * square);
    for (int j = 0; j < to->axes; j++) {
        double along = vec3_dot(way, to->axis[j]);
        for (int k = 0; k < 3 && along > 0; k++)
            out[3 * j + k] += (float)(factor * along * spot->power[k]);
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
            receive(taking->to, shots, i, taking->out);
    shots->rays += shots->count;
    shots->count = 0;
}

/* The ray goes to a random place of the inner quarter of the spot, lest its shadows are sharp; how
 * much light comes is that of the middle. */
static void aim(struct taking *taking, int number, double weight)
{
    const struct hot_receiver *to = taking->to;
    const struct hot_spot *spot = &taking->view->hot->spots[number];
    struct shots *shots = &taking->shots;
    uint64_t random = hash_pair(to->seed, (uint64_t)number);
    struct vec3 target = vec3_mad(spot->center, spot->normal, SCENE_RAY_OFFSET);
    target = vec3_mad(target, spot->half_side[0], (double)(uint32_t)random * 0x1p-33 - 0.25);
    target = vec3_mad(target, spot->half_side[1], (double)(random >> 32) * 0x1p-33 - 0.25);
    int lane = shots->count++;
    shots->spot[lane] = spot;
    shots->weight[lane] = weight;
    shots->way[lane] = vec3_sub(spot->center, to->position);
    for (int k = 0; k < 3; k++) {
        shots->packet.origin[k][lane] = (float)to->start.e[k];
        shots->packet.direction[k][lane] = (float)(target.e[k] - to->start.e[k]);
    }
    shots->packet.far[lane] = 1;
    if (shots->count == TRACE_PACKET)
        shoot(taking);
}

/* The greatest cosine with the axes, times the distance; 0 where the point looks away from all. */
static void face_lanes(const struct taking *taking, const float way[3][HOT_LANES],
                       float facing[HOT_LANES])
{
    for (int i = 0; i < HOT_LANES; i++)
        facing[i] = 0;
    for (int j = 0; j < taking->axes; j++) {
        const float x = taking->axis[j][0], y = taking->axis[j][1], z = taking->axis[j][2];
        for (int i = 0; i < HOT_LANES; i++) {
            float along = -(way[0][i] * x + way[1][i] * y + way[2][i] * z), best = facing[i];
            facing[i] = along > best ? along : best;
        }
    }
}

/* What each of the spots would give if nothing were in the way: the greatest of the axes. */
static void gains_of(const struct taking *taking, const struct hot_lanes *lanes, uint32_t spots,
                     float gain[HOT_LANES])
{
    float way[3][HOT_LANES], square[HOT_LANES], facing[HOT_LANES];
    for (int i = 0; i < HOT_LANES; i++) {
        for (int k = 0; k < 3; k++)
            way[k][i] = taking->point[k] - lanes->center[k][i];
        square[i] = way[0][i] * way[0][i] + way[1][i] * way[1][i] + way[2][i] * way[2][i];
        float along = way[0][i] * lanes->normal[0][i] + way[1][i] * lanes->normal[1][i] +
                      way[2][i] * lanes->normal[2][i];
        gain[i] = gain_of(square[i], along, lanes->strength[i], lanes->near[i], lanes->reach[i]);
    }
    if (taking->axes) {
        face_lanes(taking, (const float(*)[HOT_LANES])way, facing);
        for (int i = 0; i < HOT_LANES; i++)
            gain[i] *= facing[i] / sqrtf(square[i] + FLT_MIN);
    }
    for (int i = 0; i < HOT_LANES; i++)
        gain[i] = spots & lane_bits[i] ? gain[i] : 0;
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
 * for all of it. */
static void take_part(struct taking *taking, const struct hot_part *part)
{
    float gain[HOT_LANES];
    gains_of(taking, &taking->view->hot->lanes[part->lanes], part->spots, gain);
    float sum = sum_of(gain);
    if (sum < 0.99f * taking->due) {
        taking->due -= sum;
        return;
    }
    for (int i = 0; i < HOT_LANES; i++) {
        int number = part->lanes * HOT_LANES + i;
        if (gain[i] >= taking->least) {
            aim(taking, number, 1);
            continue;
        }
        taking->due -= gain[i];
        if (gain[i] > 0 && taking->due <= 0) {
            taking->due += taking->least;
            aim(taking, number, (double)taking->least / (double)gain[i]);
        }
    }
}

int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out)
{
    if (!arrlen(view->parts))
        return 0;
    struct taking taking = {.view = view, .to = to, .out = out};
    taking.least = (float)(to->least > 0 ? to->least : WORTH_A_RAY);
    taking.due = taking.least * ((float)(hash_u64(to->seed + 1) >> 41) * 0x1p-23f);
    taking.axes = to->axes < HOT_AXES ? to->axes : 0;
    for (int k = 0; k < 3; k++) {
        taking.point[k] = (float)to->position.e[k];
        for (int j = 0; j < taking.axes; j++)
            taking.axis[j][k] = (float)to->axis[j].e[k];
    }
    for (ptrdiff_t i = 0; i < arrlen(view->parts); i++)
        take_part(&taking, &view->parts[i]);
    shoot(&taking);
    return taking.shots.rays;
}
