/* Emissive surfaces: area lights nearby, and curved ones. */
#include "tests/support/suite.h"

#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/lights/light.h"

#define PI 3.14159265358979324

/* ---- the area light ---- */

static struct light panel(double width, double height)
{
    struct light light = {.type = WORLDLIGHT_SURFACE,
                          .origin = vec3(3, -2, 10),
                          .normal = vec3(0, 0, -1),
                          .side = {vec3(width / 2, 0, 0), vec3(0, height / 2, 0)},
                          .near_share = 1,
                          .quadratic = 1,
                          .softening = width * height / PI};
    return light;
}

/* The sum of small squares, each a point: the vector irradiance by definition. */
static struct vec3 by_squares(const struct light *light, struct vec3 point)
{
    enum { STEPS = 400 };
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < STEPS * STEPS; i++) {
        double s = (2.0 * (i % STEPS) + 1) / (double)STEPS - 1,
               t = (2.0 * (i / STEPS) + 1) / (double)STEPS - 1;
        struct vec3 at = vec3_mad(vec3_mad(light->origin, light->side[0], s), light->side[1], t);
        struct vec3 way = vec3_sub(at, point);
        double square = vec3_dot(way, way), length = sqrt(square);
        double cosine = -vec3_dot(way, light->normal) / length;
        sum = vec3_mad(sum, way, cosine / (square * length * (double)STEPS * (double)STEPS));
    }
    return sum;
}

static void test_shape_is_a_sum_of_points(void **state)
{
    (void)state;
    struct light light = panel(64, 40);
    static const double points[][3] = {{3, -2, 0}, {20, 5, 2}, {40, -2, 4}, {36, 20, -20}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct vec3 point = vec3(points[i][0], points[i][1], points[i][2]), direction;
        double distance, share = light_at(&light, point, &direction, &distance);
        struct vec3 sum = by_squares(&light, point);
        assert_near(share, vec3_length(sum), 0.01 * vec3_length(sum));
        assert_true(vec3_dot(direction, vec3_normalize(sum)) > 0.9999);
        /* It is met where a ray ends. */
        struct vec3 met = vec3_mad(point, direction, distance);
        assert_near(met.z, 10, 1e-6);
        assert_true(fabs(met.x - 3) < 32 && fabs(met.y + 2) < 20);
    }
}

/* No light behind it, no step at the transition to a point; the batch gives the same. */
static void test_shape_becomes_a_point(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    struct light light = panel(64, 64);
    float places[3][COUNT], ways[3][COUNT], distances[COUNT], shares[COUNT];
    double before = 0;
    for (int i = 0; i < COUNT; i++) {
        struct vec3 point = vec3(3, 20, 10.5 - i), direction;
        double distance, share = light_at(&light, point, &direction, &distance);
        if (i > 2)
            assert_near(share, before, 0.06 * before);
        before = share;
        for (int k = 0; k < 3; k++)
            places[k][i] = (float)point.e[k];
    }
    struct light_rows rows = {
        COUNT, {places[0], places[1], places[2]}, {ways[0], ways[1], ways[2]}, distances, shares};
    light_at_batch(&light, &rows);
    assert_true(shares[0] == 0.0f);
    for (int i = 0; i < COUNT; i++) {
        struct vec3 direction, point = vec3(3, 20, 10.5 - i);
        double distance, share = light_at(&light, point, &direction, &distance);
        assert_near(shares[i], share, 1e-3 * share);
        assert_near(distances[i], distance, 1e-2);
    }
    struct light plain = light;
    plain.side[0] = plain.side[1] = vec3(0, 0, 0);
    assert_false(area_light_is_near(&plain, 1));
    struct vec3 direction, far = vec3(3, 20, -180);
    double distance;
    assert_near(light_at(&light, far, &direction, &distance),
                light_at(&plain, far, &direction, &distance), 1e-12);
}

/* ---- in a room ---- */

static const char script[] = "textures/base/glow\n{\nq3map_surfacelight 400\n"
                             "q3map_backsplash 0 0\n{\nmap $whiteimage\n}\n}\n";

/* Gives the room an emissive shader, number 3. */
static void put_emissive_shader(struct quake3_room *room)
{
    struct fs *fs = room->env.fs;
    assert_int_equal(fs->ops->write(fs, "q/baseq3/scripts/a.shader", script, strlen(script)), 0);
    assert_int_equal(assets_open(&room->env, &(struct assets_options){.game = "q"}, &room->assets),
                     STATUS_OK);
    ibsp_room_shader(room->bsp, "textures/base/glow", CONTENTS_SOLID);
}

