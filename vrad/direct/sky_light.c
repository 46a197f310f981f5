#include "vrad/direct/sky_light.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/scene/hemisphere.h"

/* --- sky rays --- */

/* Light of a uniform hemisphere in a bump direction: the direction leans from the normal by the
 * angle of cosine 1 / sqrt 3, and what lies below the surface is cut off. */
#define BUMP_SHARE 0.78867513459481288f

/* Directions in a table: enough that luxels do not share their noise, few enough for the cache. */
enum { TABLE_SIZE = 1 << 13, MIN_VARIANTS = 4 };

/* ---- directions ---- */

/* A random point in cell `index` of a square of `columns` x `rows` cells. */
static void cell_point(int index, int columns, int rows, uint64_t random, double square[2])
{
    square[0] = (index % columns + (double)(uint32_t)random * 0x1p-32) / columns;
    square[1] = (index / columns + (double)(random >> 32) * 0x1p-32) / rows;
}

static struct vec3 cosine_direction(int index, int cells, uint64_t random)
{
    double square[2];
    int columns = 1;
    while (columns * columns < cells)
        columns *= 2;
    cell_point(index, columns, cells / columns, random, square);
    return square_to_cosine(square);
}

/* Every second direction of a bumped luxel is uniform, so that rays near the surface get no great
 * weight in bump directions. */
static struct vec3 bumped_direction(int index, int cells, uint64_t random)
{
    struct vec3 local = cosine_direction(index / 2, cells / 2, random);
    if (index % 2 == 0)
        return local;
    /* The squared cosine is uniform between 0 and 1, like the height of a uniform direction. */
    double height = local.z * local.z, disk = sqrt(portable_fmax(1 - height, 1e-12));
    double scale = sqrt(portable_fmax(1 - height * height, 0)) / disk;
    return vec3(local.x * scale, local.y * scale, height);
}

void sky_table_init(struct sky_table *table, int rays)
{
    int variants = TABLE_SIZE / rays > MIN_VARIANTS ? TABLE_SIZE / rays : MIN_VARIANTS;
    size_t size = 3 * (size_t)rays * (size_t)variants;
    *table = (struct sky_table){rays, variants, memory_alloc(size * sizeof(float)),
                                memory_alloc(size * sizeof(float))};
    for (int i = 0; i < rays * variants; i++) {
        uint64_t random = hash_u64((uint64_t)i + 1);
        vec3_to_floats(cosine_direction(i / variants, rays, random), table->plain + (size_t)i * 3);
        vec3_to_floats(bumped_direction(i / variants, rays, random), table->bumped + (size_t)i * 3);
    }
}

void sky_table_free(struct sky_table *table)
{
    memory_free(table->plain);
    memory_free(table->bumped);
}

/* ---- packets ---- */

/* 16 luxels trace the same stratum of their hemispheres at once, each in its own random direction:
 * coherent packets, without noise shared between neighbours. */
struct sky_packet {
    struct receiver *to;
    const struct sky_lookup *lookup;
    struct trace_packet packet;
    int count;
    int luxels[TRACE_PACKET];
    uint64_t seeds[TRACE_PACKET];
    float axes[3][3][TRACE_PACKET]; /* frame around the normal: [axis][coordinate] */
    float surface[3][TRACE_PACKET]; /* the normal of the face */
    float normals[LUXEL_BUMPS][3][TRACE_PACKET];
    int hits[TRACE_PACKET]; /* of luxels without bumps */
    float seen[LUXEL_SLOTS][TRACE_PACKET], all[LUXEL_SLOTS][TRACE_PACKET];
};

static void load_lane(struct sky_packet *p, int lane)
{
    const struct receiver *to = p->to;
    int luxel = p->luxels[lane];
    const float(*normals)[3] = receiver_normals(to, luxel);
    struct vec3 x, y, z = vec3((double)normals[0][0], (double)normals[0][1], (double)normals[0][2]);
    frame_around(z, &x, &y);
    p->seeds[lane] = hash_u64(luxel_seed(to->map, to->face, luxel) + 1);
    p->hits[lane] = 0;
    for (int k = 0; k < 3; k++) {
        p->axes[0][k][lane] = (float)x.e[k];
        p->axes[1][k][lane] = (float)y.e[k];
        p->axes[2][k][lane] = normals[0][k];
        p->surface[k][lane] = to->face->mesh ? normals[0][k] : to->surface[k];
        for (int j = 1; j < to->face->slots; j++)
            p->normals[j - 1][k][lane] = normals[j][k];
    }
    for (int j = 0; j < LUXEL_SLOTS; j++)
        p->seen[j][lane] = p->all[j][lane] = 0;
}

