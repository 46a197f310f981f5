#include "vrad/luxels/luxel_place.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/luxels/luxel_hidden.h"

/* Test points of a luxel between solids. */
enum { HIDDEN_TESTS = 16 };

/* Side of the blocks of luxels that search their leaves together. */
enum { BLOCK = 8 };

/* Minimum part of a square on the face: with less, all of its points would lie on the border. */
#define MIN_COVER 1e-3

/* No single cluster; -1 is that of solids. */
#define NOT_ONE (-2)

/* Occluders near a face, and where the clusters of its luxels go. */
struct nearby {
    int *clusters;
    unsigned char *sides; /* from luxel_backface_test */
    bool unknown;         /* unknown: the map is tested at each point */
    int *brushes;         /* stb_ds array: indices in scene.brushes */
    struct point2 middle; /* of the face */
};

/* Returns true if the brush reaches above the plane of the face. */
static bool stands_on(const struct scene_brush *brush, struct vec3 normal, double dist)
{
    struct vec3 top;
    for (int k = 0; k < 3; k++)
        top.e[k] = normal.e[k] > 0 ? brush->bounds.maxs.e[k] : brush->bounds.mins.e[k];
    return vec3_dot(normal, top) > dist + SCENE_RAY_OFFSET / 2;
}

/* The brushes of the face's leaves that may reach into the space before it. World brushes that
 * bound the leaves are not in their lists. */
static struct nearby find_nearby(const struct luxel_layout *layout, const struct face_light *face)
{
    const struct scene *scene = layout->scene;
    const struct bsp *bsp = scene->bsp;
    /* No leaf lists what stands on a displacement. */
    struct nearby nearby = {.sides = luxel_backface_test(layout->map, face),
                            .unknown = face->model > 0 || (face->mesh && face->face),
                            .middle = shape_center(face->polygon, face->corners)};
    if (nearby.unknown)
        return nearby;
    struct bounds box = luxel_face_bounds(layout->map, face);
    double dist = vec3_dot(face->normal, luxel_point(layout->map, face, face->polygon[0], NULL));
    ptrdiff_t number = face - layout->map->faces;
    for (int i = layout->first_leaf[number]; i < layout->first_leaf[number + 1]; i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[layout->leaves[i]];
        for (int k = 0; k < leaf->brush_count; k++) {
            int brush = scene->brush_numbers[bsp->leaf_brushes[leaf->first_brush + k]];
            if (brush >= 0 && bounds_touch(&scene->brushes[brush].bounds, &box, SCENE_RAY_OFFSET) &&
                (face->mesh || stands_on(&scene->brushes[brush], face->normal, dist)))
                arrput(nearby.brushes, brush);
        }
    }
    return nearby;
}

static struct bounds flat_bounds(const struct luxel_map *map, const struct face_light *face,
                                 double s, double t)
{
    struct vec3 middle = luxel_point(map, face, (struct point2){s, t}, NULL);
    struct bounds box;
    for (int k = 0; k < 3; k++) {
        double reach = 0.5 * (fabs(face->axis[0].e[k]) + fabs(face->axis[1].e[k]));
        box.mins.e[k] = middle.e[k] - reach;
        box.maxs.e[k] = middle.e[k] + reach;
    }
    return box;
}

/* Returns true if a nearby occluder may reach into the square of luxel (s, t). */
static bool has_nearby(const struct luxel_layout *layout, const struct face_light *face,
                       const struct nearby *nearby, double s, double t)
{
    if (nearby->unknown || !nearby->brushes)
        return nearby->unknown;
    struct bounds box = face->mesh ? luxel_curved_bounds(layout->map, face, s, t)
                                   : flat_bounds(layout->map, face, s, t);
    for (ptrdiff_t i = 0; i < arrlen(nearby->brushes); i++)
        if (bounds_touch(&layout->scene->brushes[nearby->brushes[i]].bounds, &box,
                         SCENE_RAY_OFFSET))
            return true;
    return false;
}

static struct vec3 point_of_part(const struct luxel_layout *layout, const struct face_light *face,
                                 struct point2 at, struct vec3 *normal)
{
    struct vec3 point = luxel_point(layout->map, face, at, normal);
    if (!face->mesh)
        *normal = face->normal;
    return point;
}

/* Tests points of the luxel's part. Fills what is hidden and near; returns the free share and the
 * free point nearest to their mean. Occluders that are `known` to be near may cover a sliver
 * between the points. */
