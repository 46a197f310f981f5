#include "vrad/luxels/luxel_hidden.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/scene/hemisphere.h"

/* A square that reaches less than this across a plane, in units, does not cross it. */
#define MIN_REACH 0.01

/* A point is behind a curve or displacement if at least so many rays of a packet hit back sides: in
 * the corner behind a quarter circle about half of them do, under a cover that is open below few.
 */
enum { BACKFACE_RAYS = 6 };

/* Step between the luxels that are tested first. */
enum { SURVEY_STEP = 4 };

/* Margin around a curve's box, in units. */
#define CURVE_REACH 0.125

/* Border points are moved this far into the face, in luxels. */
#define INSET 0.1

/* Outside of any map. */
#define FAR_AWAY 1e6f

/* ---- hidden by brushes ---- */

bool luxel_point_is_hidden(const struct scene *scene, struct vec3 point, struct vec3 normal)
{
    return luxel_point_is_hidden_below(scene, scene->tree.root, point, normal);
}

bool luxel_point_is_hidden_below(const struct scene *scene, int node, struct vec3 point,
                                 struct vec3 normal)
{
    struct vec3 above = vec3_mad(point, normal, SCENE_RAY_OFFSET);
    int leaf = leaf_tree_from(&scene->tree, node, above);
    return (scene->solid_leaves && scene->bsp->leaves[leaf].cluster < 0) ||
           scene_solid_at(scene, leaf, above);
}

/* ---- hidden in solid leaves ---- */

/* A box or parallelogram: its middle, and half its sides. */
struct extent {
    struct vec3 middle;
    struct vec3 reach[3];
    int directions;
};

static unsigned leaves_of(const struct bsp *bsp, int at, const struct extent *extent)
{
    unsigned met = 0;
    while (at >= 0) {
        const struct bsp_node *node = &bsp->nodes[at];
        const struct bsp_plane *plane = &bsp->planes[node->plane];
        struct vec3 normal = vec3_from_floats(plane->normal);
        double distance = vec3_dot(normal, extent->middle) - (double)plane->dist, reach = 0;
        for (int i = 0; i < extent->directions; i++)
            reach += fabs(vec3_dot(normal, extent->reach[i]));
        bool across = fabs(distance) + MIN_REACH < reach;
        if (across)
            met |= leaves_of(bsp, node->children[0], extent);
        if (met == (LUXEL_IN_OPEN | LUXEL_IN_SOLID))
            return met;
        at = node->children[across || distance < 0];
    }
    return met | (bsp->leaves[-1 - at].cluster < 0 ? LUXEL_IN_SOLID : LUXEL_IN_OPEN);
}

static struct extent box_extent(const struct bounds *box, double beyond)
{
    struct extent extent = {.directions = 3};
    for (int k = 0; k < 3; k++) {
        extent.middle.e[k] = (box->mins.e[k] + box->maxs.e[k]) / 2;
        extent.reach[k] = vec3(0, 0, 0);
        extent.reach[k].e[k] = (box->maxs.e[k] - box->mins.e[k]) / 2 + beyond;
    }
    return extent;
}

static struct extent curved_extent(const struct luxel_map *map, const struct face_light *face,
                                   double s, double t)
{
    struct bounds box = luxel_curved_bounds(map, face, s, t);
    return box_extent(&box, SCENE_RAY_OFFSET);
}

unsigned luxel_leaves(const struct luxel_map *map, const struct face_light *face, double s,
                      double t)
{
    const struct scene *scene = map->scene;
    if (!scene->solid_leaves)
        return LUXEL_IN_OPEN;
    struct extent extent = {.directions = 2};
    if (face->mesh) {
        extent = curved_extent(map, face, s, t);
    } else {
        struct vec3 middle = luxel_point(map, face, (struct point2){s, t}, NULL);
        extent.middle = vec3_mad(middle, face->normal, SCENE_RAY_OFFSET);
        for (int i = 0; i < 2; i++)
            extent.reach[i] = vec3_scale(face->axis[i], 0.5);
    }
    return leaves_of(scene->bsp, scene->bsp->models[0].head_node, &extent);
}

unsigned box_leaves(const struct bsp *bsp, const struct bounds *box)
{
    struct extent extent = box_extent(box, 2 * MIN_REACH);
    return leaves_of(bsp, bsp->models[0].head_node, &extent);
}

/* ---- back-face test ---- */

/* Cosine-weighted around z: a lifted (0, 2)-sequence. */
struct vec3 *luxel_backface_directions(struct arena *arena)
{
    struct vec3 *directions = ARENA_ARRAY(arena, struct vec3, TRACE_PACKET);
    for (int i = 0; i < TRACE_PACKET; i++) {
        double square[2];
        sample_square((uint32_t)i, 0, square);
        directions[i] = square_to_cosine(square);
    }
    return directions;
}

/* Rays from a point of a surface. */
static void set_rays(struct trace_packet *packet, struct vec3 point, struct vec3 normal,
                     const struct vec3 *directions)
{
    struct vec3 x, y, from = vec3_mad(point, normal, SCENE_RAY_OFFSET);
    frame_around(normal, &x, &y);
    for (int lane = 0; lane < TRACE_PACKET; lane++) {
        struct vec3 way = frame_point(directions[lane], x, y, normal);
        for (int k = 0; k < 3; k++) {
            packet->origin[k][lane] = (float)from.e[k];
            packet->direction[k][lane] = (float)way.e[k];
        }
        packet->near[lane] = 0;
        packet->far[lane] = FAR_AWAY;
    }
}

