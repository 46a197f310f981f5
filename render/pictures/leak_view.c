#include "render/pictures/leak_view.h"

#include <limits.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/sketch.def"
#include "common/geom/angle.h"
#include "scene/views/first_hit.h"

static const double (*points_of(const struct diag_property *property))[3]
{
    return (const double(*)[3])property->numbers;
}

struct leak_facts leak_facts_of(const struct diag_where *where, struct arena *arena)
{
    struct leak_polygon *polygons = ARENA_ARRAY(arena, struct leak_polygon, where->property_count);
    const struct diag_property *solids = diag_property(where, DIAG_OF_SOLIDS),
                               *way = diag_property(where, DIAG_OF_WAY);
    const double *hole = diag_numbers(where, DIAG_OF_HOLE),
                 *size = diag_numbers(where, DIAG_OF_HOLE_SIZE);
    struct leak_facts leak = {.where = where, .has_hole = hole != NULL, .polygons = polygons};
    if (hole)
        leak.hole = vec3(hole[0], hole[1], hole[2]);
    leak.width = size ? size[0] : 0;
    leak.height = size ? size[1] : 0;
    leak.solids = solids ? solids->places : NULL;
    leak.solid_count = solids ? solids->count : 0;
    leak.way = way ? points_of(way) : NULL;
    leak.way_count = way ? way->count / 3 : 0;
    for (size_t i = 0; i < where->property_count; i++)
        if (where->properties[i].name == DIAG_OF_POLYGON)
            polygons[leak.polygon_count++] = (struct leak_polygon){points_of(&where->properties[i]),
                                                                   where->properties[i].count / 3};
    return leak;
}

int leak_brush(const struct leak_facts *leak, size_t solid)
{
    const double *number = diag_numbers(&leak->solids[solid], DIAG_OF_BRUSH_NUMBER);
    /* A message that comes from a cache may have any. */
    return number && *number >= 0 && *number < INT_MAX ? (int)*number : -1;
}

#define DEGREES (180 / PI)

/* The best distance from the hole: in half widths of it, and no less than BEST_LEAST. */
#define HALF_WIDTHS 4.0
#define BEST_LEAST  224.0

/* The best view is at this angle to the hole (cosine), where the solids around it have depth, and a
 * little from above. */
#define BEST_COSINE 0.88
#define BEST_RISE   0.12

/* The eye stays this far from what is behind it, as a part of the way there. */
#define CLEARANCE 0.85
#define STEP      4.0
#define TOUCHING  2.0

/* Of a hole that nothing surrounds: the eye is this far behind the entity. */
#define BEHIND 320.0
#define ABOVE  128.0

enum { DIRECTIONS = 96, PLACES = 7, SAMPLES = 8 };

/* Places along the way, inwards of the hole, from which views are tried. */
static const double places[PLACES] = {8, 32, 48, 96, 160, 256, 400};

struct hole {
    struct vec3 center, normal; /* normal: towards the inside */
    double half_width;
    struct vec3 samples[SAMPLES];
    int sample_count;
    double depth; /* of what fills it */
};

static struct vec3 point_of(const double point[3])
{
    return vec3(point[0], point[1], point[2]);
}

/* --- the hole --- */

/* Direction number `index` of DIRECTIONS: a spiral around the sphere. */
static struct vec3 direction_of(int index)
{
    double z = 1 - 2 * (index + 0.5) / (double)DIRECTIONS, flat = sqrt(1 - z * z);
    double turn = index * PI * (3 - sqrt(5));
    return vec3(flat * portable_cos(turn), flat * portable_sin(turn), z);
}

/* Returns a normal of the polygons, or one of no length. */
static struct vec3 normal_of(const struct leak_facts *leak)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (size_t i = 0; i < leak->polygon_count; i++) {
        const struct leak_polygon *polygon = &leak->polygons[i];
        struct vec3 normal = vec3(0, 0, 0);
        for (size_t j = 2; j < polygon->count; j++) {
            struct vec3 a = point_of(polygon->points[0]), b = point_of(polygon->points[j - 1]),
                        c = point_of(polygon->points[j]);
            normal = vec3_add(normal, vec3_cross(vec3_sub(c, a), vec3_sub(b, a)));
        }
        sum = vec3_mad(sum, normal, vec3_dot(sum, normal) < 0 ? -1 : 1);
    }
    return vec3_length(sum) > 0 ? vec3_normalize(sum) : sum;
}

