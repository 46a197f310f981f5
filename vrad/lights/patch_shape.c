#include "vrad/lights/patch_shape.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "vrad/lights/light.h"
#include "vrad/lights/polygon.h"

/* Limits in distances from the middle to the farthest corner: exact light, and beyond the second
 * one a point, whose light is within half a percent. */
#define NEAR  3.0
#define POINT 12.0

/* Height over the plane of the light, at or below which a point receives nothing. */
#define IN_PLANE 1e-3

/* Corners nearer than this to the line through their neighbours, in units, are dropped. */
#define STRAIGHT 1e-3

/* ---- the shape ---- */

static bool is_straight(struct vec3 before, struct vec3 at, struct vec3 after)
{
    struct vec3 along = vec3_sub(after, before);
    double length = vec3_length(along);
    return vec3_length(vec3_cross(vec3_sub(at, before), along)) <= STRAIGHT * length;
}

/* Copies the corners that are no points on edges, as long as there is room. Returns their number,
 * or more than there is room for. */
static int copy_corners(const struct vec3 *corners, int count, struct vec3 *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct vec3 before = kept ? out[(kept - 1) % PATCH_CORNERS] : corners[count - 1];
        if (is_straight(before, corners[i], corners[(i + 1) % count]))
            continue;
        if (kept == PATCH_CORNERS)
            return PATCH_CORNERS + 1;
        out[kept++] = corners[i];
    }
    return kept;
}

/* Second moments along two axes of the plane, about the middle, divided by the area. */
struct moments {
    double xx, xy, yy;
};

static struct moments moments_of(const struct vec3 *corners, int count, struct vec3 middle,
                                 const struct vec3 axis[2])
{
    struct moments sum = {0};
    double area = 0;
    for (int i = 0; i < count; i++) {
        struct vec3 a = vec3_sub(corners[i], middle);
        struct vec3 b = vec3_sub(corners[(i + 1) % count], middle);
        double ax = vec3_dot(a, axis[0]), ay = vec3_dot(a, axis[1]);
        double bx = vec3_dot(b, axis[0]), by = vec3_dot(b, axis[1]);
        double twice = fabs(ax * by - ay * bx);
        sum.xx += twice * (ax * ax + bx * bx + ax * bx) / 6;
        sum.yy += twice * (ay * ay + by * by + ay * by) / 6;
        sum.xy += twice * (2 * ax * ay + 2 * bx * by + ax * by + bx * ay) / 12;
        area += twice;
    }
    if (!(area > 0))
        return (struct moments){0};
    return (struct moments){sum.xx / area, sum.xy / area, sum.yy / area};
}

/* A rectangle of half sides a and b has the moments (a a' + b b') / 3. */
static void set_sides(struct patch_shape *shape, const struct moments *of,
                      const struct vec3 axis[2])
{
    double middle = (of->xx + of->yy) / 2, half = (of->xx - of->yy) / 2;
    double spread = sqrt(half * half + of->xy * of->xy);
    double angle = portable_atan2(of->xy, half) / 2;
    double c = portable_cos(angle), s = portable_sin(angle);
    for (int k = 0; k < 2; k++) {
        struct vec3 way = vec3_add(vec3_scale(axis[0], k ? -s : c), vec3_scale(axis[1], k ? c : s));
        double max = portable_fmax(middle + (k ? -spread : spread), 0);
        shape->side[k] = vec3_scale(way, sqrt(3 * max));
    }
}

static void set_rectangle(struct patch_shape *shape, struct vec3 middle)
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    shape->count = 4;
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_mad(middle, shape->side[0], corner[i][0]);
        shape->corners[i] = vec3_mad(at, shape->side[1], corner[i][1]);
    }
}

static int minor_axis(struct vec3 normal)
{
    int min = fabs(normal.y) < fabs(normal.x) ? 1 : 0;
    return fabs(normal.z) < fabs(normal.e[min]) ? 2 : min;
}