static int count_backs(const struct scene *scene, const struct trace_packet *packet)
{
    struct trace_hit hits[TRACE_PACKET];
    int count = 0;
    trace_closest16(scene->trace, TRACE_FACE | TRACE_SKY, packet, (1u << TRACE_PACKET) - 1, false,
                    hits);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (hits[i].distance < 0 || hits[i].class != TRACE_FACE ||
            !scene->one_sided[hits[i].triangle])
            continue;
        const float *normal = scene->triangles[hits[i].triangle].normal;
        float towards = 0;
        for (int k = 0; k < 3; k++)
            towards += normal[k] * packet->direction[k][i];
        count += towards > 0;
    }
    return count;
}

bool luxel_point_is_backfacing(const struct luxel_map *map, struct vec3 point, struct vec3 normal)
{
    struct trace_packet packet;
    set_rays(&packet, point, normal, map->backface_directions);
    return count_backs(map->scene, &packet) >= BACKFACE_RAYS;
}

/* The boxes of scene.curves that touch the face's; an stb_ds array. */
static struct bounds *curves_at(const struct luxel_map *map, const struct face_light *face)
{
    const struct scene *scene = map->scene;
    struct bounds *curves = NULL;
    if (!arrlen(scene->curves))
        return NULL;
    struct bounds box = luxel_face_bounds(map, face);
    for (ptrdiff_t i = 0; i < arrlen(scene->curves); i++)
        if (bounds_touch(&scene->curves[i], &box, CURVE_REACH))
            arrput(curves, scene->curves[i]);
    return curves;
}

/* The middle of a luxel's square, or of a border luxel the nearest point of the face. */
static struct vec3 middle_of(const struct luxel_map *map, const struct face_light *face, int luxel,
                             struct vec3 *normal)
{
    double s = luxel % face->width, t = luxel / face->width;
    struct point2 at = shape_nearest(face->polygon, face->corners, s, t);
    if (at.s != s || at.t != t) {
        struct point2 inside = shape_center(face->polygon, face->corners);
        double length = portable_hypot(inside.s - at.s, inside.t - at.t);
        double step = portable_fmin(INSET / portable_fmax(length, INSET), 0.5);
        at.s += step * (inside.s - at.s);
        at.t += step * (inside.t - at.t);
    }
    struct vec3 point = luxel_point(map, face, at, normal);
    if (!face->mesh)
        *normal = face->normal;
    return point;
}

static bool near_curve(const struct bounds *curves, struct vec3 point)
{
    for (ptrdiff_t i = 0; i < arrlen(curves); i++) {
        struct bounds box = {point, point};
        if (bounds_touch(&curves[i], &box, CURVE_REACH))
            return true;
    }
    return false;
}

struct survey {
    const struct luxel_map *map;
    const struct face_light *face;
    struct bounds *curves;
    unsigned char *sides;
};

static void test_luxel(struct survey *survey, int s, int t)
{
    int luxel = t * survey->face->width + s;
    struct vec3 normal, middle = middle_of(survey->map, survey->face, luxel, &normal);
    if (near_curve(survey->curves, middle))
        survey->sides[luxel] = luxel_point_is_backfacing(survey->map, middle, normal);
}

/* Assumes the result of the coarser grid's luxels around, if they agree. */
static bool predict_luxel(struct survey *survey, int s, int t, int step)
{
    const struct face_light *face = survey->face;
    int behind = 0, count = 0, off_s = s % step, off_t = t % step;
    for (int j = t - off_t; j <= t - off_t + (off_t ? step : 0); j += step) {
        for (int i = s - off_s; i <= s - off_s + (off_s ? step : 0); i += step) {
            if (i >= face->width || j >= face->height)
                return false;
            behind += survey->sides[j * face->width + i];
            count++;
        }
    }
    if (behind > 0 && behind < count)
        return false;
    survey->sides[t * face->width + s] = behind > 0;
    return true;
}

/* Tests every fourth luxel of every fourth row, and refines by halves where results differ. */
static int survey_face(struct survey *survey)
{
    const struct face_light *face = survey->face;
    int behind = 0;
    for (int step = SURVEY_STEP; step > 0; step /= 2)
        for (int t = 0; t < face->height; t += step)
            for (int s = 0; s < face->width; s += step) {
                bool known = s % (2 * step) == 0 && t % (2 * step) == 0 && step < SURVEY_STEP;
                if (step == SURVEY_STEP || (!known && !predict_luxel(survey, s, t, 2 * step)))
                    test_luxel(survey, s, t);
            }
    for (int i = 0; i < face->count; i++)
        behind += survey->sides[i];
    return behind;
}

/* Luxels at the border of the hidden part have points on both sides of it. */
static bool on_border(const struct face_light *face, const unsigned char *sides, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++)
            if ((sides[j * face->width + i] & LUXEL_BACKFACING) !=
                (sides[luxel] & LUXEL_BACKFACING))
                return true;
    return false;
}

unsigned char *luxel_backface_test(const struct luxel_map *map, const struct face_light *face)
{
    struct survey survey = {.map = map, .face = face, .curves = curves_at(map, face)};
    survey.sides = memory_zalloc((size_t)face->count + 1, 1);
    if (survey.curves) {
        if (survey_face(&survey) == face->count) /* there would be no light to fill it with */
            memset(survey.sides, 0, (size_t)face->count);
        for (int i = 0; i < face->count; i++)
            if (on_border(face, survey.sides, i))
                survey.sides[i] |= LUXEL_BACKFACE_BORDER;
    }
    arrfree(survey.curves);
    return survey.sides;
}
