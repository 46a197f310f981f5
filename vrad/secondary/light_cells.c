#include "vrad/secondary/light_cells.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/secondary/secondary_lanes.h"

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
