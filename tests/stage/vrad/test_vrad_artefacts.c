/* Places where lighting is prone to artefacts: luxels beside and under objects on a floor, and dark
 * rooms behind thin walls. Expected values are computed here by boxes and points, luxel by
 * luxel. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_map.h"

struct box {
    double mins[3], maxs[3];
};

/* The boxes and the light of maps/light_edges.vmf. */
static const struct box things[] = {
    {{32, 32, 0.25}, {96, 96, 8}},    {{160, 32, 1}, {224, 96, 8}},
    {{32, 160, -0.5}, {96, 224, 32}}, {{163.3, 166.7, 0}, {220.6, 219.2, 24}},
    {{-1, 100, 0}, {4, 156, 12}},
};
enum { THINGS = sizeof things / sizeof *things, GRID = 24 };
static const struct vec3 light_entity = {{{128, 128, 112}}};
#define LIGHT_AT_1 (300.0 * 10000) /* at distance 1 */

/* Returns true if the segment between two points intersects the box. */
static bool crosses(const struct box *box, struct vec3 from, struct vec3 to)
{
    double enter = 0, leave = 1;
    for (int k = 0; k < 3; k++) {
        double way = to.e[k] - from.e[k];
        if (fabs(way) < 1e-9) {
            if (from.e[k] < box->mins[k] || from.e[k] > box->maxs[k])
                return false;
            continue;
        }
        double a = (box->mins[k] - from.e[k]) / way, b = (box->maxs[k] - from.e[k]) / way;
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter < leave;
}

static bool is_inside(const struct box *box, struct vec3 p)
{
    for (int k = 0; k < 3; k++)
        if (p.e[k] <= box->mins[k] || p.e[k] >= box->maxs[k])
            return false;
    return true;
}

/* The direct light at a point of the floor; -1 when the point is covered. */
static double floor_light(double x, double y)
{
    struct vec3 point = vec3(x, y, 0), above = vec3(x, y, 0.0625);
    bool dark = false;
    for (int i = 0; i < THINGS; i++) {
        if (is_inside(&things[i], above))
            return -1;
        dark = dark || crosses(&things[i], above, light_entity);
    }
    struct vec3 way = vec3_sub(light_entity, point);
    double d = vec3_length(way);
    return dark ? 0 : LIGHT_AT_1 * way.z / (d * d * d);
}

struct truth {
    double light, unblocked; /* means over what is not covered */
    double free;             /* share of the luxel on the floor that is not */
};

static struct truth floor_truth(double x, double y)
{
    struct truth truth = {0};
    int on_floor = 0, open = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        double px = x + 16 * ((i % GRID + 0.5) / (double)GRID - 0.5);
        double py = y + 16 * ((i / GRID + 0.5) / (double)GRID - 0.5);
        if (px < 0 || py < 0 || px > 256 || py > 256)
            continue;
        on_floor++;
        double light = floor_light(px, py);
        if (light < 0)
            continue;
        open++;
        truth.light += light;
        struct vec3 way = vec3_sub(light_entity, vec3(px, py, 0));
        truth.unblocked += LIGHT_AT_1 * way.z / pow(vec3_length(way), 3);
    }
    truth.light /= open ? open : 1;
    truth.unblocked /= open ? open : 1;
    truth.free = (double)open / (on_floor ? on_floor : 1);
    return truth;
}

static bool is_floor(const struct face_light *face)
{
    return face->count && face->normal.z > 0.9 && fabs(lit_map_place(face->luxels).z) < 0.01;
}

/* Luxels that a plank covers in part, at a distance of a quarter of a unit or of one, have the
 * light of the visible part; so have those that a crate's edge crosses, on the grid or off it. One
 * in a hundred may miss a sliver of shadow. */
