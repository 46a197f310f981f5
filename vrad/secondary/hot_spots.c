#include "vrad/secondary/hot_lanes.h"

#include <float.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/geom/angle.h"

SIMD_TABLES(hot_lane_work)

enum { SIDE_LUXELS = 4 };

/* The cap, in means of the light that leaves the surfaces of the map. */
#define CAP 2.5

/* A spot is near up to so many of its half diagonals. */
#define NEAR_DIAGONALS 3.0

/* Squares that give more than this, of 255, where they are no longer near are cut in four. */
#define LIGHT_TO_CUT 4.0

/* A spot that gives less than this, of 255, straight ahead is left to chance. */
#define MIN_LIGHT 0.05

/* Direct light that leaves a luxel; returns the mean of its channels. */
static double leaving(const struct face_light *face, int luxel, double out[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = (double)face->direct[0][3 * luxel + k] * (double)face->reflectivity[k];
        sum += out[k];
    }
    return sum / 3;
}

static bool is_lit(const struct face_light *face)
{
    return face->width > 0 && face->style_count > 0;
}

static double mean_brightness(const struct luxel_map *map)
{
    double sum = 0, area = 0, colour[3];
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; is_lit(face) && i < face->count; i++) {
            sum += (double)face->luxels[i].area * leaving(face, i, colour);
            area += (double)face->luxels[i].area;
        }
    }
    return area > 0 ? sum / area : 0;
}

/* A square of luxels, where the face has them. */
struct square {
    int face, column, row, side;
    double reach; /* squared, of what it was cut from; 0: it is whole */
};

/* Sums over the luxels of a square. */
struct square_sum {
    struct vec3 center, normal; /* by brightness */
    double power[3];            /* light above the cap, times area */
    double brightness;          /* mean of power */
};

/* The distance below which a square is a surface like others, squared. */
static double near_of(const struct face_light *face, int side)
{
    double across = vec3_dot(face->axis[0], face->axis[0]);
    double along = vec3_dot(face->axis[1], face->axis[1]);
    return NEAR_DIAGONALS * NEAR_DIAGONALS * (across + along) * (side * side / 4.0);
}

/* Light above the cap, times area. */
static double power_of(const struct face_light *face, const struct square *square, double cap)
{
    double power = 0, colour[3];
    for (int t = square->row; t < square->row + square->side && t < face->height; t++) {
        for (int s = square->column; s < square->column + square->side && s < face->width; s++) {
            int luxel = t * face->width + s;
            power += fmax(leaving(face, luxel, colour) - cap, 0) * (double)face->luxels[luxel].area;
        }
    }
    return power;
}

static void add_luxel(struct hot_spots *hot, const struct face_light *face, int i, double cap,
                      struct square_sum *sum)
{
    const struct luxel *luxel = &face->luxels[i];
    size_t number = hot->radiosity->first[face - hot->radiosity->map->faces] + (size_t)i;
    if (!hot_is_marked(hot, number))
        return;
    struct hot_luxel *found = hot_luxel_at(hot, number);
    double colour[3], level = leaving(face, i, colour);
    found->spot = (int)arrlen(hot->spots);
    double share = 1 - cap / level, weight = share * level * (double)luxel->area;
    for (int k = 0; k < 3; k++) {
        found->excess[k] = (float)(share * colour[k]);
        sum->power[k] += share * colour[k] * (double)luxel->area;
        sum->normal.e[k] += weight * (double)luxel->normal[k];
    }
    sum->center = vec3_mad(sum->center, vec3_from_floats(luxel->position), weight);
    sum->brightness += weight;
}

static struct hot_lanes *lanes_for_next(struct hot_spots *hot)
{
    const struct hot_lanes none = {.strength = {0}};
    if (arrlen(hot->spots) % HOT_LANES == 0)
        arrput(hot->lanes, none);
    return &arrlast(hot->lanes);
}

