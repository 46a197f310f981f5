#include "vrad/secondary/hot_cells.h"

#include <float.h>
#include <math.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/secondary/hot_lanes.h"

/* The side of a cell. */
#define CELL_SIDE 256.0

/* Spots whose bound is below this are drawn: more, and it takes less time to weigh them. */
#define MAX_DRAWN (0.1f * HOT_STRIDE)

static void set_lane(struct hot_lanes *lanes, size_t lane, const struct hot_spot *spot)
{
    for (int k = 0; k < 3; k++) {
        lanes->center[k][lane] = spot->center[k];
        lanes->normal[k][lane] = spot->normal[k];
    }
    lanes->strength[lane] = spot->strength;
    lanes->near[lane] = spot->near;
    lanes->reach[lane] = spot->reach;
}

/* The lanes that are left over hold the first spot again, of no strength. */
static void pack_sure(const struct hot_spots *hot, struct hot_cell *cell)
{
    size_t count = arrlenu(cell->sure_spots), blocks = (count + HOT_LANES - 1) / HOT_LANES;
    arrsetlen(cell->sure, blocks);
    for (size_t i = 0; i < blocks * HOT_LANES; i++) {
        struct hot_lanes *lanes = &cell->sure[i / HOT_LANES];
        set_lane(lanes, i % HOT_LANES, &hot->spots[cell->sure_spots[i < count ? i : 0]]);
        if (i >= count)
            lanes->strength[i % HOT_LANES] = 0;
    }
}

/* A cell in the making: its arrays have room for all. */
struct filling {
    struct hot_cell *cell;
    int sure, drawn;
    float sum;
};

static void add_part(struct filling *to, const struct hot_part *part, const float bound[HOT_LANES])
{
    for (uint32_t left = part->spots; left; left &= left - 1) {
        int lane = __builtin_ctz(left), spot = part->lanes * HOT_LANES + lane;
        if (bound[lane] >= MAX_DRAWN) {
            to->cell->sure_spots[to->sure++] = spot;
        } else if (bound[lane] > 0) {
            to->sum += bound[lane];
            to->cell->drawn[to->drawn] = spot;
            to->cell->up_to[to->drawn++] = to->sum;
        }
    }
}

static void find_strides(struct hot_cell *cell)
{
    for (int i = 0; i < (int)arrlen(cell->up_to); i++)
        while (HOT_STRIDE * (float)arrlen(cell->first) < cell->up_to[i])
            arrput(cell->first, i);
}

static void fill(const struct hot_view *view, const struct hot_extent *extent,
                 struct hot_cell *cell)
{
    const struct hot_spots *hot = view->hot;
    struct filling filling = {.cell = cell};
    size_t room = arrlenu(view->parts) * HOT_LANES;
    arrsetlen(cell->sure_spots, room);
    arrsetlen(cell->drawn, room);
    arrsetlen(cell->up_to, room);
    for (ptrdiff_t i = 0; i < arrlen(view->parts); i++) {
        float bound[HOT_LANES];
        hot->work->bounds(&hot->lanes[view->parts[i].lanes], extent, bound);
        add_part(&filling, &view->parts[i], bound);
    }
    arrsetlen(cell->sure_spots, filling.sure);
    arrsetlen(cell->drawn, filling.drawn);
    arrsetlen(cell->up_to, filling.drawn);
    pack_sure(hot, cell);
    find_strides(cell);
}

/* ---- cells ---- */

static struct hot_extent extent_of(const struct hot_cells *cells, int number)
{
    const struct face_light *face = &cells->view->hot->radiosity->map->faces[cells->face];
    int left = number % cells->columns * cells->width,
        top = number / cells->columns * cells->height;
    int right = left + cells->width < face->width ? left + cells->width : face->width;
    int below = top + cells->height < face->height ? top + cells->height : face->height;
    const float *normal = face->luxels[top * face->width + left].normal;
    struct hot_extent out = {{FLT_MAX, FLT_MAX, FLT_MAX},
                             {-FLT_MAX, -FLT_MAX, -FLT_MAX},
                             {normal[0], normal[1], normal[2]},
                             face->slots == 1};
    for (int t = top; t < below; t++) {
        for (int s = left; s < right; s++) {
            const struct luxel *luxel = &face->luxels[t * face->width + s];
            for (int k = 0; k < 3; k++) {
                out.mins[k] = fminf(out.mins[k], luxel->position[k]);
                out.maxs[k] = fmaxf(out.maxs[k], luxel->position[k]);
                out.flat = out.flat && luxel->normal[k] == normal[k];
            }
        }
    }
    return out;
}

static int luxels_of_side(struct vec3 axis)
{
    double luxels = CELL_SIDE / fmax(vec3_length(axis), 1);
    return luxels > 1 ? (int)luxels : 1;
}

void hot_cells_open(const struct hot_view *view, int face, struct hot_cells *out)
{
    const struct face_light *light = &view->hot->radiosity->map->faces[face];
    *out = (struct hot_cells){
        view, face, 0, 0, luxels_of_side(light->axis[0]), luxels_of_side(light->axis[1]), NULL};
    out->columns = (light->width + out->width - 1) / out->width;
    out->rows = (light->height + out->height - 1) / out->height;
    out->cells = memory_zalloc((size_t)out->columns * (size_t)out->rows + 1, sizeof *out->cells);
}

void hot_cells_free(struct hot_cells *cells)
{
    for (int i = 0; i < cells->columns * cells->rows; i++) {
        struct hot_cell *cell = &cells->cells[i];
        arrfree(cell->sure);
        arrfree(cell->sure_spots);
        arrfree(cell->drawn);
        arrfree(cell->up_to);
        arrfree(cell->first);
    }
    memory_free(cells->cells);
    *cells = (struct hot_cells){0};
}

const struct hot_cell *hot_cells_at(struct hot_cells *cells, int luxel)
{
    const struct hot_view *view = cells->view;
    int width = view->hot->radiosity->map->faces[cells->face].width;
    int column = luxel % width / cells->width, row = luxel / width / cells->height;
    int number = row * cells->columns + column;
    struct hot_cell *cell = &cells->cells[number];
    if (cell->built)
        return cell;
    cell->built = true;
    const struct hot_extent extent = extent_of(cells, number);
    fill(view, &extent, cell);
    return cell;
}
