#include "vrad/hot_spots.h"

#include <float.h>

#include "common/core/array.h"
#include "common/core/memory.h"

enum { SIDE_LUXELS = 4 };

/* The cap, in means of the light that leaves the surfaces of the map. */
#define CAP 1.5

/* A spot is near up to so many of its half diagonals. */
#define NEAR_DIAGONALS 3.0

/* Squares that give more than this, of 255, where they are no longer near are cut in four. */
#define LIGHT_TO_CUT 4.0

/* A spot that gives less than this, of 255, straight ahead is left to chance. */
#define LEAST_LIGHT 0.05

#define PI 3.14159265358979324

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
                      struct hot_spot *spot)
{
    const struct luxel *luxel = &face->luxels[i];
    struct hot_luxel found = {.spot = (int)arrlen(hot->spots)};
    double colour[3], level = leaving(face, i, colour);
    if (level <= cap || !(luxel->area > 0))
        return;
    double share = 1 - cap / level, weight = share * level * (double)luxel->area;
    for (int k = 0; k < 3; k++) {
        found.excess[k] = (float)(share * colour[k]);
        spot->power[k] += share * colour[k] * (double)luxel->area;
        spot->normal.e[k] += weight * (double)luxel->normal[k];
    }
    spot->center = vec3_mad(spot->center, vec3_from_floats(luxel->position), weight);
    spot->brightness += weight;
    hot->luxel_of[hot->radiosity->first[face - hot->radiosity->map->faces] + (size_t)i] =
        (int32_t)arrlen(hot->luxels);
    arrput(hot->luxels, found);
}

static struct hot_lanes *lanes_for_next(struct hot_spots *hot)
{
    const struct hot_lanes none = {.mins = {FLT_MAX, FLT_MAX, FLT_MAX},
                                   .maxs = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    if (arrlen(hot->spots) % HOT_LANES == 0)
        arrput(hot->lanes, none);
    return &arrlast(hot->lanes);
}

/* Before the spot goes into its list. */
static void add_lane(struct hot_spots *hot, const struct hot_spot *spot, double near, double reach)
{
    struct hot_lanes *lanes = lanes_for_next(hot);
    size_t lane = arrlenu(hot->spots) % HOT_LANES;
    float radius = (float)sqrt(reach);
    lanes->strength[lane] = (float)(spot->brightness / PI);
    lanes->near[lane] = (float)near;
    lanes->reach[lane] = (float)reach;
    for (int k = 0; k < 3; k++) {
        float center = (float)spot->center.e[k];
        lanes->center[k][lane] = center;
        lanes->normal[k][lane] = (float)spot->normal.e[k];
        lanes->mins[k] = fminf(lanes->mins[k], center - radius);
        lanes->maxs[k] = fmaxf(lanes->maxs[k], center + radius);
    }
}

static void find_in_square(struct hot_spots *hot, const struct square *square, double cap)
{
    const struct face_light *face = &hot->radiosity->map->faces[square->face];
    struct hot_spot spot = {.face = square->face};
    int right = square->column + square->side, below = square->row + square->side;
    for (int t = square->row; t < below && t < face->height; t++)
        for (int s = square->column; s < right && s < face->width; s++)
            add_luxel(hot, face, t * face->width + s, cap, &spot);
    if (!(spot.brightness > 0))
        return;
    spot.center = vec3_scale(spot.center, 1 / spot.brightness);
    spot.normal = face->mesh ? vec3_normalize(spot.normal) : face->normal;
    for (int k = 0; k < 2; k++)
        spot.half_side[k] = vec3_scale(face->axis[k], square->side / 2.0);
    double reach = square->reach > 0 ? square->reach : spot.brightness / (LEAST_LIGHT * PI);
    add_lane(hot, &spot, near_of(face, square->side), reach);
    arrput(hot->spots, spot);
}

/* Parts reach as far as the whole: far away they count together. */
static void cut_square(struct hot_spots *hot, struct square square, double cap)
{
    const struct face_light *face = &hot->radiosity->map->faces[square.face];
    struct square pending[SIDE_LUXELS * SIDE_LUXELS] = {square};
    double reach = power_of(face, &square, cap) / (LEAST_LIGHT * PI);
    int count = 1;
    while (count > 0) {
        struct square now = pending[--count];
        double most = LIGHT_TO_CUT * PI * near_of(face, now.side);
        if (now.side == 1 || power_of(face, &now, cap) <= most) {
            find_in_square(hot, &now, cap);
            continue;
        }
        int half = now.side / 2;
        for (int i = 0; i < 4; i++)
            pending[count++] = (struct square){now.face, now.column + i % 2 * half,
                                               now.row + i / 2 * half, half, reach};
    }
}

void hot_spots_find(const struct radiosity *radiosity, struct hot_spots *out)
{
    const struct luxel_map *map = radiosity->map;
    size_t count = radiosity->first[map->face_count] + 2;
    double cap = CAP * mean_brightness(map);
    *out = (struct hot_spots){.radiosity = radiosity};
    if (!(cap > 0))
        return;
    out->luxel_of = memory_alloc(count * sizeof *out->luxel_of);
    for (size_t i = 0; i < count; i++)
        out->luxel_of[i] = -1;
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int row = 0; is_lit(face) && row < face->height; row += SIDE_LUXELS)
            for (int column = 0; column < face->width; column += SIDE_LUXELS)
                cut_square(out, (struct square){f, column, row, SIDE_LUXELS, 0}, cap);
    }
}

void hot_spots_free(struct hot_spots *hot)
{
    arrfree(hot->spots);
    arrfree(hot->lanes);
    arrfree(hot->luxels);
    memory_free(hot->luxel_of);
    *hot = (struct hot_spots){0};
}
