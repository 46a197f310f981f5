#include "vrad/shadows/silhouette.h"

/* Occluders this near to the light cast no shadow: rays end as far before it. */
#define LIGHT_GAP 0.02

/* Outlines are widened by this, in luxels, so that no light leaks between adjacent ones; narrower
 * ones are dropped. */
#define OVERLAP 1e-4

/* An edge runs along the rows if its normal has less than this along s. */
#define STEEPEST 1e-5

/* A plane with less slope than this, per luxel and relative to its height, does not cross the
 * face. */
#define LEVEL 1e-9

/* A sun that shines along a side within this sine sees neither face of it. */
#define EDGE_ON 1e-6

/* Edges along which the sun shines are no longer than this on the plane, in luxels. */
#define MIN_EDGE 1e-7

/* Corners are projected if they lie this far below the light, relative to its height. */
#define MIN_DROP 1e-3

struct plane_point plane_point_of(const struct shadow_plane *plane, struct vec3 point)
{
    struct plane_point place;
    place.s = vec3_dot(plane->dual[0], point) + plane->offset[0];
    place.t = vec3_dot(plane->dual[1], point) + plane->offset[1];
    place.z = shadow_height(plane, point);
    return place;
}

struct plane_point plane_way_of(const struct shadow_plane *plane, struct vec3 way)
{
    return (struct plane_point){vec3_dot(plane->dual[0], way), vec3_dot(plane->dual[1], way),
                                vec3_dot(plane->normal, way)};
}

static bool face_lies_outside(const struct shadow_plane *plane, double a, double b, double c)
{
    for (int i = 0; i < plane->corners; i++)
        if (a * plane->polygon[i].s + b * plane->polygon[i].t + c >= SILHOUETTE_MIN_REACH)
            return false;
    return true;
}

/* Clips the outline by a s + b t + c >= 0. False when nothing of the window is left. */
static bool add_edge(const struct silhouette_view *view, double a, double b, double c,
                     struct silhouette *outline)
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
    if (max < SILHOUETTE_MIN_REACH ||
        (view->plane->slanted && face_lies_outside(view->plane, a, b, c)))
        return false;
    double min = c + a * (a > 0 ? window->s0 : window->s1) + b * (b > 0 ? window->t0 : window->t1);
    if (min < 0)
        outline->edges[outline->count++] = (struct shadow_edge){
            (float)a, (float)b, (float)c, fabs(a) > STEEPEST ? (float)(1 / a) : 0};
    return true;
}

/* Adds the plane of a side. `sign`: 1, or -1 to flip its normal. */
static bool add_side(const struct silhouette_view *view, const float side[4], double sign,
                     struct silhouette *outline)
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

/* How far the light is before a side, of the least distance that counts. */
static double before_side(const struct silhouette_view *view, const float side[4])
{
    if (view->sun)
        return vec3_dot(vec3_from_floats(side), view->light) / EDGE_ON;
    return above(side, view->light) / LIGHT_GAP;
}

/* Finds the sides that face the light, one bit each, and clips the outline by them. False when
 * nothing is left. */
static bool add_sides(const struct silhouette_view *view, const struct occluder *occluder,
                      struct silhouette *outline, unsigned *front)
{
    const float(*planes)[4] = (const float(*)[4])view->occluders->planes + occluder->first_plane;
    *front = 0;
    if (!occluder->closed) {
        double height = before_side(view, planes[0]);
        *front = 1;
        return fabs(height) >= 1 && add_side(view, planes[0], height > 0 ? 1 : -1, outline);
    }
    for (int i = 0; i < occluder->plane_count; i++) {
        if (!(before_side(view, planes[i]) > -1))
            continue;
        *front |= 1u << i;
        if (!add_side(view, planes[i], 1, outline))
            return false;
    }
    return true;
}

/* The light sees one side of a silhouette edge, or the edge has only one. */
static bool on_silhouette(const struct occluder_edge *edge, unsigned front)
{
    return edge->right == OCCLUDER_SIDES || ((front >> edge->left ^ front >> edge->right) & 1);
}

static struct plane_point minus(const struct plane_point *a, const struct plane_point *b)
{
    return (struct plane_point){a->s - b->s, a->t - b->t, a->z - b->z};
}

static double product(const struct plane_point *a, const struct plane_point *b)
{
    return a->s * b->s + a->t * b->t + a->z * b->z;
}

/* The plane through the light and two points, or along the way to the sun; `inside` lies within.
 * The points are those of from_light. */
static bool add_silhouette_edge(const struct silhouette_view *view, const struct plane_point *from,
                                const struct plane_point *to, const struct plane_point *inside,
                                struct silhouette *outline)
{
    struct plane_point a = view->sun ? minus(to, from) : *from, b = view->sun ? view->at : *to;
    struct plane_point within = view->sun ? minus(inside, from) : *inside;
    struct plane_point normal = {a.t * b.z - a.z * b.t, a.z * b.s - a.s * b.z,
                                 a.s * b.t - a.t * b.s};
    if (view->sun && fabs(a.s) + fabs(a.t) < MIN_EDGE)
        return true;
    double sign = product(&normal, &within) > 0 ? 1 : -1;
    double dist = product(&normal, view->sun ? from : &view->at);
    return add_edge(view, sign * normal.s, sign * normal.t, -sign * dist, outline);
}

