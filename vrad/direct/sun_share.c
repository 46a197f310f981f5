#include "vrad/direct/analytic_visibility.h"

#include <float.h>

#include "common/core/array.h"
#include "vrad/scene/hemisphere.h"

/* What reaches less than this into the space before the face, in units, is beside it. */
#define MIN_REACH 0.03

/* A body that covers the face is cut by all rays at least this long, in units. */
#define MIN_CUT 0.01

/* Bodies that are tried as covers, and polygons of the sky that may stand before them. */
enum { MAX_TRIED = 24, MAX_SKIES = 32 };

/* All rays from a rectangle on the plane of a face's rays to a sun. */
struct sweep {
    const struct shadow_bodies *bodies, *skies;
    const struct shadow_plane *plane;
    struct shadow_shaft shaft;
    struct vec3 corners[4]; /* of the rectangle */
    struct vec3 ways[4];    /* their cone holds the sun */
    struct vec3 towards;    /* the middle of the sun */
    int found[MAX_TRIED], count;
    int sky[MAX_SKIES], sky_count;
    int roof;      /* a polygon of the sky that all rays pass; -1: none is known */
    bool too_many; /* skies */
    bool free;     /* no body is in it, but behind the roof */
};

/* ---- the shaft ---- */

/* The wall through an edge of the rectangle that all of the sun lies on the inner side of. */
static void add_wall(struct sweep *sweep, struct vec3 a, struct vec3 b, struct vec3 inside,
                     double spread)
{
    struct vec3 along = vec3_normalize(vec3_sub(b, a));
    struct vec3 across = vec3_cross(along, sweep->towards);
    double length = vec3_length(across);
    if (!(length > spread))
        return;
    across = vec3_scale(across, 1 / length);
    if (vec3_dot(across, vec3_sub(inside, a)) < 0)
        across = vec3_neg(across);
    struct vec3 up = vec3_mad(sweep->towards, along, -vec3_dot(sweep->towards, along));
    double sine = spread / length, cosine = sqrt(1 - sine * sine);
    struct vec3 normal = vec3_mad(vec3_scale(across, cosine), up, sine / length);
    double *wall = sweep->shaft.planes[sweep->shaft.plane_count++];
    for (int k = 0; k < 3; k++)
        wall[k] = normal.e[k];
    wall[3] = vec3_dot(normal, a);
}

static void start_sweep(const struct face_shadows *shadows, const struct light *sun,
                        struct sweep *sweep)
{
    const struct shadow_plane *plane = shadows->plane;
    const struct lamp_block *b = &shadows->lamp->bounds;
    const float st[4][2] = {{b->s0, b->t0}, {b->s1, b->t0}, {b->s1, b->t1}, {b->s0, b->t1}};
    struct vec3 middle = vec3(0, 0, 0), x, y;
    double radius = sun->spread / sqrt(1 - sun->spread * sun->spread);
    *sweep = (struct sweep){.bodies = shadows->bodies,
                            .skies = shadows->skies,
                            .plane = plane,
                            .towards = vec3_neg(sun->normal),
                            .roof = -1,
                            .free = true};
    frame_around(sweep->towards, &x, &y);
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_mad(plane->origin, plane->axis[0], (double)st[i][0]);
        sweep->corners[i] = vec3_mad(at, plane->axis[1], (double)st[i][1]);
        middle = vec3_mad(middle, sweep->corners[i], 0.25);
        struct vec3 way = vec3_mad(sweep->towards, x, i & 1 ? radius : -radius);
        sweep->ways[i] = vec3_mad(way, y, i & 2 ? radius : -radius);
    }
    struct bounds *box = &sweep->shaft.box;
    *box = bounds_empty();
    for (int i = 0; i < 4; i++) {
        bounds_add_point(box, sweep->corners[i]);
        add_wall(sweep, sweep->corners[i], sweep->corners[(i + 1) & 3], middle, sun->spread);
    }
    for (int k = 0; k < 3; k++) {
        if (sweep->towards.e[k] + sun->spread > 0)
            box->maxs.e[k] = (double)FLT_MAX;
        if (sweep->towards.e[k] - sun->spread < 0)
            box->mins.e[k] = -(double)FLT_MAX;
    }
    double *floor = sweep->shaft.planes[sweep->shaft.plane_count++];
    for (int k = 0; k < 3; k++)
        floor[k] = plane->normal.e[k];
    floor[3] = plane->dist;
}

