/* Luxels of Quake 3 surfaces that nobody sees have the light of those that are seen, so that what
 * is filtered between them does not darken at the edge. */
#include "tests/support/suite.h"

#include "common/geom/vec.h"
#include "tests/support/ibsp_room.h"
#include "vrad/vrad.h"

enum { FLOOR = 4, PATCH = 6, PAGE = 128 };

static const char lamp[] = "{\n\"classname\" \"worldspawn\"\n}\n"
                           "{\n\"classname\" \"light\"\n\"origin\" \"-40 0 40\"\n"
                           "\"light\" \"100\"\n}\n";

/* The box with its walls drawn, looking inwards, and nothing else. */
static struct bsp *lit_room(void)
{
    struct bsp *bsp = ibsp_room(0);
    bsp->format = bsp_format_find("quake3");
    arrsetlen(bsp->entities, 0);
    for (const char *c = lamp; *c; c++)
        arrput(bsp->entities, *c);
    ibsp_room_empty(bsp);
    return bsp;
}

static void run(struct bsp *bsp, int threads)
{
    struct env env = {diag_new(NULL, NULL), NULL, fs_memory_new(), threads};
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    assert_int_equal(vrad_run(&env, &options, NULL, bsp), STATUS_OK);
    diag_free(env.diag);
    fs_memory_free(env.fs);
}

static int floor_luxel(const struct bsp *bsp, int s, int t)
{
    const struct bsp_surface *floor = &bsp->surfaces[FLOOR];
    assert_true(s < floor->lightmap_size[0] && t < floor->lightmap_size[1]);
    return bsp->ldr.lighting
        .data[(size_t)floor->lightmap * LIGHTMAP_PAGE +
              3 * (size_t)((floor->lightmap_start[1] + t) * PAGE + floor->lightmap_start[0] + s)];
}

/* A floor that runs on for four luxels under the wall at +x, as hulls of what is seen do. */
static void test_under_wall(void **state)
{
    (void)state;
    struct bsp *bsp = lit_room();
    for (int i = 0; i < 4; i++) {
        float *p = bsp->draw_vertices[bsp->surfaces[FLOOR].first_vertex + i].p;
        if (p[0] > 0)
            p[0] = 192;
    }
    run(bsp, 1);
    for (int t = 1; t < 16; t++) {
        int last = floor_luxel(bsp, 15, t);
        assert_true(last > 5);
        for (int s = 16; s <= 20; s++) {
            assert_in_range(floor_luxel(bsp, s, t), last * 3 / 4, last * 5 / 4);
        }
    }
    bsp_free(bsp);
}

/* A hollow that goes from the floor's middle, which it touches along a line, up the wall at +x. */
static struct bsp *hollow(bool upwards)
{
    struct bsp *bsp = lit_room();
    const struct bsp_surface *patch = &bsp->surfaces[PATCH];
    static const float across[3][2] = {{0, -128}, {128, -128}, {128, 0}};
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &bsp->draw_vertices[patch->first_vertex + i];
        float side = upwards ? 1.0f : -1.0f;
        static const float normals[3][2] = {{0, 1}, {-0.7071f, 0.7071f}, {-1, 0}};
        vertex->p[0] = across[i % 3][0];
        vertex->p[1] = 128 * (float)(i / 3 - 1);
        vertex->p[2] = across[i % 3][1];
        vertex->normal[0] = side * normals[i % 3][0];
        vertex->normal[1] = 0;
        vertex->normal[2] = side * normals[i % 3][1];
    }
    bsp->surfaces[PATCH].shader = 0;
    return bsp;
}

static void test_behind_curve(void **state)
{
    (void)state;
    struct bsp *bsp = hollow(true), *other = hollow(true);
    run(bsp, 1);
    run(other, 3);
    for (int t = 2; t < 15; t++) {
        int last = floor_luxel(bsp, 7, t);
        assert_true(last > 10);
        for (int s = 8; s < 17; s++)
            assert_in_range(floor_luxel(bsp, s, t), last * 3 / 4, last * 5 / 4);
    }
    assert_int_equal(bsp->ldr.lighting.size, other->ldr.lighting.size);
    assert_memory_equal(bsp->ldr.lighting.data, other->ldr.lighting.data, bsp->ldr.lighting.size);
    bsp_free(bsp);
    bsp_free(other);
}

/* Turned about, the same curve is a vault that is looked at from its inside: the floor below is
 * seen and dark. */
static void test_below_vault(void **state)
{
    (void)state;
    struct bsp *bsp = hollow(false);
    run(bsp, 1);
    for (int t = 2; t < 15; t++)
        for (int s = 11; s < 16; s++)
            assert_int_equal(floor_luxel(bsp, s, t), 0);
    bsp_free(bsp);
}

SUITE(test_vrad_quake3_hidden)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_under_wall),
        cmocka_unit_test(test_behind_curve),
        cmocka_unit_test(test_below_vault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
