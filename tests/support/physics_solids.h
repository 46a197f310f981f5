/* Physics solids for tests: hand-made boxes, and invariants of every solid of Valve's tools. */
#ifndef TESTS_PHYSICS_SOLIDS_H
#define TESTS_PHYSICS_SOLIDS_H

#include <math.h>

#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"
#include "common/geom/vec.h"

enum { HULL_BOX_POINTS = 8, HULL_BOX_TRIANGLES = 12 };

/* Adds a ledge of 12 triangles and its points; corners are numbered by bits: x 1, y 2, z 4. */
static inline void physics_add_box(struct physics_solid *solid, const float low[3],
                                   const float high[3], bool is_outer, int32_t client)
{
    static const unsigned char corners[HULL_BOX_TRIANGLES][3] = {
        {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
        {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    struct physics_ledge ledge = {is_outer, client, (int32_t)arrlen(solid->triangles),
                                  HULL_BOX_TRIANGLES};
    int32_t first = (int32_t)arrlen(solid->points);
    for (int32_t i = 0; i < HULL_BOX_TRIANGLES; i++) {
        struct physics_triangle triangle = {.pierce = i ^ 2, .is_virtual = is_outer};
        for (int k = 0; k < 3; k++)
            triangle.edges[k].point = first + corners[i][k];
        arrput(solid->triangles, triangle);
    }
    for (int i = 0; i < HULL_BOX_POINTS; i++) {
        struct physics_point point = {.ignored = 0};
        for (int k = 0; k < 3; k++)
            point.p[k] = i >> k & 1 ? high[k] : low[k];
        arrput(solid->points, point);
    }
    arrput(solid->ledges, ledge);
}

/* A node around a box. */
static inline struct physics_node physics_box_node(const float low[3], const float high[3],
                                                   int32_t ledge, int32_t right)
{
    struct physics_node node = {.right = right, .ledge = ledge};
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        float half = (high[k] - low[k]) / 2;
        node.centre[k] = (low[k] + high[k]) / 2;
        sum += half * half;
    }
    node.radius = sqrtf(sum);
    for (int k = 0; k < 3; k++)
        node.box[k] = (uint8_t)(250 * (high[k] - low[k]) / 2 / node.radius + 1);
    return node;
}

/* Two boxes side by side, with an outer hull around both or without. */
static inline struct physics_solid physics_two_boxes(bool with_outer)
{
    static const float low[3][3] = {{0, 0, 0}, {2, 0, 0}, {0, 0, 0}};
    static const float high[3][3] = {{1, 1, 1}, {3, 1, 2}, {3, 1, 2}};
    struct physics_solid solid = {.kind = PHYSICS_POLY,
                                  .drag = {1, 1, 1},
                                  .mass_centre = {1.5f, 0.5f, 1},
                                  .inertia = {1, 2, 3},
                                  .radius = 2,
                                  .deviation = 0xd7};
    for (int i = 0; i < 2; i++)
        physics_add_box(&solid, low[i], high[i], false, 7 + i);
    if (with_outer)
        physics_add_box(&solid, low[2], high[2], true, 0);
    arrput(solid.nodes, physics_box_node(low[2], high[2], with_outer ? 2 : -1, 2));
    arrput(solid.nodes, physics_box_node(low[0], high[0], 0, 0));
    arrput(solid.nodes, physics_box_node(low[1], high[1], 1, 0));
    return solid;
}

static inline struct vec3 physics_point(const struct physics_solid *solid, int32_t point)
{
    const float *p = solid->points[point].p;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

static inline const struct physics_triangle *
physics_triangle(const struct physics_solid *solid, const struct physics_ledge *ledge, int32_t i)
{
    return &solid->triangles[ledge->first_triangle + i];
}

/* Not normalised. */
static inline struct vec3 physics_normal(const struct physics_solid *solid,
                                         const struct physics_triangle *triangle)
{
    struct vec3 a = physics_point(solid, triangle->edges[0].point);
    return vec3_cross(vec3_sub(physics_point(solid, triangle->edges[1].point), a),
                      vec3_sub(physics_point(solid, triangle->edges[2].point), a));
}

static inline void physics_check_twins(const struct physics_solid *solid,
                                       const struct physics_ledge *ledge)
{
    for (int32_t i = 0; i < ledge->triangle_count * 3; i++) {
        const struct physics_triangle *triangle = physics_triangle(solid, ledge, i / 3);
        int32_t twin = triangle->edges[i % 3].twin;
        const struct physics_triangle *other = physics_triangle(solid, ledge, twin / 3);
        assert_int_equal(other->edges[twin % 3].twin, i);
        assert_int_equal(other->edges[twin % 3].point, triangle->edges[(i + 1) % 3].point);
        assert_int_equal(other->edges[(twin + 1) % 3].point, triangle->edges[i % 3].point);
    }
}

/* Checks that normals point outwards, that no part of the hull is in front of a triangle, and that
 * the triangle on the opposite side faces away from it. */
static inline void physics_check_hull(const struct physics_solid *solid,
                                      const struct physics_ledge *ledge)
{
    const double bulge = 0.005, flat = 1e-12;
    assert_true(ledge->triangle_count >= 4 || ledge->triangle_count == 2);
    for (int32_t i = 0; i < ledge->triangle_count; i++) {
        const struct physics_triangle *triangle = physics_triangle(solid, ledge, i);
        struct vec3 normal = physics_normal(solid, triangle);
        double length = sqrt(vec3_dot(normal, normal));
        if (length < flat)
            continue;
        struct vec3 far = physics_normal(solid, physics_triangle(solid, ledge, triangle->pierce));
        assert_true(vec3_dot(normal, far) <= flat);
        struct vec3 a = physics_point(solid, triangle->edges[0].point);
        for (int32_t k = 0; k < ledge->triangle_count * 3; k++) {
            int32_t point = physics_triangle(solid, ledge, k / 3)->edges[k % 3].point;
            struct vec3 way = vec3_sub(physics_point(solid, point), a);
            assert_true(vec3_dot(way, normal) / length <= bulge);
        }
    }
}

/* The hull lies in the node's sphere and box. */
static inline void physics_check_inside(const struct physics_solid *solid,
                                        const struct physics_node *node,
                                        const struct physics_ledge *ledge)
{
    double radius = (double)node->radius;
    for (int32_t i = 0; i < ledge->triangle_count * 3; i++) {
        int32_t point = physics_triangle(solid, ledge, i / 3)->edges[i % 3].point;
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            double way = fabs((double)solid->points[point].p[k] - (double)node->centre[k]);
            assert_true(way <= node->box[k] * radius / 250 + 1e-3);
            sum += way * way;
        }
        assert_true(sqrt(sum) <= radius * 1.001 + 1e-4);
    }
}

/* Returns the end of the nodes below the node. */
static inline int32_t physics_nodes_end(const struct physics_solid *solid, int32_t node)
{
    while (solid->nodes[node].right)
        node = solid->nodes[node].right;
    return node + 1;
}

static inline void physics_check_solid(const struct physics_solid *solid)
{
    double radius = 0;
    for (size_t i = 0; i < arrlenu(solid->ledges); i++) {
        physics_check_twins(solid, &solid->ledges[i]);
        physics_check_hull(solid, &solid->ledges[i]);
    }
    for (int32_t i = 0; i < arrlen(solid->nodes); i++)
        for (int32_t k = i; k < physics_nodes_end(solid, i); k++)
            if (!solid->nodes[k].right)
                physics_check_inside(solid, &solid->nodes[i],
                                     &solid->ledges[solid->nodes[k].ledge]);
    for (int32_t i = 0; i < arrlen(solid->points); i++) {
        const float *c = solid->mass_centre;
        struct vec3 way =
            vec3_sub(physics_point(solid, i), vec3((double)c[0], (double)c[1], (double)c[2]));
        radius = fmax(radius, sqrt(vec3_dot(way, way)));
    }
    assert_true((double)solid->radius >= radius * 0.999 - 1e-4);
}

static inline void expect_same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    if (a->size)
        assert_memory_equal(a->data, b->data, a->size);
}

static inline struct bytes physics_encoded(const struct physics_solid *solid, struct diag *diag)
{
    struct bytes out = {0};
    assert_int_equal(physics_solid_encode(solid, NULL, diag, &out), STATUS_OK);
    return out;
}

#endif