/* Aims all lanes at stratum `index`; returns those above their surface. */
static uint32_t aim_part(struct sky_packet *p, int index)
{
    const struct sky_table *table = p->lookup->table;
    const struct receiver *to = p->to;
    const float *part = (to->face->slots > 1 ? table->bumped : table->plain) +
                        (size_t)index * (size_t)table->variants * 3;
    uint32_t valid = 0;
    for (int lane = 0; lane < p->count; lane++) {
        uint64_t random = p->seeds[lane] * (2 * (uint64_t)index + 1) >> 32;
        const float *local = part + (random & (uint64_t)(table->variants - 1)) * 3;
        size_t luxel = (size_t)p->luxels[lane];
        uint32_t sample = ((uint32_t)index + (uint32_t)(random >> 30)) % to->coarse_count[luxel];
        size_t row = luxel * LUXEL_COARSE + sample;
        float above = 0;
        for (int k = 0; k < 3; k++) {
            float d = local[0] * p->axes[0][k][lane] + local[1] * p->axes[1][k][lane] +
                      local[2] * p->axes[2][k][lane];
            p->packet.direction[k][lane] = d;
            p->packet.origin[k][lane] = p->lookup->coarse->origin[k][row];
            above += d * p->surface[k][lane];
        }
        valid |= (uint32_t)(above > 0) << lane;
    }
    return valid;
}

/* Divides by the density of the directions, cosine + 1/2. */
static void weigh_bumps(struct sky_packet *p, int lane, bool sees)
{
    float cosine = 0, along[LUXEL_SLOTS] = {0};
    for (int k = 0; k < 3; k++) {
        float d = p->packet.direction[k][lane];
        cosine += d * p->axes[2][k][lane];
        for (int j = 1; j < LUXEL_SLOTS; j++)
            along[j] += d * p->normals[j - 1][k][lane];
    }
    along[0] = cosine;
    for (int j = 0; j < LUXEL_SLOTS; j++) {
        float weight = along[j] > 0 ? along[j] / (portable_fmaxf(cosine, 0) + 0.5f) : 0;
        p->all[j][lane] += weight;
        p->seen[j][lane] += sees ? weight : 0;
    }
}

static void trace_sky(struct sky_packet *p, float *sums)
{
    struct receiver *to = p->to;
    const struct sky_table *table = p->lookup->table;
    for (int lane = 0; lane < p->count; lane++)
        load_lane(p, lane);
    for (int i = 0; i < table->rays && p->count; i++) {
        uint32_t valid = aim_part(p, i);
        uint32_t sky = scene_sky16(to->scene, &p->packet, valid, true, to->face->area);
        sky = scene_through_alpha16(to->scene, &p->packet, sky, true);
        for (int lane = 0; lane < p->count; lane++) {
            if (to->face->slots > 1)
                weigh_bumps(p, lane, sky >> lane & 1);
            p->hits[lane] += (int)(sky >> lane & 1);
        }
    }
    to->rays[RAYS_SKY] += (int64_t)p->count * table->rays;
    for (int lane = 0; lane < p->count; lane++) {
        float *out = sums + p->luxels[lane];
        out[0] = (float)p->hits[lane] / (float)table->rays;
        for (int j = 0; j < to->face->slots && to->face->slots > 1; j++)
            out[j * to->face->count] =
                (j ? BUMP_SHARE : 1) * p->seen[j][lane] / portable_fmaxf(p->all[j][lane], 1e-6f);
    }
    p->count = 0;
}

/* The fraction of the sky's light that falls on each of the given luxels, by their own rays. `sums`
 * has slots * count floats for the whole face, of which those of the luxels are set. */
static void sky_rays(struct receiver *to, const struct sky_lookup *lookup, const int *luxels,
                     int count, float *sums)
{
    struct sky_packet p = {.to = to, .lookup = lookup};
    for (int lane = 0; lane < TRACE_PACKET; lane++)
        p.packet.far[lane] = SCENE_FAR_AWAY;
    for (int i = 0; i < count; i++) {
        if (to->coarse_count[luxels[i]] == 0)
            continue;
        p.luxels[p.count++] = luxels[i];
        if (p.count == TRACE_PACKET)
            trace_sky(&p, sums);
    }
    trace_sky(&p, sums);
}

/* --- sky light --- */

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