static double test_hidden(const struct luxel_layout *layout, const struct face_light *face,
                          struct luxel *luxel, const struct point2 *part, int count, bool known,
                          int node, struct point2 *center)
{
    struct point2 points[HIDDEN_TESTS], mean = {0, 0};
    int freed = 0, behind = 0, tests = count >= 3 ? HIDDEN_TESTS : 1;
    for (int i = 0; i < tests; i++) {
        double u = (i % 4 + 0.5) / 4, v = (i / 4 + 0.5) / 4;
        struct point2 at = count >= 3 ? shape_sample(part, count, u, v) : *center;
        struct vec3 normal, point = point_of_part(layout, face, at, &normal);
        if (luxel_point_is_hidden_below(layout->scene, node, point, normal))
            continue;
        if (luxel->near_backfaces && luxel_point_is_backfacing(layout->map, point, normal)) {
            behind++;
            continue;
        }
        points[freed++] = at;
        mean.s += at.s;
        mean.t += at.t;
    }
    luxel->near_occluders = known || freed + behind < tests;
    luxel->near_backfaces = behind > 0;
    luxel->hidden = freed == 0;
    if (freed == tests || luxel->hidden)
        return freed > 0;
    double best = DBL_MAX;
    for (int i = 0; i < freed; i++) {
        double distance =
            portable_hypot(points[i].s - mean.s / freed, points[i].t - mean.t / freed);
        if (distance < best) {
            best = distance;
            *center = points[i];
        }
    }
    return (double)freed / tests;
}

/* The part of a luxel's square that lies on the face. */
struct part {
    int count; /* corners; 0: next to nothing */
    double area;
    struct point2 center;
    struct point2 corners[SHAPE_POINTS]; /* of boxed faces: not filled */
    struct point2 low, high;             /* of boxed faces only */
};

/* A point of the face for a border luxel: the nearest one, moved slightly inwards. */
static struct point2 border_point(const struct face_light *face, double inset, struct point2 middle,
                                  double s, double t)
{
    struct point2 at = {portable_fmin(portable_fmax(s, face->low.s), face->high.s),
                        portable_fmin(portable_fmax(t, face->low.t), face->high.t)};
    if (!face->boxed)
        at = shape_nearest(face->polygon, face->corners, s, t);
    double ds = middle.s - at.s, dt = middle.t - at.t;
    double units = portable_hypot(ds * vec3_length(face->axis[0]), dt * vec3_length(face->axis[1]));
    double step = face->mesh ? 0 : units > 2 * inset ? inset / units : 0.5;
    return (struct point2){at.s + ds * step, at.t + dt * step};
}

static void find_part(const struct face_light *face, double inset, struct point2 middle, double s,
                      double t, struct part *out)
{
    if (face->boxed) {
        out->low = (struct point2){portable_fmax(face->low.s, s - 0.5),
                                   portable_fmax(face->low.t, t - 0.5)};
        out->high = (struct point2){portable_fmin(face->high.s, s + 0.5),
                                    portable_fmin(face->high.t, t + 0.5)};
        double across = out->high.s - out->low.s, along = out->high.t - out->low.t;
        out->count = 4;
        out->area = across > 0 && along > 0 ? across * along : 0;
    } else {
        out->count = shape_clip(face->polygon, face->corners, s, t, out->corners);
        out->area = out->count ? shape_area(out->corners, out->count) : 0;
    }
    if (out->area < MIN_COVER)
        out->count = 0;
    if (!out->count)
        out->center = border_point(face, inset, middle, s, t);
    else if (face->boxed)
        out->center =
            (struct point2){(out->low.s + out->high.s) / 2, (out->low.t + out->high.t) / 2};
    else
        out->center = shape_center(out->corners, out->count);
}

/* Area of a luxel's whole square, in map units squared. */
static double square_area(const struct luxel_map *map, const struct face_light *face, double s,
                          double t)
{
    if (!face->mesh)
        return face->square;
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        struct point2 at = {s + (i == 1 || i == 2 ? 0.5 : -0.5), t + (i >= 2 ? 0.5 : -0.5)};
        corners[i] = luxel_point(map, face, at, NULL);
    }
    return vec3_length(
               vec3_cross(vec3_sub(corners[2], corners[0]), vec3_sub(corners[3], corners[1]))) /
           2;
}