struct patch_shape *patch_shape_new(struct arena *arena, const struct vec3 *corners, int count,
                                    struct vec3 middle, struct vec3 normal, double area)
{
    struct vec3 kept[PATCH_CORNERS], axis[2] = {{.x = 0}};
    int number = copy_corners(corners, count, kept);
    if (number < 3 || !(area > 0))
        return NULL;
    struct patch_shape *shape =
        arena_alloc(arena, 1, sizeof *shape + PATCH_CORNERS * sizeof shape->corners[0]);
    shape->area = area;
    axis[0].e[minor_axis(normal)] = 1;
    axis[0] = vec3_normalize(vec3_cross(axis[0], normal));
    axis[1] = vec3_cross(normal, axis[0]);
    struct moments moments = moments_of(corners, count, middle, axis);
    set_sides(shape, &moments, axis);
    shape->count = number;
    if (number <= PATCH_CORNERS)
        memcpy(shape->corners, kept, (size_t)number * sizeof *kept);
    else
        set_rectangle(shape, middle);
    for (int i = 0; i < shape->count; i++)
        shape->reach = portable_fmax(shape->reach, vec3_distance(shape->corners[i], middle));
    return shape;
}

bool patch_is_near(const struct patch_shape *shape, double distance)
{
    return distance < NEAR * shape->reach;
}

double patch_near(const struct patch_shape *shape)
{
    return NEAR * shape->reach;
}

/* ---- near light ---- */

/* The distance along the direction to the plane at which rays end. */
static double before_patch(const struct light *light, double height, struct vec3 direction)
{
    double cosine = portable_fmax(-vec3_dot(direction, light->normal), 1e-6);
    return portable_fmax(height - SURFACE_LIFT, 0) / cosine;
}

/* The vector irradiance of the whole shape, for a radiance of 1 by its area. */
static double near_light(const struct light *light, struct vec3 point, double height,
                         struct vec3 *direction, double *distance)
{
    const struct patch_shape *shape = light->shape;
    struct vec3 way[PATCH_CORNERS];
    for (int i = 0; i < shape->count; i++)
        way[i] = vec3_normalize(vec3_sub(shape->corners[i], point));
    struct vec3 sum = polygon_irradiance(way, shape->count);
    double length = vec3_length(sum);
    if (!(length > 0))
        return 0;
    *direction = vec3_scale(sum, vec3_dot(sum, light->normal) > 0 ? -1 / length : 1 / length);
    *distance = before_patch(light, height, *direction);
    return length / shape->area;
}

/* ---- farther away ---- */

/* Of the light of a point at the distance d in direction u, which is u / d^2 times the cosine at
 * the light, the part of second order in the patch's size: with the moments M / d^2, its trace t
 * and q = 12 u'Mu - 2 t, the vector becomes u (1 + q) - 4 M u. */
static double wide_light(const struct patch_shape *shape, struct vec3 *direction, double distance)
{
    struct vec3 u = *direction, a = shape->side[0], b = shape->side[1];
    double scale = 1 / (3 * distance * distance);
    double x = vec3_dot(a, u), y = vec3_dot(b, u);
    double trace = (vec3_dot(a, a) + vec3_dot(b, b)) * scale;
    double q = 12 * (x * x + y * y) * scale - 2 * trace;
    struct vec3 sum = vec3_scale(u, q < 0 ? 1 / (1 - q) : 1 + q);
    sum = vec3_mad(vec3_mad(sum, a, -4 * x * scale), b, -4 * y * scale);
    double length = vec3_length(sum);
    *direction = vec3_scale(sum, 1 / length);
    return length;
}

double patch_light_at(const struct light *light, struct vec3 point, struct vec3 *direction,
                      double *distance)
{
    struct vec3 way = vec3_sub(light->origin, point);
    double away = vec3_length(way), height = -vec3_dot(way, light->normal);
    *distance = away;
    *direction = away > 0 ? vec3_scale(way, 1 / away) : vec3(0, 0, 0);
    if (height <= IN_PLANE)
        return 0;
    if (patch_is_near(light->shape, away))
        return near_light(light, point, height, direction, distance);
    double share = height / away * light_falloff(light, away);
    if (away < POINT * light->shape->reach)
        share *= wide_light(light->shape, direction, away);
    *distance = before_patch(light, height, *direction);
    return share;
}