/* Returns the number of the piece of the way that passes the hole. */
static size_t piece_at(const struct leak_facts *leak, struct vec3 center)
{
    size_t nearest = 0;
    double minimum = HUGE_VAL;
    for (size_t i = 0; i + 1 < leak->way_count; i++) {
        struct vec3 from = point_of(leak->way[i]);
        struct vec3 along = vec3_sub(point_of(leak->way[i + 1]), from);
        double square = vec3_dot(along, along);
        double part = square > 0 ? vec3_dot(vec3_sub(center, from), along) / square : 0;
        part = portable_fmin(portable_fmax(part, 0), 1);
        double distance = vec3_distance(vec3_mad(from, along, part), center);
        if (distance < minimum) {
            minimum = distance;
            nearest = i;
        }
    }
    return nearest;
}

/* Points all over the hole: its middle, and corners moved towards it. */
static void add_samples(const struct leak_facts *leak, struct hole *hole)
{
    hole->samples[hole->sample_count++] = hole->center;
    for (size_t i = 0; i < leak->polygon_count; i++)
        for (size_t j = 0; j < leak->polygons[i].count && hole->sample_count < SAMPLES; j++)
            hole->samples[hole->sample_count++] =
                vec3_lerp(point_of(leak->polygons[i].points[j]), hole->center, 0.2);
}

