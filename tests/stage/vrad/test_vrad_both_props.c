/* Static props in one run for LDR and HDR: the same bytes as in separate runs, with the ray hits of
 * the first. */
#include "tests/support/suite.h"

#include "tests/support/vrad/prop_room.h"

enum { RAYS = 128 }; /* of a vertex, in all directions */

static const char two_lights[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"256 256 200\"\n\"_light\" \"255 255 255 200\"\n}\n"
    "{\n\"classname\" \"light\"\n\"origin\" \"100 100 100\"\n\"_light\" \"255 160 80 90\"\n"
    "\"_lightHDR\" \"80 160 255 400\"\n}\n";

static void listen(void *context, const struct progress_event *event)
{
    int64_t *reused = context;
    if (event->kind == PROGRESS_COUNT && strcmp(event->name, "reused ray hits") == 0)
        *reused += event->value;
}

/* A room of bright walls, with or without a box; returns the number of reused rays. */
static int64_t light_room(struct fixture *f, bool with_box, bool ldr, bool hdr)
{
    int64_t reused = 0;
    begin(f);
    bsp_free(f->bsp);
    f->bsp = room_new(vec3(512, 512, 256), 0.5, NULL);
    f->options.ldr = ldr;
    f->options.hdr = hdr;
    put_model(f, "box", MDL_STATIC_PROP, 8, 0);
    if (with_box)
        put_prop(f, "box", vec3(200, 256, 64))->solid = STATIC_PROP_NOT_SOLID;
    f->env.progress = progress_new(listen, &reused);
    light(f, two_lights);
    progress_free(f->env.progress);
    f->env.progress = NULL;
    return reused;
}

static void expect_same(const struct fixture *a, const struct fixture *b, const char *name)
{
    struct bytes x, y;
    assert_true(unpack(a, name, &x) && unpack(b, name, &y));
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    bytes_free(&x);
    bytes_free(&y);
}

static void vertices_share_their_rays(void **state)
{
    struct fixture ldr, hdr, both, empty;
    (void)state;
    assert_int_equal(light_room(&ldr, true, true, false), 0);
    assert_int_equal(light_room(&hdr, true, false, true), 0);
    int64_t with = light_room(&both, true, true, true);
    int64_t without = light_room(&empty, false, true, true);
    expect_same(&ldr, &both, "sp_0.vhv");
    expect_same(&hdr, &both, "sp_hdr_0.vhv");
    assert_int_equal(with - without, BOX_VERTICES * RAYS);
    end(&ldr);
    end(&hdr);
    end(&both);
    end(&empty);
}

SUITE(test_vrad_both_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_share_their_rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