static struct hot_face *face_for_next(struct hot_spots *hot, int number)
{
    int first = (int)arrlen(hot->spots);
    const struct hot_face none = {.face = number,
                                  .first = first,
                                  .end = first,
                                  .mins = {FLT_MAX, FLT_MAX, FLT_MAX},
                                  .maxs = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    if (!arrlen(hot->faces) || arrlast(hot->faces).face != number)
        arrput(hot->faces, none);
    return &arrlast(hot->faces);
}

static void add_spot(struct hot_spots *hot, int number, const struct hot_spot *spot)
{
    struct hot_lanes *lanes = lanes_for_next(hot);
    struct hot_face *face = face_for_next(hot, number);
    size_t lane = arrlenu(hot->spots) % HOT_LANES;
    float radius = sqrtf(spot->reach);
    lanes->strength[lane] = spot->strength;
    lanes->near[lane] = spot->near;
    lanes->reach[lane] = spot->reach;
    for (int k = 0; k < 3; k++) {
        lanes->center[k][lane] = spot->center[k];
        lanes->normal[k][lane] = spot->normal[k];
        face->mins[k] = fminf(face->mins[k], spot->center[k] - radius);
        face->maxs[k] = fmaxf(face->maxs[k], spot->center[k] + radius);
    }
    face->end++;
    arrput(hot->spots, *spot);
}

static void find_in_square(struct hot_spots *hot, const struct square *square, double cap)
{
    const struct face_light *face = &hot->radiosity->map->faces[square->face];
    struct square_sum sum = {.brightness = 0};
    int right = square->column + square->side, below = square->row + square->side;
    for (int t = square->row; t < below && t < face->height; t++)
        for (int s = square->column; s < right && s < face->width; s++)
            add_luxel(hot, face, t * face->width + s, cap, &sum);
    if (!(sum.brightness > 0))
        return;
    double reach = square->reach > 0 ? square->reach : sum.brightness / (MIN_LIGHT * PI);
    struct vec3 normal = face->mesh ? vec3_normalize(sum.normal) : face->normal;
    struct hot_spot spot = {.strength = (float)(sum.brightness / PI),
                            .near = (float)near_of(face, square->side),
                            .reach = (float)reach};
    for (int k = 0; k < 3; k++) {
        spot.center[k] = (float)(sum.center.e[k] / sum.brightness);
        spot.normal[k] = (float)normal.e[k];
        spot.power[k] = (float)(sum.power[k] / PI);
        for (int j = 0; j < 2; j++)
            spot.half_side[j][k] = (float)(face->axis[j].e[k] * square->side / 2.0);
    }
    add_spot(hot, square->face, &spot);
}

/* Parts reach as far as the whole: far away they count together. */
static void cut_square(struct hot_spots *hot, struct square square, double cap)
{
    const struct face_light *face = &hot->radiosity->map->faces[square.face];
    struct square pending[SIDE_LUXELS * SIDE_LUXELS] = {square};
    double reach = power_of(face, &square, cap) / (MIN_LIGHT * PI);
    int count = 1;
    while (count > 0) {
        struct square now = pending[--count];
        double max = LIGHT_TO_CUT * PI * near_of(face, now.side);
        if (now.side == 1 || power_of(face, &now, cap) <= max) {
            find_in_square(hot, &now, cap);
            continue;
        }
        int half = now.side / 2;
        for (int i = 0; i < 4; i++)
            pending[count++] = (struct square){now.face, now.column + i % 2 * half,
                                               now.row + i / 2 * half, half, reach};
    }
}

static void mark_luxels(struct hot_spots *hot, double cap)
{
    const struct luxel_map *map = hot->radiosity->map;
    size_t words = (hot->radiosity->first[map->face_count] + 2) / 64 + 1;
    uint32_t count = 0;
    double colour[3];
    hot->marks = memory_zalloc(words, sizeof *hot->marks);
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; is_lit(face) && i < face->count; i++) {
            size_t number = hot->radiosity->first[f] + (size_t)i;
            if (leaving(face, i, colour) > cap && face->luxels[i].area > 0)
                hot->marks[number / 64].hot |= (uint64_t)1 << number % 64;
        }
    }
    for (size_t i = 0; i < words; i++) {
        hot->marks[i].before = count;
        count += (uint32_t)__builtin_popcountll(hot->marks[i].hot);
    }
    hot->luxels = memory_zalloc((size_t)count + 1, sizeof *hot->luxels);
}

static const int *clusters_of(const struct hot_spots *hot, const struct hot_face *face)
{
    return hot->radiosity->map->faces[face->face].clusters;
}

static bool is_seen(const struct hot_spots *hot, const struct hot_face *face,
                    const unsigned char *row)
{
    const int *clusters = clusters_of(hot, face);
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++)
        if (clusters[i] >= 0 && row[clusters[i] >> 3] >> (clusters[i] & 7) & 1)
            return true;
    return arrlen(clusters) == 0;
}

static void find_visible(struct hot_spots *hot)
{
    const struct scene *scene = hot->radiosity->scene;
    size_t words = hot_words(hot);
    if (!scene->clusters || !words)
        return;
    unsigned char *row = memory_alloc(((size_t)scene->clusters + 7) / 8);
    hot->visible = memory_zalloc((size_t)scene->clusters * words, sizeof *hot->visible);
    for (int c = 0; c < scene->clusters; c++) {
        bsp_vis_row(scene->bsp, c, false, row);
        for (size_t i = 0; i < arrlenu(hot->faces); i++)
            if (is_seen(hot, &hot->faces[i], row))
                hot->visible[(size_t)c * words + i / 64] |= (uint64_t)1 << i % 64;
    }
    memory_free(row);
}

void hot_spots_find(const struct radiosity *radiosity, struct hot_spots *out)
{
    const struct luxel_map *map = radiosity->map;
    double cap = CAP * mean_brightness(map);
    *out = (struct hot_spots){.radiosity = radiosity, .work = hot_lane_work_of(simd_best())};
    if (!(cap > 0))
        return;
    mark_luxels(out, cap);
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int row = 0; is_lit(face) && row < face->height; row += SIDE_LUXELS)
            for (int column = 0; column < face->width; column += SIDE_LUXELS)
                cut_square(out, (struct square){f, column, row, SIDE_LUXELS, 0}, cap);
    }
    find_visible(out);
}

void hot_spots_free(struct hot_spots *hot)
{
    arrfree(hot->spots);
    arrfree(hot->faces);
    memory_free(hot->visible);
    arrfree(hot->lanes);
    memory_free(hot->luxels);
    memory_free(hot->marks);
    *hot = (struct hot_spots){0};
}
