/* Ambient cubes against closed forms, in rooms made in memory. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_map.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/ambient/ambient.h"
#include "vrad/ambient/ambient_samples.h"
#include "vrad/lights/light.h"
#include "vrad/vrad.h"

#define PI 3.14159265358979324

enum { POSITIVE_X, NEGATIVE_X, POSITIVE_Y, NEGATIVE_Y, UP, DOWN, SIDES };

static void make(struct lit_room *room, bool fast, struct bsp_light_set *out)
{
    const struct ambient_options options = {.fast = fast, .rays = 1024};
    ambient_light(&room->env, &room->scene, &room->map, &room->lights, &options, out);
}

static void release(struct bsp_light_set *set)
{
    arrfree(set->ambient_index);
    arrfree(set->ambient);
}

static double side(const struct bsp_ambient *sample, int number)
{
    struct bsp_colour c = sample->cube[number];
    return ldexp((double)(c.r + c.g + c.b) / 3, c.exponent);
}

/* Surfaces that all reflect a E / (1 - a) give that much ambient light in all directions; one
 * sample is enough. */
static void even_light(void **state)
{
    struct lit_room room;
    struct bsp_light_set set = {0};
    const struct bounce_options options = {.bounces = 1000};
    (void)state;
    lit_room_open(&room, room_new(vec3(256, 256, 192), 0.5, NULL), "", 2);
    lit_room_fill(&room, 51);
    bounce_light(&room.env, &room.scene, &room.map, &options);
    make(&room, false, &set);
    assert_int_equal(arrlen(set.ambient_index), 2);
    assert_int_equal(set.ambient_index[1].count, 1);
    assert_int_equal(arrlen(set.ambient), 1);
    for (int i = 0; i < SIDES; i++)
        assert_near(side(&set.ambient[0], i), 51.0 / 255, 0.002);
    release(&set);
    lit_room_close(&room);
}

/* Solid leaves refer to a leaf that they touch. */
static void solid_leaves_borrow(void **state)
{
    struct lit_room room;
    struct bsp_light_set set = {0};
    struct bsp *bsp = room_new(vec3(256, 256, 192), 0.5, NULL);
    (void)state;
    for (int k = 0; k < 3; k++) {
        bsp->leaves[0].mins[k] = -16;
        bsp->leaves[0].maxs[k] = 0;
    }
    lit_room_open(&room, bsp, "", 1);
    lit_room_fill(&room, 1);
    make(&room, false, &set);
    assert_int_equal(set.ambient_index[0].count, 0);
    assert_int_equal(set.ambient_index[0].first, 1);
    release(&set);
    bsp->leaves[0].maxs[0] = -8;
    make(&room, false, &set);
    assert_int_equal(set.ambient_index[0].first, 0);
    release(&set);
    lit_room_close(&room);
}

static struct vec3 position(const struct bsp_leaf *leaf, const struct bsp_ambient *sample)
{
    struct vec3 p;
    for (int k = 0; k < 3; k++)
        p.e[k] = leaf->mins[k] + (leaf->maxs[k] - leaf->mins[k]) * sample->position[k] / 255.0;
    return p;
}

/* The view factor from a point to a parallel rectangle, a by b, over whose corner it lies at
 * distance h. */
static double corner_factor(double a, double b, double h)
{
    double x = a / h, y = b / h, u = sqrt(1 + x * x), v = sqrt(1 + y * y);
    return (x / u * atan(y / u) + y / v * atan(x / v)) / (2 * PI);
}

/* To a rectangle from (x, y) of it, off its low corner. */
static double factor(double x, double y, double width, double height, double h)
{
    return corner_factor(x, y, h) + corner_factor(width - x, y, h) +
           corner_factor(x, height - y, h) + corner_factor(width - x, height - y, h);
}

/* To the upper half of the wall x = 512, 128 wide and 64 high; all of it from a point on it. */
static double wall_factor(struct vec3 p)
{
    return factor(p.y, p.z - 64, 128, 64, fmax(512 - p.x, 1e-6));
}

/* A room with a bright and a dark end, half filled with solid. */
static void samples_lie_in_the_open(void **state)
{
    struct lit_room room;
    struct bsp_light_set set = {0};
    struct bsp *bsp = room_new(vec3(512, 128, 128), 0.5, NULL);
    (void)state;
    room_add_box(bsp, vec3(0, 0, 0), vec3(512, 128, 64));
    lit_room_open(&room, bsp, "", 1);
    lit_room_fill(&room, 0);
    struct face_light *wall = &room.map.faces[ROOM_HIGH_X];
    for (int i = 0; i < 3 * wall->count; i++)
        wall->direct[0][i] = 200;
    make(&room, false, &set);
    assert_true(set.ambient_index[1].count > 4);
    for (int i = 0; i < set.ambient_index[1].count; i++) {
        struct vec3 p = position(&bsp->leaves[1], &set.ambient[i]);
        assert_true(p.z >= 64);
        assert_near(side(&set.ambient[i], NEGATIVE_X), 0, 1e-6);
        assert_near(side(&set.ambient[i], POSITIVE_X), 100.0 / 255 * wall_factor(p), 0.015);
    }
    release(&set);
    make(&room, true, &set);
    assert_int_equal(arrlen(set.ambient), 1);
    release(&set);
    lit_room_close(&room);
}