/* Along an emissive wall the light is even, and falls off away from it. */
static void test_emissive_wall(void **state)
{
    (void)state;
    struct quake3_room room = open_room("", "");
    put_emissive_shader(&room);
    room.bsp->surfaces[0].shader = 3; /* the wall at -x */
    light_room(&room);
    for (int s = 1; s < 4; s++) {
        int min = 255, max = 0;
        for (int t = 4; t <= 12; t++) {
            int light = floor_luxel(room.bsp, s, t);
            min = light < min ? light : min;
            max = light > max ? light : max;
        }
        assert_true(max < 255 && min > max * 9 / 10);
    }
    /* At the transition from shape to point it is about level. */
    for (int s = 1; s < 12; s++)
        assert_true(floor_luxel(room.bsp, s + 1, 8) <= floor_luxel(room.bsp, s, 8) * 11 / 10);
    /* At its foot it fills half of what is seen: a half of three quarters of 400, less the sides.
     */
    assert_near(floor_luxel(room.bsp, 1, 8), 0.44 * 0.75 * 400, 8);
    close_room(&room);
}

/* A half of a pillar, open to the floor's +x side, that emits outwards: the mean of its points
 * would lie inside of it. */
static void test_emissive_pillar(void **state)
{
    (void)state;
    struct quake3_room room = open_room("", "");
    put_emissive_shader(&room);
    const struct bsp_surface *patch = &room.bsp->surfaces[PATCH];
    static const float ring[3][2] = {{0, -60}, {90, 0}, {0, 60}};
    static const float normals[3][2] = {{0.555f, -0.832f}, {1, 0}, {0.555f, 0.832f}};
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[patch->first_vertex + i];
        for (int k = 0; k < 2; k++) {
            vertex->p[k] = ring[i % 3][k];
            vertex->normal[k] = normals[i % 3][k];
        }
        vertex->p[2] = 30.0f * (float)(i / 3) - 120;
        vertex->normal[2] = 0;
    }
    room.bsp->surfaces[PATCH].shader = 3;
    light_room(&room);
    for (int t = 4; t <= 12; t++)
        assert_true(floor_luxel(room.bsp, 13, t) > 10);
    assert_true(floor_luxel(room.bsp, 13, 8) > floor_luxel(room.bsp, 15, 8));
    assert_int_equal(floor_luxel(room.bsp, 4, 8), 0); /* behind it */
    close_room(&room);
}

/* A sun from a Source map has the ambient light of its sky: that is all in the sun's shadow. */
static void test_sun_with_a_sky(void **state)
{
    (void)state;
    static const char *const suns[] = {"", "\"_ambient\" \"255 255 255 80\"\n"};
    int shade[2], lit[2];
    for (int i = 0; i < 2; i++) {
        struct quake3_room room = open_room("", "");
        put_emissive_shader(&room);
        struct bytes text = {0};
        bytes_append_text(&text,
                          "{\n\"classname\" \"light\"\n\"origin\" \"0 0 0\"\n\"light\" "
                          "\"100\"\n\"_sun\" \"1\"\n\"target\" \"t\"\n%s}\n"
                          "{\n\"classname\" \"info_null\"\n\"targetname\" \"t\"\n"
                          "\"origin\" \"-32 0 -128\"\n}\n",
                          suns[i]);
        for (size_t k = 0; k < text.size; k++)
            arrput(room.bsp->entities, (char)text.data[k]);
        bytes_free(&text);
        ibsp_room_shader(room.bsp, "skies/blue", CONTENTS_SOLID);
        room.bsp->shaders[4].surface_flags = 0x4;
        room.bsp->surfaces[CEILING].shader = 4;
        light_room(&room);
        lit[i] = floor_luxel(room.bsp, 2, 8);
        shade[i] = floor_luxel(room.bsp, 13, 8);
        close_room(&room);
    }
    assert_int_equal(shade[0], 0);
    assert_true(lit[0] > 60);
    assert_true(shade[1] > 5 && shade[1] < 80);
    assert_true(lit[1] > lit[0] + 5 && lit[1] < lit[0] + 80);
}

SUITE(test_vrad_quake3_emissive)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape_is_a_sum_of_points),
        cmocka_unit_test(test_shape_becomes_a_point),
        cmocka_unit_test(test_emissive_wall),
        cmocka_unit_test(test_emissive_pillar),
        cmocka_unit_test(test_sun_with_a_sky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
