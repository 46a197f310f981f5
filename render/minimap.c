#include "render/minimap.h"

#include <stdlib.h>
#include <string.h>

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"

const struct minimap_options minimap_defaults = {
    .size = 512, .samples = 16, .border = 1.0 / 66, .boost = 1, .contrast = 1};

/* Sides this close to upright bound a brush only where it is, not how thick it is. */
#define UPRIGHT 1e-6

struct block {
    struct bounds bounds;
    const struct bsp_brush *brush;
};

/* A part of an upright line that is inside of a brush. */
struct span {
    double bottom, top;
};

struct minimap {
    const struct bsp *bsp;
    const struct minimap_options *options;
    struct block *blocks; /* stb_ds array */
    struct bounds shown;
    float *values; /* size * size */
};

/* --- brushes --- */

static bool is_sky(const struct bsp *bsp, const struct bsp_brush *brush)
{
    const int sky = bsp->engine->geometry.sky_flags;
    if (arrlen(bsp->shaders))
        return bsp->shaders[brush->shader].surface_flags & sky;
    for (int i = 0; i < brush->side_count; i++) {
        int texinfo = bsp->brush_sides[brush->first_side + i].texinfo;
        if (texinfo >= 0 && bsp->texinfo[texinfo].flags & sky)
            return true;
    }
    return false;
}

/* Every brush has its six axial sides: in IBSP they are the first, in VBSP those of bevels at the
 * latest. */
static struct bounds brush_bounds(const struct bsp *bsp, const struct bsp_brush *brush)
{
    struct bounds bounds = {vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL),
                            vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL)};
    for (int i = 0; i < brush->side_count; i++) {
        const struct bsp_plane *plane = &bsp->planes[bsp->brush_sides[brush->first_side + i].plane];
        double dist = (double)plane->dist;
        for (int k = 0; k < 3; k++) {
            if (plane->normal[k] >= 1)
                bounds.maxs.e[k] = portable_fmin(bounds.maxs.e[k], dist);
            else if (plane->normal[k] <= -1)
                bounds.mins.e[k] = portable_fmax(bounds.mins.e[k], -dist);
        }
    }
    return bounds;
}

static bool is_finite(const struct bounds *bounds)
{
    return vec3_is_finite(bounds->mins) && vec3_is_finite(bounds->maxs);
}

/* Where brushes do not say which model has them, those that move are shown too. */
static void gather(struct minimap *map)
{
    const struct bsp *bsp = map->bsp;
    size_t count = arrlenu(bsp->brushes);
    if (bsp->engine->geometry.models_own_brushes)
        count = arrlen(bsp->models) ? (size_t)bsp->models[0].brush_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct bsp_brush *brush = &bsp->brushes[i];
        const struct block block = {brush_bounds(bsp, brush), brush};
        if (brush->contents & CONTENTS_SOLID && !is_sky(bsp, brush) && is_finite(&block.bounds))
            arrput(map->blocks, block);
    }
}

/* --- the part that is shown --- */

static void set_shown(struct minimap *map)
{
    const struct minimap_options *options = map->options;
    struct bounds shown = bounds_empty();
    for (size_t i = 0; i < arrlenu(map->blocks); i++)
        bounds_add(&shown, &map->blocks[i].bounds);
    if (options->has_bounds)
        shown = options->bounds;
    double side = portable_fmax(shown.maxs.x - shown.mins.x, shown.maxs.y - shown.mins.y);
    for (int k = 0; k < 2; k++) {
        double own = shown.maxs.e[k] - shown.mins.e[k], wanted = options->stretch ? own : side;
        double margin = (wanted / (1 - 2 * options->border) - own) / 2;
        shown.mins.e[k] -= margin;
        shown.maxs.e[k] += margin;
    }
    map->shown = shown;
}

/* --- thickness --- */

/* The part of the upright line through x, y that is inside of the brush. */
static struct span span_of(const struct bsp *bsp, const struct block *block, double x, double y)
{
    struct span span = {block->bounds.mins.z, block->bounds.maxs.z};
    for (int i = 0; i < block->brush->side_count && span.bottom < span.top; i++) {
        const struct bsp_plane *plane =
            &bsp->planes[bsp->brush_sides[block->brush->first_side + i].plane];
        struct vec3 n = vec3_from_floats(plane->normal);
        double rest = (double)plane->dist - n.x * x - n.y * y;
        if (n.z > UPRIGHT)
            span.top = portable_fmin(span.top, rest / n.z);
        else if (n.z < -UPRIGHT)
            span.bottom = portable_fmax(span.bottom, rest / n.z);
        else if (rest < 0)
            span.top = span.bottom;
    }
    return span;
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *first = a, *second = b;
    return (first->bottom > second->bottom) - (first->bottom < second->bottom);
}

/* Length of the union. Sorts the spans. */
static double covered(struct span *spans, double from, double to)
{
    double sum = 0, reached = from;
    if (arrlen(spans) > 1)
        qsort(spans, arrlenu(spans), sizeof *spans, compare_spans);
    for (size_t i = 0; i < arrlenu(spans); i++) {
        double bottom = portable_fmax(spans[i].bottom, reached),
               top = portable_fmin(spans[i].top, to);
        if (top > bottom) {
            sum += top - bottom;
            reached = top;
        }
    }
    return sum;
}