/* Relative to the light; to the plane's origin for a sun. */
static struct plane_point from_light(const struct silhouette_view *view, const float point[3])
{
    struct plane_point place = plane_point_of(view->plane, vec3_from_floats(point));
    return view->sun ? place : minus(&place, &view->at);
}

/* Returns true if all of the occluder lies outside of a plane through the light and a side of the
 * window. */
static bool misses(const struct silhouette_view *view, const struct plane_point *places, int count)
{
    const struct shadow_window *window = view->window;
    const struct plane_point *light = &view->at;
    double s0 = window->s0 + SILHOUETTE_MIN_REACH - light->s,
           s1 = window->s1 - SILHOUETTE_MIN_REACH - light->s;
    double t0 = window->t0 + SILHOUETTE_MIN_REACH - light->t,
           t1 = window->t1 - SILHOUETTE_MIN_REACH - light->t;
    unsigned outside = 15;
    for (int i = 0; i < count && outside; i++) {
        double s = places[i].s * light->z, t = places[i].t * light->z, z = places[i].z;
        unsigned here = (s + s0 * z < 0) | (unsigned)(s + s1 * z > 0) << 1 |
                        (unsigned)(t + t0 * z < 0) << 2 | (unsigned)(t + t1 * z > 0) << 3;
        outside &= here;
    }
    return outside != 0;
}

/* The points where the sun's rays through the corners meet the plane. */
static void project_along(const struct silhouette_view *view, struct plane_point *places, int count)
{
    const struct plane_point *way = &view->at;
    for (int i = 0; i < count; i++) {
        double lift = places[i].z / way->z;
        places[i] =
            (struct plane_point){places[i].s - lift * way->s, places[i].t - lift * way->t, 0};
    }
}

/* misses and find_rows for a sun: the shadow lies in the box of the projected corners. */
static bool misses_sun(const struct silhouette_view *view, const struct plane_point *places,
                       int count, struct silhouette *outline)
{
    const struct shadow_window *window = view->window;
    double low = (double)INFINITY, high = -low, left = low, right = high;
    for (int i = 0; i < count; i++) {
        left = places[i].s < left ? places[i].s : left;
        right = places[i].s > right ? places[i].s : right;
        low = places[i].t < low ? places[i].t : low;
        high = places[i].t > high ? places[i].t : high;
    }
    outline->low = low > window->t0 ? low : window->t0;
    outline->high = high < window->t1 ? high : window->t1;
    return right < window->s0 + SILHOUETTE_MIN_REACH || left > window->s1 - SILHOUETTE_MIN_REACH ||
           high < window->t0 + SILHOUETTE_MIN_REACH || low > window->t1 - SILHOUETTE_MIN_REACH;
}

/* The rows that the shadow may touch. */
static void find_rows(const struct silhouette_view *view, const struct plane_point *places,
                      int count, struct silhouette *outline)
{
    const struct plane_point *light = &view->at;
    double low = (double)INFINITY, high = -low;
    outline->low = view->window->t0;
    outline->high = view->window->t1;
    for (int i = 0; i < count; i++) {
        if (places[i].z > -MIN_DROP * light->z) /* it may be anywhere */
            return;
        double t = light->t - places[i].t * light->z / places[i].z;
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    outline->low = low > outline->low ? low : outline->low;
    outline->high = high < outline->high ? high : outline->high;
}

bool silhouette_find(const struct silhouette_view *view, const struct occluder *occluder,
                     struct silhouette *outline)
{
    const struct occluders *occluders = view->occluders;
    struct plane_point places[OCCLUDER_CORNERS];
    unsigned front;
    outline->count = 0;
    if (!add_sides(view, occluder, outline, &front))
        return false;
    for (int i = 0; i < occluder->corner_count; i++)
        places[i] = from_light(view, occluders->corners[occluder->first_corner + i]);
    struct plane_point inside = from_light(view, occluder->middle);
    if (view->sun) {
        project_along(view, places, occluder->corner_count);
        if (misses_sun(view, places, occluder->corner_count, outline))
            return false;
    } else if (misses(view, places, occluder->corner_count)) {
        return false;
    } else {
        find_rows(view, places, occluder->corner_count, outline);
    }
    for (int i = 0; i < occluder->edge_count; i++) {
        const struct occluder_edge *edge = &occluders->edges[occluder->first_edge + i];
        if (on_silhouette(edge, front) &&
            !add_silhouette_edge(view, &places[edge->from], &places[edge->to], &inside, outline))
            return false;
    }
    return true;
}

/* ---- umbra test ---- */

/* Lights this near to a side are left to the outline. */
#define UMBRA_LIGHT_GAP 0.03

/* Minimum length of a ray inside the occluder, relative to the ray. */
#define UMBRA_MIN_CUT 1e-7

/* A ray from the light to a corner is blocked if it enters the occluder before it leaves it. If
 * this holds for all corners, it does for all rays between them. */
bool umbra_test(const struct occluders *occluders, const struct occluder *occluder,
                struct vec3 light, const struct vec3 corners[4])
{
    double enter[4] = {0, 0, 0, 0}, leave[4] = {1, 1, 1, 1};
    bool outside = false;
    if (!occluder->closed || occluder->alpha)
        return false;
    for (int p = 0; p < occluder->plane_count; p++) {
        const float *side = occluders->planes[occluder->first_plane + p];
        double from = above(side, light);
        bool front = from > 0;
        if (fabs(from) < UMBRA_LIGHT_GAP)
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
            if (!(leave[i] - enter[i] > UMBRA_MIN_CUT))
                return false;
        }
    }
    return outside;
}
