#include "vrad/shadows/shadow_shape.h"

/* What a lamp is this near to hides nothing from it: rays end as far before it. */
#define LAMP_GAP 0.02

/* Outlines are this much wider than they are, in luxels, so that no light comes between
 * neighbours; narrower ones hide nothing. */
#define OVERLAP 1e-4

/* An edge whose normal has less than this along s runs along the rows. */
#define STEEPEST 1e-5

/* A plane whose normal has this share of its height, in a luxel, does not cross the face. */
#define LEVEL 1e-9

/* Corners that lie this much under a lamp, as a share of its height, have a place on the plane. */
#define MIN_DROP 1e-3

struct shadow_place shadow_place_of(const struct shadow_plane *plane, struct vec3 point)
{
    struct shadow_place place;
    place.s = vec3_dot(plane->dual[0], point) + plane->offset[0];
    place.t = vec3_dot(plane->dual[1], point) + plane->offset[1];
    place.z = shadow_height(plane, point);
    return place;
}

static bool face_lies_outside(const struct shadow_plane *plane, double a, double b, double c)
{
    for (int i = 0; i < plane->corners; i++)
        if (a * plane->polygon[i].s + b * plane->polygon[i].t + c >= SHADOW_MIN_REACH)
            return false;
    return true;
}

/* Cuts the outline by a s + b t + c >= 0. False when nothing of the window is left. */
static bool add_edge(const struct shadow_view *view, double a, double b, double c,
                     struct shadow_shape *outline)
{
    const struct shadow_window *window = view->window;
    double length = fabs(a) + fabs(b);
    if (!(length > LEVEL * fabs(c)))
        return c > 0;
    double scale = 1 / length;
    a *= scale;
    b *= scale;
    c = c * scale + OVERLAP;
    double max = c + a * (a > 0 ? window->s1 : window->s0) + b * (b > 0 ? window->t1 : window->t0);
    if (max < SHADOW_MIN_REACH || (view->plane->slanted && face_lies_outside(view->plane, a, b, c)))
        return false;
    double min = c + a * (a > 0 ? window->s0 : window->s1) + b * (b > 0 ? window->t0 : window->t1);
    if (min < 0)
        outline->edges[outline->count++] = (struct shadow_edge){
            (float)a, (float)b, (float)c, fabs(a) > STEEPEST ? (float)(1 / a) : 0};
    return true;
}

/* What lies behind a side. `sign`: 1, or -1 when its normal is to be turned. */
static bool add_side(const struct shadow_view *view, const float side[4], double sign,
                     struct shadow_shape *outline)
{
    const struct shadow_plane *plane = view->plane;
    struct vec3 normal = vec3_scale(vec3_from_floats(side), -sign);
    double dist = -sign * (double)side[3];
    return add_edge(view, vec3_dot(normal, plane->axis[0]), vec3_dot(normal, plane->axis[1]),
                    vec3_dot(normal, plane->origin) - dist, outline);
}

static double above(const float side[4], struct vec3 point)
{
    return (double)side[0] * point.x + (double)side[1] * point.y + (double)side[2] * point.z -
           (double)side[3];
}

/* Which sides the lamp sees, one bit each, by which the outline is cut. False when nothing is left.
 */
static bool add_sides(const struct shadow_view *view, const struct shadow_body *body,
                      struct shadow_shape *outline, unsigned *front)
{
    const float(*planes)[4] = (const float(*)[4])view->bodies->planes + body->first_plane;
    *front = 0;
    if (!body->closed) {
        double height = above(planes[0], view->lamp);
        *front = 1;
        return fabs(height) >= LAMP_GAP && add_side(view, planes[0], height > 0 ? 1 : -1, outline);
    }
    for (int i = 0; i < body->plane_count; i++) {
        if (!(above(planes[i], view->lamp) > -LAMP_GAP))
            continue;
        *front |= 1u << i;
        if (!add_side(view, planes[i], 1, outline))
            return false;
    }
    return true;
}

/* The lamp sees one side of a ridge of the silhouette, or there is but one. */
static bool on_silhouette(const struct shadow_ridge *ridge, unsigned front)
{
    return ridge->right == SHADOW_SIDES || ((front >> ridge->left ^ front >> ridge->right) & 1);
}

/* The plane through the lamp, which is the origin here, and two points; `inside` lies within. */
static bool add_ridge(const struct shadow_view *view, const struct shadow_place *from,
                      const struct shadow_place *to, const struct shadow_place *inside,
                      struct shadow_shape *outline)
{
    const struct shadow_place *lamp = &view->at;
    double s = from->t * to->z - from->z * to->t, t = from->z * to->s - from->s * to->z;
    double z = from->s * to->t - from->t * to->s;
    double sign = s * inside->s + t * inside->t + z * inside->z > 0 ? 1 : -1;
    double dist = s * lamp->s + t * lamp->t + z * lamp->z;
    return add_edge(view, sign * s, sign * t, -sign * dist, outline);
}

