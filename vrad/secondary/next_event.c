#include "vrad/secondary/next_event.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "vrad/secondary/secondary_lanes.h"

/* Of 255. */
#define LIGHT_CELL_STRIDE 0.3f

/* --- culled lights --- */

/* One bit per face with secondary lights: any of the clusters sees it. The caller frees it. */
static uint64_t *seen_from(const struct secondary_lights *secondary, const int *clusters, int count)
{
    size_t words = secondary_words(secondary);
    uint64_t *seen = memory_zalloc(words, sizeof *seen);
    if (!secondary->visible || !count)
        memset(seen, 0xff, words * sizeof *seen);
    for (int i = 0; secondary->visible && i < count; i++)
        for (size_t w = 0; clusters[i] >= 0 && w < words; w++)
            seen[w] |= secondary->visible[(size_t)clusters[i] * words + w];
    return seen;
}

static bool overlaps(const struct secondary_face *face, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++)
        if (face->mins[k] > maxs[k] || face->maxs[k] < mins[k])
            return false;
    return true;
}

/* Collects the lights of a lane group before it is tested: consecutive faces may share one. */
struct cull_job {
    float mins[3], maxs[3];
    struct culled_lanes pending;
    struct culled_lights *out;
};

static void add_pending(struct cull_job *job)
{
    const struct secondary_lights *secondary = job->out->secondary;
    struct culled_lanes part = job->pending;
    if (part.lights)
        part.lights &= secondary->work->near(&secondary->lanes[part.lanes], job->mins, job->maxs);
    if (part.lights)
        arrput(job->out->parts, part);
}

static void add_face(struct cull_job *job, const struct secondary_face *face)
{
    for (int lanes = face->first / SECONDARY_LANES; lanes * SECONDARY_LANES < face->end; lanes++) {
        int from = face->first - lanes * SECONDARY_LANES, to = face->end - lanes * SECONDARY_LANES;
        uint32_t lights = to < SECONDARY_LANES ? (1u << to) - 1 : 0xffff;
        lights &= from > 0 ? ~((1u << from) - 1) : 0xffff;
        if (lanes != job->pending.lanes) {
            add_pending(job);
            job->pending = (struct culled_lanes){lanes, 0};
        }
        job->pending.lights |= lights;
    }
}

void culled_lights_of_box(const struct secondary_lights *secondary, const struct bounds *box,
                          const int *clusters, int cluster_count, struct culled_lights *out)
{
    *out = (struct culled_lights){secondary, NULL};
    if (!arrlen(secondary->faces))
        return;
    uint64_t *seen = seen_from(secondary, clusters, cluster_count);
    struct cull_job job = {.pending = {-1, 0}, .out = out};
    for (int k = 0; k < 3; k++) {
        job.mins[k] = (float)box->mins.e[k];
        job.maxs[k] = (float)box->maxs.e[k];
    }
    for (size_t w = 0; w < secondary_words(secondary); w++) {
        for (uint64_t left = seen[w]; left; left &= left - 1) {
            size_t number = 64 * w + (size_t)__builtin_ctzll(left);
            if (number < arrlenu(secondary->faces) &&
                overlaps(&secondary->faces[number], job.mins, job.maxs))
                add_face(&job, &secondary->faces[number]);
        }
    }
    add_pending(&job);
    memory_free(seen);
}

void culled_lights_of_face(const struct secondary_lights *secondary, int f,
                           struct culled_lights *out)
{
    const struct face_light *face = &secondary->radiosity->map->faces[f];
    struct bounds box = bounds_empty();
    for (int i = 0; i < face->count; i++)
        bounds_add_point(&box, luxel_position(face, i));
    culled_lights_of_box(secondary, &box, face->clusters, (int)arrlen(face->clusters), out);
}

void culled_lights_free(struct culled_lights *view)
{
    arrfree(view->parts);
}

/* ---- rays that hit a secondary light ---- */