/* The common cluster of all leaves that list the face, or NOT_ONE. */
static int only_cluster(const struct luxel_layout *layout, const struct face_light *face)
{
    ptrdiff_t number = face - layout->map->faces;
    int cluster = NOT_ONE;
    for (int i = layout->first_leaf[number]; i < layout->first_leaf[number + 1]; i++) {
        int other = layout->scene->bsp->leaves[layout->leaves[i]].cluster;
        if (cluster != NOT_ONE && cluster != other)
            return NOT_ONE;
        cluster = other;
    }
    return face->model > 0 || face->mesh ? NOT_ONE : cluster;
}

static int cluster_at(const struct luxel_layout *layout, int node, struct vec3 point,
                      struct vec3 normal)
{
    const struct scene *scene = layout->scene;
    struct vec3 above = vec3_mad(point, normal, SCENE_RAY_OFFSET);
    return scene->bsp->leaves[leaf_tree_from(&scene->tree, node, above)].cluster;
}

/* The lowest node at or below `node` that contains all points just above a rectangle of a flat
 * face, from luxel coordinates `low` to `high`. */
static int node_above(const struct luxel_layout *layout, const struct face_light *face, int node,
                      struct point2 low, struct point2 high)
{
    double across = (high.s - low.s) / 2, along = (high.t - low.t) / 2;
    struct point2 middle = {low.s + across, low.t + along};
    struct vec3 point = luxel_point(layout->map, face, middle, NULL);
    struct bounds box;
    point = vec3_mad(point, face->normal, SCENE_RAY_OFFSET);
    for (int k = 0; k < 3; k++) {
        double reach = fabs(face->axis[0].e[k]) * across + fabs(face->axis[1].e[k]) * along;
        box.mins.e[k] = point.e[k] - reach;
        box.maxs.e[k] = point.e[k] + reach;
    }
    return leaf_tree_around(&layout->scene->tree, node, &box);
}

/* The kinds of leaves that a luxel's square touches below a node. */
static unsigned leaves_below(const struct luxel_layout *layout, const struct face_light *face,
                             int node, double s, double t)
{
    const struct scene *scene = layout->scene;
    if (node >= 0 || !scene->solid_leaves)
        return luxel_leaves(layout->map, face, s, t);
    return scene->bsp->leaves[-1 - node].cluster < 0 ? LUXEL_IN_SOLID : LUXEL_IN_OPEN;
}

/* The lowest node that contains the test points of a luxel, in a block that lies below `node`. */
static int node_of_luxel(const struct luxel_layout *layout, const struct face_light *face, int node,
                         double s, double t)
{
    if (face->mesh || node < 0)
        return node;
    return node_above(layout, face, node, (struct point2){s - 0.5, t - 0.5},
                      (struct point2){s + 0.5, t + 0.5});
}

/* Finds the free share of the luxel's part. */
static double free_share(const struct luxel_layout *layout, const struct face_light *face,
                         const struct nearby *nearby, struct luxel *luxel, struct part *part,
                         int node, double s, double t)
{
    ptrdiff_t index = luxel - face->luxels;
    unsigned leaves = LUXEL_IN_OPEN;
    luxel->near_backfaces = nearby->sides[index] & LUXEL_BACKFACE_BORDER;
    if (layout->scene->solid_leaves)
        leaves = leaves_below(layout, face, node_of_luxel(layout, face, node, s, t), s, t);
    luxel->hidden = nearby->sides[index] == LUXEL_BACKFACING || leaves == LUXEL_IN_SOLID;
    if (luxel->hidden)
        return 0;
    if (!luxel->near_backfaces && leaves == LUXEL_IN_OPEN &&
        !has_nearby(layout, face, nearby, s, t))
        return 1;
    if (face->boxed && part->count)
        shape_of_box(part->low, part->high, part->corners);
    /* Without a part its point may lie outside of its square. */
    node = part->count ? node_of_luxel(layout, face, node, s, t) : layout->scene->tree.root;
    return test_hidden(layout, face, luxel, part->corners, part->count,
                       face->model == 0 && !face->mesh, node, &part->center);
}