/* Returns how many surfaces are around a place on this side of the hole. */
static int enclosure(const struct render *render, const struct hole *hole, double side)
{
    struct vec3 from = vec3_mad(hole->center, hole->normal, side * places[1]);
    int count = 0;
    for (int first = 0; first < DIRECTIONS; first += TRACE_PACKET) {
        struct vec3 origins[TRACE_PACKET], directions[TRACE_PACKET];
        struct first_hit hits[TRACE_PACKET];
        for (int i = 0; i < TRACE_PACKET; i++) {
            origins[i] = from;
            directions[i] = direction_of(first + i);
        }
        scene_first_hits(&render->scene, false, origins, directions, 0xffff, hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            count += hits[i].kind != HIT_NOTHING;
    }
    return count;
}

/* Of an entity that stands in the hole, the side with more around it is the inside. */
static struct hole hole_of(const struct render *render, const struct leak_facts *leak)
{
    struct hole hole = {.center = leak->hole, .half_width = leak->width / 2};
    size_t piece = piece_at(leak, hole.center), next = piece + 1;
    struct vec3 in = vec3_sub(point_of(leak->way[next < leak->way_count ? next : piece]),
                              point_of(leak->way[piece]));
    struct vec3 end = vec3_sub(point_of(leak->way[leak->way_count - 1]), hole.center);
    hole.normal = normal_of(leak);
    if (vec3_length(hole.normal) == 0)
        hole.normal = vec3_length(in) > 0 ? vec3_normalize(in) : vec3(0, 0, 1);
    bool ends_here = fabs(vec3_dot(end, hole.normal)) < TOUCHING;
    double inwards = ends_here ? enclosure(render, &hole, 1) - enclosure(render, &hole, -1)
                               : vec3_dot(hole.normal, in);
    if (inwards < 0)
        hole.normal = vec3_neg(hole.normal);
    add_samples(leak, &hole);
    return hole;
}

/* --- views --- */

/* Detail is solid in its brushes, but not in the leaves of a map that leaks. */
static bool is_solid(const struct bsp *bsp, struct vec3 point)
{
    int leaf = bsp_leaf_at(bsp, 0, point);
    return (bsp->leaves[leaf].contents | bsp_brush_contents_at(bsp, leaf, point)) & CONTENTS_SOLID;
}

/* Returns how far one can go from the point: through no surface, and through no solid, whose
 * surfaces need not be drawn. */
static double free_way(const struct render *render, struct vec3 from, struct vec3 direction,
                       double max)
{
    struct vec3 origins[TRACE_PACKET] = {from}, directions[TRACE_PACKET] = {direction};
    struct first_hit hits[TRACE_PACKET];
    scene_first_hits(&render->scene, false, origins, directions, 1, hits);
    max = portable_fmin(max, hits[0].distance);
    if (arrlen(render->scene.bsp->leaves) == 0)
        return max;
    double distance = STEP;
    while (distance < max && !is_solid(render->scene.bsp, vec3_mad(from, direction, distance)))
        distance += STEP;
    return portable_fmin(distance, max);
}

static bool sees(const struct render *render, struct vec3 eye, struct vec3 point)
{
    struct vec3 way = vec3_sub(point, eye);
    double distance = vec3_length(way);
    return distance > 0 && free_way(render, eye, vec3_scale(way, 1 / distance),
                                    distance - TOUCHING) >= distance - TOUCHING;
}

static struct scene_view look_at(struct vec3 eye, struct vec3 target)
{
    struct vec3 way = vec3_sub(target, eye);
    double flat = portable_hypot(way.x, way.y);
    return (struct scene_view){.eye = eye,
                               .angles = vec3(-portable_atan2(way.z, flat) * DEGREES,
                                              portable_atan2(way.y, way.x) * DEGREES, 0)};
}

/* Returns how much of the hole is seen, by how well the view shows what is around it; 0 if that
 * cannot be better than the best. */
static double score_of(const struct render *render, const struct hole *hole, struct vec3 eye,
                       double best_score)
{
    struct vec3 way = vec3_sub(eye, hole->center);
    double distance = vec3_length(way),
           best = portable_fmax(HALF_WIDTHS * hole->half_width, BEST_LEAST);
    double near = distance < best ? distance / best : best / distance;
    double cosine = vec3_dot(way, hole->normal) / distance, rise = way.z / distance;
    if (cosine <= 0)
        return 0;
    double slant = 1 - fabs(cosine - BEST_COSINE), tilt = 1 - 0.5 * fabs(rise - BEST_RISE);
    if (near * slant * tilt <= best_score)
        return 0;
    int seen = 0;
    for (int i = 0; i < hole->sample_count; i++)
        seen += sees(render, eye, vec3_mad(hole->samples[i], hole->normal, hole->depth));
    return (double)seen / hole->sample_count * near * slant * tilt;
}

static void try_place(const struct render *render, const struct hole *hole, struct vec3 place,
                      double *best, struct vec3 *eye)
{
    if (is_solid(render->scene.bsp, place))
        return;
    double reach = 4 * portable_fmax(hole->half_width, BEST_LEAST);
    for (int i = 0; i < DIRECTIONS; i++) {
        struct vec3 direction = direction_of(i);
        double way = CLEARANCE * free_way(render, place, direction, reach);
        for (int part = 1; part <= 3; part++) {
            struct vec3 candidate = vec3_mad(place, direction, way * part / 3);
            double score = score_of(render, hole, candidate, *best);
            if (score > *best) {
                *best = score;
                *eye = candidate;
            }
        }
    }
}

/* Returns the best score, or 0. */
static double try_places(const struct render *render, const struct leak_facts *leak,
                         const struct hole *hole, struct vec3 *eye)
{
    double best = 0, gone = 0;
    struct vec3 from = hole->center;
    int next = 0;
    for (size_t i = piece_at(leak, hole->center) + 1; i < leak->way_count; i++) {
        struct vec3 to = point_of(leak->way[i]);
        double length = vec3_distance(from, to);
        for (; next < PLACES && places[next] <= gone + length; next++)
            try_place(render, hole, vec3_lerp(from, to, (places[next] - gone) / length), &best,
                      eye);
        gone += length;
        from = to;
    }
    for (; next < PLACES; next++)
        try_place(render, hole, vec3_mad(hole->center, hole->normal, places[next]), &best, eye);
    return best;
}

/* Detail and others that do not seal may fill the hole: then they are seen instead. */
static struct scene_view view_of_hole(const struct render *render, const struct leak_facts *leak,
                                      struct hole *hole)
{
    static const double depths[] = {0, 8, 17, 33, 65};
    struct vec3 eye = vec3_mad(hole->center, hole->normal, BEST_LEAST);
    double best = 0;
    for (size_t i = 0; i < sizeof depths / sizeof *depths && best <= 0; i++) {
        hole->depth = depths[i];
        best = try_places(render, leak, hole, &eye);
    }
    return look_at(eye, hole->center);
}

/* The entity, from behind, with the map before it: nothing is around it. */
static struct scene_view view_of_entity(const struct render *render, const struct leak_facts *leak)
{
    struct bounds bounds = map_scene_bounds(&render->scene);
    struct vec3 entity = point_of(leak->way[leak->way_count - 1]);
    struct vec3 away = vec3_sub(entity, bounds_center(&bounds));
    away.z = 0;
    away = vec3_length(away) > 0 ? vec3_normalize(away) : vec3(1, 0, 0);
    struct vec3 eye = vec3_mad(entity, away, BEHIND);
    eye.z += ABOVE;
    struct scene_view view = look_at(eye, entity);
    view.outside = true;
    return view;
}

struct scene_view leak_view(const struct render *render, const struct leak_facts *leak)
{
    if (!leak->has_hole)
        return view_of_entity(render, leak);
    struct hole hole = hole_of(render, leak);
    return view_of_hole(render, leak, &hole);
}