static bool is_listed(const struct culled_lights *view, int light)
{
    ptrdiff_t low = 0, high = arrlen(view->parts);
    int lanes = light / SECONDARY_LANES;
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (view->parts[middle].lanes < lanes)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arrlen(view->parts) && view->parts[low].lanes == lanes &&
           view->parts[low].lights >> light % SECONDARY_LANES & 1;
}

static bool is_sampled_from(const struct secondary_light *light, struct vec3 point)
{
    float square = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        float way = (float)point.e[k] - light->center[k];
        square += way * way;
        along += way * light->normal[k];
    }
    return secondary_is_sampled(square, along, light->near, light->reach);
}

const float *secondary_residual_of(const struct culled_lights *view, size_t seen, struct vec3 point)
{
    const struct secondary_luxel *luxel = secondary_luxel_at(view->secondary, seen);
    bool sampled = is_sampled_from(&view->secondary->lights[luxel->light], point) &&
                   is_listed(view, luxel->light);
    return sampled ? luxel->residual : NULL;
}

/* --- light cells --- */

/* Side of a cell, in units. */
#define CELL_SIDE 256.0

/* Lights with a bound below this are sampled; with a higher limit sampling costs more than it
 * saves. */
#define MAX_DRAWN (0.1f * LIGHT_CELL_STRIDE)

static void set_lane(struct secondary_lanes *lanes, size_t lane,
                     const struct secondary_light *light)
{
    for (int k = 0; k < 3; k++) {
        lanes->center[k][lane] = light->center[k];
        lanes->normal[k][lane] = light->normal[k];
    }
    lanes->strength[lane] = light->strength;
    lanes->near[lane] = light->near;
    lanes->reach[lane] = light->reach;
}

/* Unused lanes repeat the first light with strength 0. */
static void pack_sure(const struct secondary_lights *secondary, struct light_cell *cell)
{
    size_t count = arrlenu(cell->sure_lights),
           blocks = (count + SECONDARY_LANES - 1) / SECONDARY_LANES;
    arrsetlen(cell->sure, blocks);
    for (size_t i = 0; i < blocks * SECONDARY_LANES; i++) {
        struct secondary_lanes *lanes = &cell->sure[i / SECONDARY_LANES];
        set_lane(lanes, i % SECONDARY_LANES,
                 &secondary->lights[cell->sure_lights[i < count ? i : 0]]);
        if (i >= count)
            lanes->strength[i % SECONDARY_LANES] = 0;
    }
}

/* A cell under construction: its arrays have room for all lights. */
struct filling {
    struct light_cell *cell;
    int sure, drawn;
    float sum;
};

static void add_part(struct filling *to, const struct culled_lanes *part,
                     const float bound[SECONDARY_LANES])
{
    for (uint32_t left = part->lights; left; left &= left - 1) {
        int lane = __builtin_ctz(left), light = part->lanes * SECONDARY_LANES + lane;
        if (bound[lane] >= MAX_DRAWN) {
            to->cell->sure_lights[to->sure++] = light;
        } else if (bound[lane] > 0) {
            to->sum += bound[lane];
            to->cell->drawn[to->drawn] = light;
            to->cell->up_to[to->drawn++] = to->sum;
        }
    }
}

static void find_strides(struct light_cell *cell)
{
    for (int i = 0; i < (int)arrlen(cell->up_to); i++)
        while (LIGHT_CELL_STRIDE * (float)arrlen(cell->first) < cell->up_to[i])
            arrput(cell->first, i);
}

static void fill(const struct culled_lights *view, const struct secondary_box *extent,
                 struct light_cell *cell)
{
    const struct secondary_lights *secondary = view->secondary;
    struct filling filling = {.cell = cell};
    size_t room = arrlenu(view->parts) * SECONDARY_LANES;
    arrsetlen(cell->sure_lights, room);
    arrsetlen(cell->drawn, room);
    arrsetlen(cell->up_to, room);
    for (ptrdiff_t i = 0; i < arrlen(view->parts); i++) {
        float bound[SECONDARY_LANES];
        secondary->work->bounds(&secondary->lanes[view->parts[i].lanes], extent, bound);
        add_part(&filling, &view->parts[i], bound);
    }
    arrsetlen(cell->sure_lights, filling.sure);
    arrsetlen(cell->drawn, filling.drawn);
    arrsetlen(cell->up_to, filling.drawn);
    pack_sure(secondary, cell);
    find_strides(cell);
}

