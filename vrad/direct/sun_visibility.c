#include "vrad/direct/analytic_visibility.h"

#include <float.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/direct/shadow_marks.h"
#include "vrad/scene/hemisphere.h"

/* An occluder that reaches less than this into the space before the face, in units, does not
 * count. */
#define MIN_REACH 0.03

/* Minimum length, in units, on which an occluder cuts all rays for an umbra. */
#define MIN_CUT 0.01

/* Maximum number of occluders tested for an umbra, and of sky polygons. */
enum { MAX_TESTED = 24, MAX_SKIES = 32 };

/* Maximum number of occluders that are marked, before one per luxel, before rays are cheaper. */
enum { MAX_MARKED = 96 };

/* The shaft from a rectangle on a face's shadow plane to a sun. */
struct sweep {
    const struct occluders *occluders, *skies;
    const struct shadow_plane *plane;
    struct occluder_shaft shaft;
    struct vec3 corners[4]; /* of the rectangle */
    struct vec3 ways[4];    /* span a cone that contains the sun */
    struct vec3 towards;    /* the middle of the sun */
    int found[MAX_TESTED], count;
    int sky[MAX_SKIES], sky_count;
    int common_sky;     /* a sky polygon that all rays pass; -1: unknown */
    double sky_near[3]; /* where the nearest begins along each of shared_way; -INFINITY: unknown */
    bool too_many;      /* sky polygons */
    bool free;          /* no occluder in the shaft, except behind common_sky */
};

/* ---- the shaft ---- */

