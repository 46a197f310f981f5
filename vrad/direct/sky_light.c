#include "vrad/direct/sky_light.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Maximum side of the first cells, in luxels and in units. */
enum { WIDEST_CELL = 8 };
#define WIDEST_CELL_UNITS 96.0

/* A cell is interpolated from its corners when they predict its middle to this relative error, or
 * to this much of 255. */
#define SKY_TOLERANCE  0.04
#define MIN_DIFFERENCE 0.25

/* Sky light varies slowly over most of a face: it is sampled at the corners of cells, and a cell is
 * divided into four where its middle differs from the prediction. All cells of one size are sampled
 * together, to fill the ray packets. */
struct cell {
    int left, top, right, bottom; /* luxels of its corners */
};

struct sky_face {
    struct receiver *to;
    const struct sky_lookup *lookup;
    float *sums;
    unsigned char *known; /* one per luxel: sampled, or queued */
    int *wanted;          /* stb_ds array: the queue */
    struct cell *cells;   /* stb_ds array */
    struct cell *next;    /* stb_ds array: the cells of the next size */
    double brightness;    /* of the sky */
};

static int luxel_at(const struct sky_face *sky, int column, int row)
{
    return row * sky->to->face->width + column;
}

static void want(struct sky_face *sky, int column, int row)
{
    int luxel = luxel_at(sky, column, row);
    if (sky->known[luxel])
        return;
    sky->known[luxel] = 1;
    arrput(sky->wanted, luxel);
}

static void measure(struct sky_face *sky)
{
    sky_rays(sky->to, sky->lookup, sky->wanted, (int)arrlen(sky->wanted), sky->sums);
    arrsetlen(sky->wanted, 0);
}

static void add_cell(struct sky_face *sky, struct cell cell)
{
    want(sky, cell.left, cell.top);
    want(sky, cell.right, cell.top);
    want(sky, cell.left, cell.bottom);
    want(sky, cell.right, cell.bottom);
    if (cell.right - cell.left > 1 || cell.bottom - cell.top > 1)
        arrput(sky->next, cell);
}

static int first_step(double units_a_luxel)
{
    int step = WIDEST_CELL;
    while (step > 1 && step * units_a_luxel > WIDEST_CELL_UNITS)
        step /= 2;
    return step;
}

static void first_cells(struct sky_face *sky)
{
    const struct face_light *face = sky->to->face;
    int across = first_step(vec3_length(face->axis[0]));
    int along = first_step(vec3_length(face->axis[1]));
    int right = face->width - 1, bottom = face->height - 1;
    for (int top = 0; top == 0 || top < bottom; top += along) {
        for (int left = 0; left == 0 || left < right; left += across) {
            struct cell cell = {left, top, left + across, top + along};
            cell.right = cell.right < right ? cell.right : right;
            cell.bottom = cell.bottom < bottom ? cell.bottom : bottom;
            add_cell(sky, cell);
        }
    }
}

static float predicted(const struct sky_face *sky, const struct cell *cell, int slot, int column,
                       int row)
{
    const float *values = sky->sums + slot * sky->to->face->count;
    int across = cell->right - cell->left, along = cell->bottom - cell->top;
    float u = across ? (float)(column - cell->left) / (float)across : 0;
    float v = along ? (float)(row - cell->top) / (float)along : 0;
    float high = values[luxel_at(sky, cell->left, cell->top)] * (1 - u) +
                 values[luxel_at(sky, cell->right, cell->top)] * u;
    float low = values[luxel_at(sky, cell->left, cell->bottom)] * (1 - u) +
                values[luxel_at(sky, cell->right, cell->bottom)] * u;
    return high * (1 - v) + low * v;
}

/* Returns true if something stands on the face within the cell, which makes predictions
 * unreliable. */
static bool is_interrupted(const struct sky_face *sky, const struct cell *cell)
{
    struct luxel room;
    for (int row = cell->top; row <= cell->bottom; row++)
        for (int column = cell->left; column <= cell->right; column++)
            if (luxel_of(sky->to->face, luxel_at(sky, column, row), &room)->near_occluders)
                return true;
    return false;
}

static bool fits(const struct sky_face *sky, const struct cell *cell, int column, int row)
{
    int middle = luxel_at(sky, column, row);
    double value = (double)sky->sums[middle] * sky->brightness;
    double miss = fabs((double)predicted(sky, cell, 0, column, row) * sky->brightness - value);
    double light = value + (double)sky->to->total[middle];
    return miss <= portable_fmax(SKY_TOLERANCE * light, MIN_DIFFERENCE) &&
           !is_interrupted(sky, cell);
}

static void fill(struct sky_face *sky, const struct cell *cell)
{
    int count = sky->to->face->count;
    for (int row = cell->top; row <= cell->bottom; row++) {
        for (int column = cell->left; column <= cell->right; column++) {
            int luxel = luxel_at(sky, column, row);
            if (sky->known[luxel])
                continue;
            sky->known[luxel] = 1;
            for (int j = 0; j < sky->to->face->slots; j++)
                sky->sums[j * count + luxel] = predicted(sky, cell, j, column, row);
        }
    }
}

static void cut(struct sky_face *sky, const struct cell *cell, int column, int row)
{
    int columns[3] = {cell->left, column, cell->right}, rows[3] = {cell->top, row, cell->bottom};
    int across = cell->right - cell->left > 1 ? 1 : 2, along = cell->bottom - cell->top > 1 ? 1 : 2;
    for (int j = 0; j < 2; j += along)
        for (int i = 0; i < 2; i += across)
            add_cell(sky, (struct cell){columns[i], rows[j], columns[i + across], rows[j + along]});
}

/* One level of cells: samples their middles, then interpolates or divides them. */
static void refine(struct sky_face *sky)
{
    for (ptrdiff_t i = 0; i < arrlen(sky->cells); i++) {
        const struct cell *cell = &sky->cells[i];
        want(sky, (cell->left + cell->right) / 2, (cell->top + cell->bottom) / 2);
    }
    measure(sky);
    for (ptrdiff_t i = 0; i < arrlen(sky->cells); i++) {
        const struct cell *cell = &sky->cells[i];
        int column = (cell->left + cell->right) / 2, row = (cell->top + cell->bottom) / 2;
        if (fits(sky, cell, column, row))
            fill(sky, cell);
        else
            cut(sky, cell, column, row);
    }
    measure(sky);
}

void sky_light(struct receiver *to, const struct sky_lookup *lookup, double brightness, float *sums)
{
    struct sky_face sky = {.to = to, .lookup = lookup, .sums = sums, .brightness = brightness};
    sky.known = ARENA_ARRAY(to->arena, unsigned char, (size_t)to->face->count);
    first_cells(&sky);
    measure(&sky);
    while (arrlen(sky.next) > 0) {
        struct cell *cells = sky.cells;
        sky.cells = sky.next;
        sky.next = cells;
        arrsetlen(sky.next, 0);
        refine(&sky);
    }
    arrfree(sky.wanted);
    arrfree(sky.cells);
    arrfree(sky.next);
}
