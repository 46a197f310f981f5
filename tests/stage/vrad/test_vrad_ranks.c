/* Light by several ranks: the same bytes as by one process. */
#include "tests/support/suite.h"

#include "common/bsp/codec/format.h"
#include "common/bsp/convert/convert.h"
#include "common/core/array.h"
#include "tests/support/long_form.h"
#include "tests/support/vbsp/compiled_map.h"
#include "tests/support/vrad/on_ranks.h"

/* The second is brighter in HDR only. */
static const char lights[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"64 64 100\"\n\"_light\" \"255 200 100 150\"\n}\n"
    "{\n\"classname\" \"light\"\n\"origin\" \"200 64 60\"\n\"_light\" \"90 120 255 60\"\n"
    "\"_lightHDR\" \"255 120 60 300\"\n\"style\" \"33\"\n}\n"
    "{\n\"classname\" \"light_environment\"\n\"angles\" \"0 30 0\"\n\"pitch\" \"-60\"\n"
    "\"_light\" \"255 250 220 200\"\n\"_ambient\" \"90 110 150 60\"\n}\n";

/* Shares of 3 are uneven. */
static const int counts[] = {3, 2, 5};

enum { FEW = 1, COUNTS = sizeof counts / sizeof *counts };

/* A map whose name ends so has small luxels. */
#define FINE " fine"

static void open_map(struct compiled *compiled, const char *name)
{
    const char *fine = strstr(name, FINE);
    if (!fine) {
        compiled_open(compiled, name, NULL);
        return;
    }
    struct bytes text = {0}, changed = {0};
    char path[512];
    compiled_start(compiled, fs_disk());
    snprintf(path, sizeof path, MAPS_DIR "/%.*s", (int)(fine - name), name);
    assert_int_equal(fs_load(compiled->env.fs, compiled->diag, path, &text), STATUS_OK);
    bytes_append(&text, "", 1);
    static const char usual[] = "\"lightmapscale\" \"16\"";
    const char *at = (const char *)text.data, *next;
    for (; (next = strstr(at, usual)); at = next + strlen(usual)) {
        bytes_append(&changed, at, (size_t)(next - at));
        bytes_append_text(&changed, "\"lightmapscale\" \"3\"");
    }
    assert_true(changed.size > 0);
    bytes_append(&changed, at, strlen(at));
    assert_int_equal(
        vmf_parse((const char *)changed.data, changed.size, name, compiled->diag, &compiled->level),
        STATUS_OK);
    const struct assets_options assets = {0};
    assert_int_equal(assets_open(&compiled->env, &assets, &compiled->assets), STATUS_OK);
    compiled->status = vbsp_run(&compiled->env, &vbsp_defaults, compiled->assets, &compiled->level,
                                NULL, &compiled->out);
    bytes_free(&text);
    bytes_free(&changed);
}

/* The bytes of the map as lit. */
static struct bytes light(const char *map, const struct vrad_options *options, int ranks,
                          int threads)
{
    struct compiled compiled;
    struct bytes file = {0};
    open_map(&compiled, map);
    assert_int_equal(compiled.status, STATUS_OK);
    struct bsp *bsp = compiled.out.bsp;
    while (arrlen(bsp->entities) && !arrlast(bsp->entities))
        (void)arrpop(bsp->entities);
    for (const char *c = lights; *c; c++)
        arrput(bsp->entities, *c);
    struct env env = compiled.env;
    env.threads = threads;
    assert_int_equal(vrad_run_on_ranks(ranks, &env, options, compiled.assets, bsp), STATUS_OK);
    const struct bsp_format *format = bsp_format_find("sdk2013");
    bsp_light_fit(bsp, format, env.diag);
    assert_int_equal(bsp_encode(bsp, format, map, env.diag, &file), STATUS_OK);
    compiled_free(&compiled);
    return file;
}

static void expect_same(const char *map, const struct vrad_options *options)
{
    struct bytes alone = light(map, options, 1, 1);
    int runs = long_form(FEW, COUNTS);
    for (int i = 0; i < runs; i++) {
        struct bytes together = light(map, options, counts[i], 1 + i % 2);
        assert_true(bytes_equal(&alone, &together));
        bytes_free(&together);
    }
    bytes_free(&alone);
}

static void ranks_do_not_matter(void **state)
{
    static const char *const maps[] = {"displacements.vmf", "sky_camera.vmf", "water.vmf"};
    (void)state;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        expect_same(maps[i], &vrad_defaults);
}

static void both_sets_are_lit_by_all_ranks(void **state)
{
    struct vrad_options options = vrad_defaults;
    (void)state;
    options.ldr = options.hdr = true;
    expect_same("displacements.vmf", &options);
}

static void qualities_do_not_depend_on_ranks(void **state)
{
    struct vrad_options fast = vrad_defaults, dark = vrad_defaults, paths = vrad_defaults;
    (void)state;
    fast.fast = true;
    expect_same("two_rooms.vmf", &fast);
    dark.ambient_occlusion = true;
    expect_same("two_rooms.vmf", &dark);
    paths.reference = 16;
    expect_same("box.vmf", &paths);
}

/* Their places are shared as well, and evaluated where they are used. */
static void small_luxels_are_placed_by_all_ranks(void **state)
{
    struct vrad_options options = vrad_defaults;
    (void)state;
    options.fast = true;
    expect_same("two_rooms.vmf" FINE, &options);
}

SUITE(test_vrad_ranks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_do_not_matter),
        cmocka_unit_test(both_sets_are_lit_by_all_ranks),
        cmocka_unit_test(qualities_do_not_depend_on_ranks),
        cmocka_unit_test(small_luxels_are_placed_by_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