/* `node` contains all of its block. */
static void place_luxel(const struct luxel_layout *layout, struct face_light *face, int index,
                        const struct nearby *nearby, int cluster, int node)
{
    struct luxel *luxel = &face->luxels[index];
    struct part part;
    double s = index % face->width, t = index / face->width;
    find_part(face, layout->border_inset, nearby->middle, s, t, &part);
    double share = free_share(layout, face, nearby, luxel, &part, node, s, t);
    struct vec3 normal, point = luxel_point(layout->map, face, part.center, &normal);
    vec3_to_floats(point, luxel->position);
    if (face->normals)
        vec3_to_floats(normal, face->normals[index]);
    if (part.count && share > 0) /* a displaced square may be larger than its clipped part */
        luxel->area =
            (float)(square_area(layout->map, face, s, t) * share * (face->mesh ? 1 : part.area));
    nearby->clusters[index] = cluster;
    if (cluster == NOT_ONE)
        nearby->clusters[index] = cluster_at(layout, part.count ? node : layout->scene->tree.root,
                                             point, face->mesh ? normal : face->normal);
}

/* Returns true if no luxel of the face needs a test: no occluders are near. */
static bool is_plain(const struct luxel_layout *layout, const struct face_light *face,
                     const struct nearby *nearby)
{
    return face->boxed && !nearby->unknown && !nearby->brushes && !layout->scene->solid_leaves &&
           !arrlen(layout->scene->curves) && !layout->map->normals.phong[face - layout->map->faces];
}

static void place_plain_luxel(const struct luxel_layout *layout, struct face_light *face, int s,
                              int t, const struct nearby *nearby, int cluster, int node)
{
    struct luxel *luxel = &face->luxels[t * face->width + s];
    struct point2 center;
    double area = shape_cut_line(face->low.s, face->high.s, s, &center.s) *
                  shape_cut_line(face->low.t, face->high.t, t, &center.t);
    if (area < MIN_COVER) {
        area = 0;
        center = border_point(face, layout->border_inset, nearby->middle, s, t);
        node = layout->scene->tree.root;
    }
    struct vec3 point = luxel_point(layout->map, face, center, NULL);
    vec3_to_floats(point, luxel->position);
    luxel->area = (float)(face->square * area);
    nearby->clusters[t * face->width + s] =
        cluster != NOT_ONE ? cluster : cluster_at(layout, node, point, face->normal);
}

static void place_block(const struct luxel_layout *layout, struct face_light *face,
                        const struct nearby *nearby, int cluster, int column, int row)
{
    int node = layout->scene->tree.root;
    int right = column + BLOCK < face->width ? column + BLOCK : face->width;
    int bottom = row + BLOCK < face->height ? row + BLOCK : face->height;
    bool plain = is_plain(layout, face, nearby);
    if (!face->mesh && !(plain && cluster != NOT_ONE))
        node = node_above(layout, face, node, (struct point2){column - 0.5, row - 0.5},
                          (struct point2){right - 0.5, bottom - 0.5});
    for (int t = row; t < bottom; t++)
        for (int s = column; s < right; s++)
            if (plain)
                place_plain_luxel(layout, face, s, t, nearby, cluster, node);
            else
                place_luxel(layout, face, t * face->width + s, nearby, cluster, node);
}

void luxel_measure_face(struct face_light *face)
{
    if (face->mesh)
        return;
    face->turns_left = shape_turns_left(face->polygon, face->corners);
    face->boxed = shape_is_box(face->polygon, face->corners, &face->low, &face->high);
    face->square = vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    luxel_duals(face, face->dual, face->offset);
}

void luxel_place_face(const struct luxel_layout *layout, struct face_light *face, int *clusters)
{
    luxel_measure_face(face);
    struct nearby nearby = find_nearby(layout, face);
    int cluster = only_cluster(layout, face);
    nearby.clusters = clusters;
    for (int t = 0; t < face->height; t += BLOCK)
        for (int s = 0; s < face->width; s += BLOCK)
            place_block(layout, face, &nearby, cluster, s, t);
    arrfree(nearby.brushes);
    memory_free(nearby.sides);
    const struct luxel *middle = &face->luxels[face->count / 2];
    struct vec3 above;
    for (int k = 0; k < 3; k++)
        above.e[k] =
            (double)middle->position[k] + SCENE_RAY_OFFSET * (double)luxel_normal(face, middle)[k];
    const struct scene *scene = layout->scene;
    face->area = scene->bsp->leaves[leaf_tree_at(&scene->tree, above)].area;
}