static void luxels_at_edges_have_the_light_of_what_is_seen(void **state)
{
    struct lit_map lit;
    int tested = 0, cut = 0, missed = 0;
    (void)state;
    lit_map_open(&lit, "light_edges.vmf", 0);
    for (int i = 0; i < lit.map.face_count; i++) {
        const struct face_light *face = &lit.map.faces[i];
        for (int k = 0; is_floor(face) && k < face->count; k++) {
            const struct point2 at = {k % face->width, k / face->width};
            struct vec3 middle = luxel_point(&lit.map, face, at, NULL);
            struct truth truth = floor_truth(middle.x, middle.y);
            if (face->luxels[k].hidden || face->luxels[k].area == 0 || truth.free < 0.1)
                continue;
            double miss = fabs((double)lit_map_grey(face, k) - truth.light) / truth.unblocked;
            missed += miss > 0.06;
            assert_true(miss < 0.15);
            tested++;
            cut += truth.free < 0.9;
        }
    }
    assert_true(tested > 200);
    assert_true(cut > 20);
    assert_true(missed <= tested / 100);
    lit_map_close(&lit);
}

/* There are no occluders at the sample points. */
static void samples_lie_in_the_open(void **state)
{
    struct lit_map lit;
    int seen = 0;
    (void)state;
    lit_map_open(&lit, "light_edges.vmf", 0);
    for (int i = 0; i < lit.map.face_count; i++) {
        const struct face_light *face = &lit.map.faces[i];
        for (int k = 0; k < face->count; k++) {
            struct vec3 at = vec3_mad(lit_map_place(&face->luxels[k]), face->normal, 0.0625);
            for (int b = 0; b < THINGS && !face->luxels[k].hidden; b++)
                assert_false(is_inside(&things[b], at));
            seen += !face->luxels[k].hidden;
        }
    }
    assert_true(seen > 1000);
    lit_map_close(&lit);
}

/* The mean and the maximum light of the floors and walls in a box. */
static double light_within(const struct luxel_map *map, const struct box *box, double *max)
{
    double sum = 0, area = 0;
    *max = 0;
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        for (int k = 0; k < face->count; k++) {
            struct vec3 at = vec3_mad(lit_map_place(&face->luxels[k]), face->normal, 0.5);
            if (!is_inside(box, at) || face->luxels[k].hidden)
                continue;
            double light = lit_map_grey(face, k), of = (double)face->luxels[k].area;
            sum += of * light;
            area += of;
            *max = fmax(*max, light);
        }
    }
    assert_true(area > 1000);
    return sum / area;
}

/* Behind a wall of one unit, and across the corner of two, it is as dark as without any light. */
static void thin_walls_keep_light_out(void **state)
{
    static const struct box lit_room = {{0, 0, 0}, {256, 256, 128}};
    static const struct box dark[] = {{{257, 0, 0}, {513, 256, 128}},
                                      {{257, 257, 0}, {513, 513, 128}}};
    struct lit_map lit;
    double max;
    (void)state;
    lit_map_open(&lit, "light_leaks.vmf", 100);
    assert_true(light_within(&lit.map, &lit_room, &max) > 50);
    for (int i = 0; i < 2; i++) {
        assert_true(light_within(&lit.map, &dark[i], &max) == 0);
        assert_true(max == 0);
    }
    lit_map_close(&lit);
}

/* Under a door that ends a unit above the floor there is only a sliver of light: direct light as
 * far as a line from the light under the door's edges, and a thousandth in all of the room. */
static void a_gap_under_a_door_lets_in_a_sliver(void **state)
{
    static const struct box lit_room = {{0, 0, 0}, {256, 256, 128}};
    static const struct box behind = {{0, 264, 0}, {256, 513, 128}};
    struct lit_map lit;
    double max;
    (void)state;
    lit_map_open(&lit, "light_leaks.vmf", 100);
    double bright = light_within(&lit.map, &lit_room, &max);
    double inside = light_within(&lit.map, &behind, &max);
    assert_true(inside < 1e-3 * bright);
    for (int i = 0; i < lit.map.face_count; i++) {
        const struct face_light *face = &lit.map.faces[i];
        for (int k = 0; k < face->count; k++) {
            struct vec3 at = lit_map_place(&face->luxels[k]);
            /* The light is 100 up and 129 off the door's near edge: the line meets the floor 1.3
             * units behind that edge, within the door. */
            if (at.y > 264.5)
                assert_true(face->direct[0][3 * k] == 0);
        }
    }
    lit_map_close(&lit);
}

SUITE(test_vrad_artefacts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(luxels_at_edges_have_the_light_of_what_is_seen),
        cmocka_unit_test(samples_lie_in_the_open),
        cmocka_unit_test(thin_walls_keep_light_out),
        cmocka_unit_test(a_gap_under_a_door_lets_in_a_sliver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