/* The plane through an edge of the rectangle, tilted so that all of the sun lies on its inner
 * side. */
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
    const struct sample_block *b = &shadows->points->bounds;
    const float st[4][2] = {{b->s0, b->t0}, {b->s1, b->t0}, {b->s1, b->t1}, {b->s0, b->t1}};
    struct vec3 middle = vec3(0, 0, 0), x, y;
    double radius = sun->spread / sqrt(1 - sun->spread * sun->spread);
    *sweep = (struct sweep){.occluders = shadows->occluders,
                            .skies = shadows->skies,
                            .plane = plane,
                            .towards = vec3_neg(sun->normal),
                            .common_sky = -1,
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

static struct vec3 corner_of(const struct occluders *occluders, const struct occluder *occluder,
                             int index)
{
    return vec3_from_floats(occluders->corners[occluder->first_corner + index]);
}

/* Returns true if the occluder itself, not just its box, may reach into the shaft. */
static bool reaches_in(const struct sweep *sweep, const struct occluders *occluders, int index)
{
    const struct occluder *occluder = &occluders->all[index];
    for (int p = 0; p < sweep->shaft.plane_count; p++) {
        const double *wall = sweep->shaft.planes[p];
        bool outside = true;
        for (int i = 0; i < occluder->corner_count && outside; i++) {
            struct vec3 at = corner_of(occluders, occluder, i);
            outside = wall[0] * at.x + wall[1] * at.y + wall[2] * at.z < wall[3] + MIN_REACH;
        }
        if (outside)
            return false;
    }
    return true;
}

/* ---- umbra ---- */

/* The part of the ray inside a closed occluder, from `low` to `high`. */
static bool cuts_closed(const struct occluders *occluders, const struct occluder *occluder,
                        struct vec3 from, struct vec3 way)
{
    double low = 0, high = (double)FLT_MAX;
    for (int i = 0; i < occluder->plane_count; i++) {
        const float *side = occluders->planes[occluder->first_plane + i];
        struct vec3 normal = vec3_from_floats(side);
        double above = vec3_dot(normal, from) - (double)side[3], rise = vec3_dot(normal, way);
        if (fabs(rise) < 1e-9) {
            if (above > -MIN_CUT)
                return false;
        } else if (rise < 0) {
            low = portable_fmax(low, -above / rise);
        } else {
            high = portable_fmin(high, -above / rise);
        }
    }
    return high - low > MIN_CUT;
}

/* The same for a polygon: the ray has to pass all of its edges on the inner side. */
static bool cuts_polygon(const struct occluders *occluders, const struct occluder *occluder,
                         struct vec3 from, struct vec3 way)
{
    const float *side = occluders->planes[occluder->first_plane];
    struct vec3 normal = vec3_from_floats(side), middle = vec3_from_floats(occluder->middle);
    double rise = vec3_dot(normal, way);
    double distance = ((double)side[3] - vec3_dot(normal, from)) / rise;
    if (fabs(rise) < 1e-6 || !(distance > MIN_CUT))
        return false;
    struct vec3 at = vec3_mad(from, way, distance);
    for (int i = 0; i < occluder->edge_count; i++) {
        const struct occluder_edge *edge = &occluders->edges[occluder->first_edge + i];
        struct vec3 start = corner_of(occluders, occluder, edge->from);
        struct vec3 along =
            vec3_normalize(vec3_sub(corner_of(occluders, occluder, edge->to), start));
        struct vec3 inwards = vec3_cross(normal, along);
        double inside = vec3_dot(inwards, vec3_sub(middle, start));
        double here = vec3_dot(inwards, vec3_sub(at, start));
        if (!((inside < 0 ? -here : here) > MIN_CUT))
            return false;
    }
    return true;
}

/* Extents of the corners along a direction. */
struct reach {
    double min, max;
};

static struct reach reach_of(const struct occluders *occluders, int index, struct vec3 way)
{
    const struct occluder *occluder = &occluders->all[index];
    struct reach reach = {(double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < occluder->corner_count; i++) {
        double at = vec3_dot(way, corner_of(occluders, occluder, i));
        reach.min = portable_fmin(reach.min, at);
        reach.max = portable_fmax(reach.max, at);
    }
    return reach;
}

static struct vec3 shared_way(const struct sweep *sweep, int w)
{
    return w == 0 ? vec3(0, 0, 1) : w == 1 ? sweep->plane->normal : sweep->towards;
}

/* Finds where the sky polygons begin along directions that all rays share. */
static void find_sky_near(struct sweep *sweep)
{
    for (int w = 0; w < 3; w++) {
        const struct vec3 way = shared_way(sweep, w);
        double near = sweep->too_many ? -(double)INFINITY : (double)INFINITY;
        for (int i = 0; i < 4; i++)
            if (!(vec3_dot(way, sweep->ways[i]) > 0))
                near = -(double)INFINITY;
        for (int s = 0; s < sweep->sky_count; s++)
            near = portable_fmin(near, reach_of(sweep->skies, sweep->sky[s], way).min);
        sweep->sky_near[w] = near;
    }
}

/* Returns true if the occluder lies before all sky polygons, along one of these directions. */
static bool is_before_skies(const struct sweep *sweep, int index)
{
    for (int w = 0; w < 3; w++)
        if (reach_of(sweep->occluders, index, shared_way(sweep, w)).max <= sweep->sky_near[w])
            return true;
    return false;
}

/* Returns true if all rays that hit the occluder have passed the sky before: they all pass one sky
 * polygon, and the occluder lies behind its plane. */
static bool is_behind_sky(const struct sweep *sweep, int index)
{
    if (sweep->common_sky < 0)
        return false;
    const struct occluder *sky = &sweep->skies->all[sweep->common_sky];
    const float *plane = sweep->skies->planes[sky->first_plane];
    struct vec3 normal = vec3_from_floats(plane);
    struct reach occluder = reach_of(sweep->occluders, index, normal);
    return vec3_dot(normal, sweep->towards) > 0 ? occluder.min > (double)plane[3] - MIN_REACH
                                                : occluder.max < (double)plane[3] + MIN_REACH;
}

/* The directions that a convex occluder blocks from one point form a convex cone, and so do the
 * points for one direction: testing the corners is enough. */
static bool stops_all(const struct sweep *sweep, const struct occluders *occluders, int index)
{
    const struct occluder *occluder = &occluders->all[index];
    for (int i = 0; i < 16; i++) {
        struct vec3 from = sweep->corners[i / 4], way = sweep->ways[i % 4];
        if (!(occluder->closed ? cuts_closed : cuts_polygon)(occluders, occluder, from, way))
            return false;
    }
    return true;
}

static bool is_umbra(const struct sweep *sweep, int index)
{
    return !sweep->occluders->all[index].alpha && stops_all(sweep, sweep->occluders, index) &&
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
    if (sweep->common_sky < 0 && stops_all(sweep, sweep->skies, index))
        sweep->common_sky = index;
    return !sweep->too_many;
}

static void find_skies(struct sweep *sweep)
{
    occluders_find(sweep->skies, &sweep->shaft, visit_sky, sweep);
    find_sky_near(sweep);
}

static bool visit_occluder(void *context, int index)
{
    struct sweep *sweep = context;
    if (!reaches_in(sweep, sweep->occluders, index))
        return true;
    if (!is_behind_sky(sweep, index))
        sweep->free = false;
    if (!sweep->too_many)
        sweep->found[sweep->count++] = index;
    return !sweep->too_many && sweep->count < MAX_TESTED;
}

static bool in_umbra(struct sweep *sweep, int *last)
{
    if (!sweep->too_many && *last >= 0 && is_umbra(sweep, *last))
        return true;
    occluders_find(sweep->occluders, &sweep->shaft, visit_occluder, sweep);
    for (int i = 0; i < sweep->count; i++) {
        if (!is_umbra(sweep, sweep->found[i]))
            continue;
        *last = sweep->found[i];
        return true;
    }
    return false;
}

/* ---- contribution ---- */

static void light_whole_face(const struct receiver *to, struct light_contribution *contribution)
{
    const struct face_light *face = to->face;
    contribution->width = face->width;
    contribution->height = face->height;
    contribution->cast = true;
    contribution->sum = ARENA_ARRAY(to->arena, float, (size_t)(face->slots * face->count));
    for (int j = 0; j < face->slots; j++)
        for (int l = 0; l < face->count; l++) {
            const float *normal = receiver_normals(to, l)[j];
            float cosine = 0;
            for (int k = 0; k < 3; k++)
                cosine -= normal[k] * (float)contribution->light->normal.e[k];
            if (to->coarse_count[l] && cosine > 0)
                contribution->sum[j * face->count + l] = cosine;
        }
}

bool sun_visibility_resolve(const struct receiver *to, const struct face_shadows *shadows,
                            struct light_contribution *contribution)
{
    const struct scene *scene = to->scene;
    struct sweep sweep;
    if (!scene->has_sky || !scene->sealed || !(contribution->light->spread < 0.5))
        return false;
    start_sweep(shadows, contribution->light, &sweep);
    find_skies(&sweep);
    if (!sweep.sky_count || in_umbra(&sweep, &shadows->plane->sun_umbra)) {
        contribution->width = contribution->height = 0;
        return true;
    }
    if (!sweep.free || sweep.count == MAX_TESTED ||
        (scene->skybox.present && to->face->area != scene->skybox.area))
        return false;
    light_whole_face(to, contribution);
    return true;
}

/* ---- marks ---- */

/* A role of struct shadow_marking. Rays that pass the sky meet nothing behind it. */
static enum occluder_role role_before_sky(void *context, int index)
{
    const struct sweep *sweep = context;
    if (is_behind_sky(sweep, index))
        return ROLE_NONE;
    return is_before_skies(sweep, index) ? ROLE_WHOLE : ROLE_EDGES;
}

/* A soft sun is marked by its middle: its penumbra lies on both sides of that outline, and is
 * followed from there. */
void sun_visibility_mark(const struct receiver *to, const struct face_shadows *shadows,
                         struct light_contribution *contribution)
{
    const struct light *sun = contribution->light;
    const struct sample_block *b = &shadows->points->bounds;
    struct planar_shadow_cells cells;
    struct sweep sweep;
    if (!(sun->spread < 0.5)) {
        shadow_marks_unknown(to, contribution);
        return;
    }
    if (!(vec3_dot(sun->normal, shadows->plane->normal) < -(double)LIGHT_GRAZING))
        return;
    start_sweep(shadows, sun, &sweep);
    find_skies(&sweep);
    const struct shadow_marking marking = {
        .occluders = shadows->occluders,
        .shaft = &sweep.shaft,
        .light = sweep.towards,
        .sun = true,
        .window = {(double)b->s0, (double)b->t0, (double)b->s1, (double)b->t1},
        .max = MAX_MARKED + to->face->count,
        .role = role_before_sky,
        .context = &sweep};
    enum planar_shadow result = planar_shadow_mark(shadows->plane, &marking, to->arena, &cells);
    shadow_marks_set(to, shadows->points, result, &cells, contribution);
}