static struct vec3 corner_of(const struct shadow_bodies *bodies, const struct shadow_body *body,
                             int index)
{
    return vec3_from_floats(bodies->corners[body->first_corner + index]);
}

/* Whether the body itself, not just its box, may reach into the shaft. */
static bool reaches_in(const struct sweep *sweep, const struct shadow_bodies *bodies, int index)
{
    const struct shadow_body *body = &bodies->bodies[index];
    for (int p = 0; p < sweep->shaft.plane_count; p++) {
        const double *wall = sweep->shaft.planes[p];
        bool outside = true;
        for (int i = 0; i < body->corner_count && outside; i++) {
            struct vec3 at = corner_of(bodies, body, i);
            outside = wall[0] * at.x + wall[1] * at.y + wall[2] * at.z < wall[3] + MIN_REACH;
        }
        if (outside)
            return false;
    }
    return true;
}

/* ---- covers ---- */

/* The part of the ray that lies in the body, from `low` to `high`. */
static bool cuts_body(const struct shadow_bodies *bodies, const struct shadow_body *body,
                      struct vec3 from, struct vec3 way)
{
    double low = 0, high = (double)FLT_MAX;
    for (int i = 0; i < body->plane_count; i++) {
        const float *side = bodies->planes[body->first_plane + i];
        struct vec3 normal = vec3_from_floats(side);
        double above = vec3_dot(normal, from) - (double)side[3], rise = vec3_dot(normal, way);
        if (fabs(rise) < 1e-9) {
            if (above > -MIN_CUT)
                return false;
        } else if (rise < 0) {
            low = fmax(low, -above / rise);
        } else {
            high = fmin(high, -above / rise);
        }
    }
    return high - low > MIN_CUT;
}

/* A polygon: the ray has to pass all of its edges on the inner side. */
static bool cuts_polygon(const struct shadow_bodies *bodies, const struct shadow_body *body,
                         struct vec3 from, struct vec3 way)
{
    const float *side = bodies->planes[body->first_plane];
    struct vec3 normal = vec3_from_floats(side), middle = vec3_from_floats(body->middle);
    double rise = vec3_dot(normal, way);
    double distance = ((double)side[3] - vec3_dot(normal, from)) / rise;
    if (fabs(rise) < 1e-6 || !(distance > MIN_CUT))
        return false;
    struct vec3 at = vec3_mad(from, way, distance);
    for (int i = 0; i < body->ridge_count; i++) {
        const struct shadow_ridge *ridge = &bodies->ridges[body->first_ridge + i];
        struct vec3 start = corner_of(bodies, body, ridge->from);
        struct vec3 along = vec3_normalize(vec3_sub(corner_of(bodies, body, ridge->to), start));
        struct vec3 inwards = vec3_cross(normal, along);
        double inside = vec3_dot(inwards, vec3_sub(middle, start));
        double here = vec3_dot(inwards, vec3_sub(at, start));
        if (!((inside < 0 ? -here : here) > MIN_CUT))
            return false;
    }
    return true;
}

/* How far corners reach along a way. */
struct reach {
    double min, max;
};