/* ---- cells ---- */

static struct secondary_box extent_of(const struct light_cells *cells, int number)
{
    const struct face_light *face = &cells->view->secondary->radiosity->map->faces[cells->face];
    int left = number % cells->columns * cells->width,
        top = number / cells->columns * cells->height;
    int right = left + cells->width < face->width ? left + cells->width : face->width;
    int below = top + cells->height < face->height ? top + cells->height : face->height;
    struct luxel corner;
    const float *normal = luxel_normal(face, luxel_of(face, top * face->width + left, &corner));
    struct secondary_box out = {{FLT_MAX, FLT_MAX, FLT_MAX},
                                {-FLT_MAX, -FLT_MAX, -FLT_MAX},
                                {normal[0], normal[1], normal[2]},
                                face->slots == 1};
    for (int t = top; t < below; t++) {
        for (int s = left; s < right; s++) {
            struct luxel room;
            const struct luxel *luxel = luxel_of(face, t * face->width + s, &room);
            for (int k = 0; k < 3; k++) {
                out.mins[k] = portable_fminf(out.mins[k], luxel->position[k]);
                out.maxs[k] = portable_fmaxf(out.maxs[k], luxel->position[k]);
                out.flat = out.flat && luxel_normal(face, luxel)[k] == normal[k];
            }
        }
    }
    return out;
}

static int luxels_of_side(struct vec3 axis)
{
    double luxels = CELL_SIDE / portable_fmax(vec3_length(axis), 1);
    return luxels > 1 ? (int)luxels : 1;
}

void light_cells_open(const struct culled_lights *view, int face, struct light_cells *out)
{
    const struct face_light *light = &view->secondary->radiosity->map->faces[face];
    *out = (struct light_cells){
        view, face, 0, 0, luxels_of_side(light->axis[0]), luxels_of_side(light->axis[1]), NULL};
    out->columns = (light->width + out->width - 1) / out->width;
    out->rows = (light->height + out->height - 1) / out->height;
    out->cells = memory_zalloc((size_t)out->columns * (size_t)out->rows + 1, sizeof *out->cells);
}

void light_cells_free(struct light_cells *cells)
{
    for (int i = 0; i < cells->columns * cells->rows; i++) {
        struct light_cell *cell = &cells->cells[i];
        arrfree(cell->sure);
        arrfree(cell->sure_lights);
        arrfree(cell->drawn);
        arrfree(cell->up_to);
        arrfree(cell->first);
    }
    memory_free(cells->cells);
    *cells = (struct light_cells){0};
}

const struct light_cell *light_cells_at(struct light_cells *cells, int luxel)
{
    const struct culled_lights *view = cells->view;
    int width = view->secondary->radiosity->map->faces[cells->face].width;
    int column = luxel % width / cells->width, row = luxel / width / cells->height;
    int number = row * cells->columns + column;
    struct light_cell *cell = &cells->cells[number];
    if (cell->built)
        return cell;
    cell->built = true;
    const struct secondary_box extent = extent_of(cells, number);
    fill(view, &extent, cell);
    return cell;
}

/* Next-event estimation of secondary lights. The unoccluded contribution of a light (its gain)
 * needs no ray; a shadow ray tests visibility. A light with a gain of at least the worth of a ray
 * gets its own ray. The other lights are sampled systematically: their gains are summed in order,
 * and whenever the sum has grown by the worth of a ray, the current light gets a ray that is
 * weighted for all of that sum. The sum starts at a random offset, so that the errors of
 * neighbouring points are independent. Lights with a small bound for a whole cell are sampled in
 * the same way by their bounds, which avoids computing the gains of those that are skipped. */

/* --- estimation --- */

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