/* Under the open sky, in a box of black walls: the top side has the ceiling's view factor. */
static void sky_light(void **state)
{
    static const int open[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    struct lit_room room;
    struct bsp_light_set set = {0};
    (void)state;
    lit_room_open(&room, room_new(vec3(256, 256, 256), 0, open),
                  "{\n\"classname\" \"light_environment\"\n\"_light\" \"0 0 0 0\"\n"
                  "\"_ambient\" \"255 255 255 255\"\n}\n",
                  1);
    lit_room_fill(&room, 0);
    make(&room, true, &set);
    struct vec3 p = position(&room.bsp->leaves[1], &set.ambient[0]);
    assert_near(side(&set.ambient[0], UP), factor(p.x, p.y, 256, 256, 256 - p.z), 0.02);
    assert_near(side(&set.ambient[0], DOWN), 0, 1e-6);
    release(&set);
    lit_room_close(&room);
}

/* The cubes include weak surface lights, the others are left to the engine. */
static void weak_lights_are_in_the_cubes(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        struct lit_room room;
        struct bsp_light_set set = {0};
        lit_room_open(&room, room_new(vec3(128, 128, 128), 0, NULL), "", 1);
        lit_room_fill(&room, 0);
        struct light light = {.type = WORLDLIGHT_SURFACE,
                              .origin = vec3(64, 64, 128),
                              .normal = vec3(0, 0, -1),
                              .intensity = vec3(255 * 1000, 255 * 1000, 255 * 1000),
                              .flags = weak ? LIGHT_IN_AMBIENT_CUBE : 0,
                              .face = ROOM_CEILING};
        arrput(room.lights.lights, light);
        make(&room, true, &set);
        struct vec3 p = position(&room.bsp->leaves[1], &set.ambient[0]);
        double up = 128 - p.z,
               square = vec3_dot(vec3_sub(light.origin, p), vec3_sub(light.origin, p));
        double want = weak ? 1000.0 * up * up / (square * square) : 0;
        assert_near(side(&set.ambient[0], UP), want, want * 0.02);
        assert_near(side(&set.ambient[0], DOWN), 0, 1e-6);
        release(&set);
        lit_room_close(&room);
    }
}

/* There are no ambient samples below displacements. */

/* Units above and below the terrain; the brushes of the map's displacements are 16 thick. */
enum { AWAY = 8 };

static void points_under_displacements_are_below_terrain(void **state)
{
    struct lit_map lit;
    struct below_terrain below_terrain;
    int luxels = 0, over = 0, under = 0;
    (void)state;
    lit_map_open(&lit, "displacements.vmf", 0);
    below_terrain_find(&lit.map, &below_terrain);
    assert_true(arrlen(below_terrain.boxes) > 0);
    for (int f = 0; f < lit.map.face_count; f++) {
        const struct face_light *face = &lit.map.faces[f];
        for (int i = 0; i < face->count && face->mesh; i++) {
            if (!(face->luxels[i].area > 0))
                continue;
            struct vec3 place = lit_map_place(&face->luxels[i]);
            struct vec3 normal = vec3_from_floats(luxel_normal(face, &face->luxels[i]));
            luxels++;
            over +=
                below_terrain_contains(&below_terrain, &lit.scene, vec3_mad(place, normal, AWAY));
            under +=
                below_terrain_contains(&below_terrain, &lit.scene, vec3_mad(place, normal, -AWAY));
        }
    }
    assert_true(luxels > 100);
    /* Over the foot of a slope the next displacement may be near. */
    assert_true(over < luxels / 50);
    assert_true(under > luxels * 9 / 10);
    below_terrain_free(&below_terrain);
    lit_map_close(&lit);
}

/* The room is air from 0 to 192; the terrain lies at 96. */
static void no_sample_is_below_terrain(void **state)
{
    struct compiled map;
    int samples = 0;
    (void)state;
    compiled_open(&map, "buried_ground.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    const struct bsp *bsp = map.out.bsp;
    assert_int_equal(vrad_run(&map.env, &vrad_defaults, NULL, map.assets, map.out.bsp), STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        const struct bsp_ambient_index *index = &bsp->ldr.ambient_index[i];
        for (int k = 0; k < index->count; k++, samples++) {
            double part = bsp->ldr.ambient[index->first + k].position[2] / 255.0;
            assert_true(leaf->mins[2] + part * ((double)leaf->maxs[2] - leaf->mins[2]) > 95);
        }
    }
    assert_true(samples > 4);
    compiled_free(&map);
}

SUITE(test_vrad_ambient)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_light),
        cmocka_unit_test(solid_leaves_borrow),
        cmocka_unit_test(samples_lie_in_the_open),
        cmocka_unit_test(sky_light),
        cmocka_unit_test(weak_lights_are_in_the_cubes),
        cmocka_unit_test(points_under_displacements_are_below_terrain),
        cmocka_unit_test(no_sample_is_below_terrain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