static struct reach reach_of(const struct shadow_bodies *bodies, int index, struct vec3 way)
{
    const struct shadow_body *body = &bodies->bodies[index];
    struct reach reach = {(double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < body->corner_count; i++) {
        double at = vec3_dot(way, corner_of(bodies, body, i));
        reach.min = fmin(reach.min, at);
        reach.max = fmax(reach.max, at);
    }
    return reach;
}

/* Whether the body lies on this side of all skies, along one of some ways that all rays follow in
 * part. */
static bool is_before_skies(const struct sweep *sweep, int index)
{
    const struct vec3 ways[3] = {vec3(0, 0, 1), sweep->plane->normal, sweep->towards};
    for (int w = 0; w < 3; w++) {
        bool before = true;
        for (int i = 0; i < 4; i++)
            before = before && vec3_dot(ways[w], sweep->ways[i]) > 0;
        double max = reach_of(sweep->bodies, index, ways[w]).max;
        for (int s = 0; s < sweep->sky_count && before; s++)
            before = max <= reach_of(sweep->skies, sweep->sky[s], ways[w]).min;
        if (before)
            return true;
    }
    return false;
}

/* Whether all rays that meet the body have met the sky before: they all pass one polygon of it, and
 * the body lies behind its plane. */
static bool is_behind_sky(const struct sweep *sweep, int index)
{
    if (sweep->roof < 0)
        return false;
    const struct shadow_body *sky = &sweep->skies->bodies[sweep->roof];
    const float *plane = sweep->skies->planes[sky->first_plane];
    struct vec3 normal = vec3_from_floats(plane);
    struct reach body = reach_of(sweep->bodies, index, normal);
    return vec3_dot(normal, sweep->towards) > 0 ? body.min > (double)plane[3] - MIN_REACH
                                                : body.max < (double)plane[3] + MIN_REACH;
}

/* Rays that a convex body stops from one place are a convex cone, and so are the places from which
 * it stops one way: those of the corners tell all. */
static bool stops_all(const struct sweep *sweep, const struct shadow_bodies *bodies, int index)
{
    const struct shadow_body *body = &bodies->bodies[index];
    for (int i = 0; i < 16; i++) {
        struct vec3 from = sweep->corners[i / 4], way = sweep->ways[i % 4];
        if (!(body->closed ? cuts_body : cuts_polygon)(bodies, body, from, way))
            return false;
    }
    return true;
}

static bool covers(const struct sweep *sweep, int index)
{
    return !sweep->bodies->bodies[index].veil && stops_all(sweep, sweep->bodies, index) &&
           is_before_skies(sweep, index);
}

static bool visit_sky(void *context, int index)
{
    struct sweep *sweep = context;
    if (!reaches_in(sweep, sweep->skies, index))
        return true;
    sweep->too_many = sweep->sky_count == MAX_SKIES;
    if (!sweep->too_many)
        sweep->sky[sweep->sky_count++] = index;
    if (sweep->roof < 0 && stops_all(sweep, sweep->skies, index))
        sweep->roof = index;
    return !sweep->too_many;
}

static bool visit_body(void *context, int index)
{
    struct sweep *sweep = context;
    if (!reaches_in(sweep, sweep->bodies, index))
        return true;
    if (!is_behind_sky(sweep, index))
        sweep->free = false;
    if (!sweep->too_many)
        sweep->found[sweep->count++] = index;
    return !sweep->too_many && sweep->count < MAX_TRIED;
}

static bool is_covered(struct sweep *sweep, int *last)
{
    if (!sweep->too_many && *last >= 0 && covers(sweep, *last))
        return true;
    shadow_bodies_find(sweep->bodies, &sweep->shaft, visit_body, sweep);
    for (int i = 0; i < sweep->count; i++) {
        if (!covers(sweep, sweep->found[i]))
            continue;
        *last = sweep->found[i];
        return true;
    }
    return false;
}

/* ---- the share ---- */

static void light_all(const struct receiver *to, struct light_share *share)
{
    const struct face_light *face = to->face;
    share->width = face->width;
    share->height = face->height;
    share->cast = true;
    share->sum = ARENA_ARRAY(to->arena, float, (size_t)(face->slots * face->count));
    for (int j = 0; j < face->slots; j++)
        for (int l = 0; l < face->count; l++) {
            const float *normal = receiver_normals(to, l)[j];
            float cosine = 0;
            for (int k = 0; k < 3; k++)
                cosine -= normal[k] * (float)share->light->normal.e[k];
            if (to->coarse_count[l] && cosine > 0)
                share->sum[j * face->count + l] = cosine;
        }
}

bool sun_share_settle(const struct receiver *to, const struct face_shadows *shadows,
                      struct light_share *share)
{
    const struct scene *scene = to->scene;
    struct sweep sweep;
    if (!scene->has_sky || !scene->sealed || !(share->light->spread < 0.5))
        return false;
    start_sweep(shadows, share->light, &sweep);
    shadow_bodies_find(shadows->skies, &sweep.shaft, visit_sky, &sweep);
    if (!sweep.sky_count || is_covered(&sweep, &shadows->plane->sun_cover)) {
        share->width = share->height = 0;
        return true;
    }
    if (!sweep.free || sweep.count == MAX_TRIED ||
        (scene->sky_room.present && to->face->area != scene->sky_room.area))
        return false;
    light_all(to, share);
    return true;
}