struct row_of {
    const struct block **blocks; /* stb_ds array: those that the row crosses */
    struct span *spans;          /* stb_ds array: scratch */
};

static double thickness(const struct minimap *map, struct row_of *row, double x, double y)
{
    arrsetlen(row->spans, 0);
    for (size_t i = 0; i < arrlenu(row->blocks); i++) {
        const struct block *block = row->blocks[i];
        const struct bounds *bounds = &block->bounds;
        if (x < bounds->mins.x || x > bounds->maxs.x || y < bounds->mins.y || y > bounds->maxs.y)
            continue;
        struct span span = span_of(map->bsp, block, x, y);
        if (span.bottom < span.top)
            arrput(row->spans, span);
    }
    return covered(row->spans, map->shown.mins.z, map->shown.maxs.z);
}

/* Samples of a pixel are evenly spread: the sequence of Roberts in two dimensions. */
static void draw_row(void *context, size_t index, int thread)
{
    (void)thread;
    const struct minimap *map = context;
    const struct minimap_options *options = map->options;
    const struct bounds *shown = &map->shown;
    const double steps[2] = {(shown->maxs.x - shown->mins.x) / options->size,
                             (shown->maxs.y - shown->mins.y) / options->size};
    double top = shown->maxs.y - (double)index * steps[1], height = shown->maxs.z - shown->mins.z;
    struct row_of row = {0};
    for (size_t i = 0; i < arrlenu(map->blocks); i++) {
        const struct bounds *bounds = &map->blocks[i].bounds;
        if (bounds->maxs.y >= top - steps[1] && bounds->mins.y <= top)
            arrput(row.blocks, &map->blocks[i]);
    }
    for (int column = 0; column < options->size; column++) {
        double sum = 0;
        for (int i = 0; i < options->samples; i++) {
            double u = fmod(0.5 + i * 0.7548776662466927, 1),
                   v = fmod(0.5 + i * 0.5698402909980532, 1);
            sum +=
                thickness(map, &row, shown->mins.x + (column + u) * steps[0], top - v * steps[1]);
        }
        map->values[index * (size_t)options->size + (size_t)column] =
            height > 0 ? (float)(sum / options->samples / height) : 0;
    }
    arrfree(row.blocks);
    arrfree(row.spans);
}

/* --- values --- */

static void apply_levels(struct minimap *map)
{
    size_t count = (size_t)map->options->size * (size_t)map->options->size;
    double boost = map->options->boost;
    float min = 1, max = 0;
    for (size_t i = 0; i < count; i++) {
        double value = (double)map->values[i];
        map->values[i] = (float)(value * boost / ((boost - 1) * value + 1));
        min = portable_fminf(min, map->values[i]);
        max = portable_fmaxf(max, map->values[i]);
    }
    for (size_t i = 0; i < count && !map->options->keep_levels && max > min; i++)
        map->values[i] = (map->values[i] - min) / (max - min);
}

static float value_at(const struct minimap *map, int column, int row)
{
    int last = map->options->size - 1;
    column = column < 0 ? 0 : column > last ? last : column;
    row = row < 0 ? 0 : row > last ? last : row;
    return map->values[(size_t)row * (size_t)map->options->size + (size_t)column];
}

/* The difference from the four neighbours counts more. */
static double sharpened(const struct minimap *map, int column, int row)
{
    float own = value_at(map, column, row);
    float around = value_at(map, column - 1, row) + value_at(map, column + 1, row) +
                   value_at(map, column, row - 1) + value_at(map, column, row + 1);
    return (double)own + map->options->sharpen * (double)(own - around / 4);
}

static unsigned char *make_pixels(const struct minimap *map)
{
    const struct minimap_options *options = map->options;
    size_t side = (size_t)options->size, depth = options->colours == MINIMAP_GREY ? 1 : 4;
    unsigned char *pixels = memory_alloc(side * side * depth), *at = pixels;
    for (int row = 0; row < options->size; row++)
        for (int column = 0; column < options->size; column++, at += depth) {
            double value = sharpened(map, column, row) * options->contrast + options->brightness;
            if (depth == 4)
                memset(at, options->colours == MINIMAP_WHITE ? 255 : 0, 3);
            at[depth - 1] = (unsigned char)lround(255 * portable_fmin(portable_fmax(value, 0), 1));
        }
    return pixels;
}

unsigned char *minimap_draw(const struct bsp *bsp, const struct minimap_options *options,
                            int threads, struct bounds *shown)
{
    struct minimap map = {.bsp = bsp, .options = options};
    unsigned char *pixels = NULL;
    gather(&map);
    if (arrlen(map.blocks)) {
        set_shown(&map);
        map.values = memory_zalloc((size_t)options->size * (size_t)options->size, sizeof(float));
        parallel_for(parallel_threads(threads), (size_t)options->size, draw_row, &map);
        apply_levels(&map);
        pixels = make_pixels(&map);
        *shown = map.shown;
    }
    memory_free(map.values);
    arrfree(map.blocks);
    return pixels;
}