static struct shadow_place from_lamp(const struct shadow_view *view, const float point[3])
{
    struct shadow_place place = shadow_place_of(view->plane, vec3_from_floats(point));
    place.s -= view->at.s;
    place.t -= view->at.t;
    place.z -= view->at.z;
    return place;
}

/* Whether all of the body lies on the outer side of one of the planes through the lamp and a side
 * of the window. */
static bool misses(const struct shadow_view *view, const struct shadow_place *places, int count)
{
    const struct shadow_window *window = view->window;
    const struct shadow_place *lamp = &view->at;
    double s0 = window->s0 + SHADOW_MIN_REACH - lamp->s,
           s1 = window->s1 - SHADOW_MIN_REACH - lamp->s;
    double t0 = window->t0 + SHADOW_MIN_REACH - lamp->t,
           t1 = window->t1 - SHADOW_MIN_REACH - lamp->t;
    unsigned outside = 15;
    for (int i = 0; i < count && outside; i++) {
        double s = places[i].s * lamp->z, t = places[i].t * lamp->z, z = places[i].z;
        unsigned here = (s + s0 * z < 0) | (unsigned)(s + s1 * z > 0) << 1 |
                        (unsigned)(t + t0 * z < 0) << 2 | (unsigned)(t + t1 * z > 0) << 3;
        outside &= here;
    }
    return outside != 0;
}

/* The rows that the shadow may touch. */
static void find_rows(const struct shadow_view *view, const struct shadow_place *places, int count,
                      struct shadow_shape *outline)
{
    const struct shadow_place *lamp = &view->at;
    double low = (double)INFINITY, high = -low;
    outline->low = view->window->t0;
    outline->high = view->window->t1;
    for (int i = 0; i < count; i++) {
        if (places[i].z > -MIN_DROP * lamp->z) /* it may be anywhere */
            return;
        double t = lamp->t - places[i].t * lamp->z / places[i].z;
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    outline->low = low > outline->low ? low : outline->low;
    outline->high = high < outline->high ? high : outline->high;
}

bool shadow_shape_find(const struct shadow_view *view, const struct shadow_body *body,
                       struct shadow_shape *outline)
{
    const struct shadow_bodies *bodies = view->bodies;
    struct shadow_place places[SHADOW_CORNERS];
    unsigned front;
    outline->count = 0;
    if (!add_sides(view, body, outline, &front))
        return false;
    for (int i = 0; i < body->corner_count; i++)
        places[i] = from_lamp(view, bodies->corners[body->first_corner + i]);
    if (misses(view, places, body->corner_count))
        return false;
    find_rows(view, places, body->corner_count, outline);
    struct shadow_place inside = from_lamp(view, body->middle);
    for (int i = 0; i < body->ridge_count; i++) {
        const struct shadow_ridge *ridge = &bodies->ridges[body->first_ridge + i];
        if (on_silhouette(ridge, front) &&
            !add_ridge(view, &places[ridge->from], &places[ridge->to], &inside, outline))
            return false;
    }
    return true;
}

/* ---- one body hides all ---- */

/* What a lamp is this near to is left to the outline. */
#define COVER_LAMP_GAP 0.03

/* The least part of a ray within the body, as a share of its length. */
#define COVER_MIN_CUT 1e-7

/* The rays from the lamp to the corners pass the body, where all of them enter it before they leave
 * it: then so do all between them. */
bool shadow_covers(const struct shadow_bodies *bodies, const struct shadow_body *body,
                   struct vec3 lamp, const struct vec3 corners[4])
{
    double enter[4] = {0, 0, 0, 0}, leave[4] = {1, 1, 1, 1};
    bool outside = false;
    if (!body->closed || body->veil)
        return false;
    for (int p = 0; p < body->plane_count; p++) {
        const float *side = bodies->planes[body->first_plane + p];
        double from = above(side, lamp);
        bool front = from > 0;
        if (fabs(from) < COVER_LAMP_GAP)
            return false;
        outside = outside || front;
        for (int i = 0; i < 4; i++) {
            double to = above(side, corners[i]);
            if (front == (to > 0)) {
                if (front)
                    return false;
                continue;
            }
            double at = from / (from - to);
            if (front)
                enter[i] = at > enter[i] ? at : enter[i];
            else
                leave[i] = at < leave[i] ? at : leave[i];
            if (!(leave[i] - enter[i] > COVER_MIN_CUT))
                return false;
        }
    }
    return outside;
}