/* wide_light for the rows within POINT; their distances stay those to the plane of the light. */
static void widen_rows(const struct light *light, const struct light_rows *rows)
{
    const struct patch_shape *shape = light->shape;
    const float x0 = (float)light->normal.x, y0 = (float)light->normal.y,
                z0 = (float)light->normal.z;
    const float ax = (float)shape->side[0].x, ay = (float)shape->side[0].y;
    const float az = (float)shape->side[0].z, bx = (float)shape->side[1].x;
    const float by = (float)shape->side[1].y, bz = (float)shape->side[1].z;
    const float trace = ax * ax + ay * ay + az * az + bx * bx + by * by + bz * bz;
    const float end = (float)(POINT * shape->reach), near = (float)patch_near(shape);
    float *restrict distance = rows->distance;
    float *restrict dx = rows->direction[0], *restrict dy = rows->direction[1];
    float *restrict dz = rows->direction[2], *restrict attenuation = rows->attenuation;
    for (int i = 0, count = rows->count; i < count; i++) {
        float d = distance[i] > near ? distance[i] : near;
        float scale = d < end ? 1 / (3 * d * d) : 0;
        float x = ax * dx[i] + ay * dy[i] + az * dz[i], y = bx * dx[i] + by * dy[i] + bz * dz[i];
        float q = (12 * (x * x + y * y) - 2 * trace) * scale;
        float own = q < 0 ? 1 / (1 - q) : 1 + q;
        float p = 4 * x * scale, r = 4 * y * scale;
        float u = own * dx[i] - p * ax - r * bx, v = own * dy[i] - p * ay - r * by;
        float w = own * dz[i] - p * az - r * bz;
        float length = sqrtf(u * u + v * v + w * w), inverse = 1 / length;
        float height = x0 * dx[i] + y0 * dy[i] + z0 * dz[i], wide = x0 * u + y0 * v + z0 * w;
        attenuation[i] *= length;
        distance[i] *= wide < 0 && height < 0 ? height * length / wide : 1;
        dx[i] = u * inverse;
        dy[i] = v * inverse;
        dz[i] = w * inverse;
    }
}

/* Lets the rays of rows that are not near end before the patch, as before_patch. */
static void shorten_rows(const struct light *light, const struct light_rows *rows, float near)
{
    const float *dx = rows->direction[0], *dy = rows->direction[1], *dz = rows->direction[2];
    const float x = (float)light->normal.x, y = (float)light->normal.y, z = (float)light->normal.z;
    float *restrict distance = rows->distance;
    for (int i = 0, count = rows->count; i < count; i++) {
        float cosine = -(dx[i] * x + dy[i] * y + dz[i] * z), d = distance[i];
        float end = cosine * d > (float)SURFACE_LIFT ? d - (float)SURFACE_LIFT / cosine : 0;
        distance[i] = d < near || cosine <= 0 ? d : end;
    }
}

void patch_light_batch(const struct light *light, const struct light_rows *rows)
{
    const struct patch_shape *shape = light->shape;
    float min = INFINITY, near = (float)patch_near(shape);
    for (int i = 0; i < rows->count; i++)
        min = rows->distance[i] < min ? rows->distance[i] : min;
    if ((double)min < POINT * shape->reach)
        widen_rows(light, rows);
    shorten_rows(light, rows, near);
    for (int i = 0; i < rows->count && min < near; i++) {
        if (!(rows->distance[i] < near) || !(rows->attenuation[i] > 0))
            continue;
        struct vec3 way, point = vec3((double)rows->point[0][i], (double)rows->point[1][i],
                                      (double)rows->point[2][i]);
        double distance;
        rows->attenuation[i] = (float)patch_light_at(light, point, &way, &distance);
        rows->distance[i] = (float)distance;
        for (int k = 0; k < 3; k++)
            rows->direction[k][i] = (float)way.e[k];
    }
}
