/* The lights of the corpus' maps against their worldlights lumps. */
#include "tests/support/suite.h"

#include "common/bsp/codec/format.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "tests/support/near.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/rad_file.h"
#include "vrad/target/source/light_vbsp.h"

static void expect_vector(const float got[3], const float want[3], double tolerance)
{
    for (int k = 0; k < 3; k++) {
        double size = fmax(fabs((double)want[k]), 1e-3);
        assert_near(got[k], want[k], tolerance * size);
    }
}

static void expect_number(float got, float want)
{
    assert_near(got, want, 1e-4 * fabs((double)want));
}

static void expect_record(const struct bsp_worldlight *got, const struct bsp_worldlight *want)
{
    expect_vector(got->origin, want->origin, 1e-4);
    expect_vector(got->intensity, want->intensity, 1e-4);
    for (int k = 0; k < 3; k++)
        assert_near(got->normal[k], want->normal[k], 1e-5);
    assert_int_equal(got->cluster, want->cluster);
    assert_int_equal(got->type, want->type);
    assert_int_equal(got->style, want->style);
    assert_int_equal(got->flags, want->flags);
    assert_int_equal(got->texinfo, want->texinfo);
    assert_int_equal(got->owner, want->owner);
    expect_number(got->stopdot, want->stopdot);
    expect_number(got->stopdot2, want->stopdot2);
    expect_number(got->exponent, want->exponent);
    expect_number(got->radius, want->radius);
    expect_number(got->constant, want->constant);
    expect_number(got->linear, want->linear);
    expect_number(got->quadratic, want->quadratic);
}

/* The reference's vrad marked emissive texinfo; its vbsp did not know them. */
static void compare_emissive(struct bsp *bsp, const struct light_set *set)
{
    int *flags = NULL;
    for (ptrdiff_t i = 0; i < arrlen(bsp->texinfo); i++) {
        arrput(flags, bsp->texinfo[i].flags);
        bsp->texinfo[i].flags &= ~SURFACE_LIGHT;
    }
    worldlights_mark_emissive(bsp, set);
    for (ptrdiff_t i = 0; i < arrlen(bsp->texinfo); i++)
        assert_int_equal(bsp->texinfo[i].flags, flags[i]);
    arrfree(flags);
}

static void compare_set(const struct env *env, struct bsp *bsp, const struct entity_view *entities,
                        const struct rad_file *rad, bool hdr)
{
    const struct bsp_worldlight *want = hdr ? bsp->hdr.worldlights : bsp->ldr.worldlights;
    const struct light_options options = {.hdr = hdr};
    struct light_set set;
    if (!arrlen(want))
        return;
    lights_collect(env, &options, bsp, entities, rad, &set);
    struct bsp_worldlight *got = worldlights_make(&set);
    assert_int_equal(arrlen(got), arrlen(want));
    for (ptrdiff_t i = 0; i < arrlen(want); i++)
        expect_record(&got[i], &want[i]);
    arrfree(got);
    compare_emissive(bsp, &set);
    lights_free(&set);
}

static void compare_sky_leaves(struct bsp *bsp)
{
    int *flags = NULL;
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        arrput(flags, bsp->leaves[i].flags);
        bsp->leaves[i].flags = LEAF_SKY;
    }
    worldlights_mark_sky_leaves(bsp);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= 0 || bsp->leaves[i].contents & CONTENTS_SOLID)
            assert_int_equal(bsp->leaves[i].flags, flags[i]);
    arrfree(flags);
}

/* `map` and the .rad files (NULL ends them) are paths below the corpus. */
static void compare_map(const char *map, const char *const *rads, bool sky)
{
    char path[1024];
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1};
    struct rad_file rad = {0};
    struct entity_view *entities;
    struct bsp *bsp;
    snprintf(path, sizeof path, SHARED_DIR "/corpus/%s.bsp", map);
    if (env.fs->ops->kind(env.fs, path) != FS_FILE) {
        print_message("skipped: %s is not there\n", path);
        diag_free(env.diag);
        skip();
    }
    assert_int_equal(bsp_read_file(&env, path, &bsp), STATUS_OK);
    for (; *rads; rads++) {
        struct bytes text = {0};
        snprintf(path, sizeof path, SHARED_DIR "/corpus/%s", *rads);
        assert_int_equal(fs_load(env.fs, env.diag, path, &text), STATUS_OK);
        rad_parse((const char *)text.data, text.size, path, env.diag, &rad);
        bytes_free(&text);
    }
    assert_int_equal(
        entity_view_parse(bsp->entities, arrlenu(bsp->entities), map, env.diag, &entities),
        STATUS_OK);
    compare_set(&env, bsp, entities, &rad, false);
    compare_set(&env, bsp, entities, &rad, true);
    if (sky)
        compare_sky_leaves(bsp);
    rad_free(&rad);
    entity_view_free(entities);
    bsp_free(bsp);
    diag_free(env.diag);
}

static const char *const no_rad[] = {NULL};
static const char *const game_rad[] = {"generated/game/lights.rad", NULL};
static const char *const both_rads[] = {"generated/game/lights.rad", "refs/texlight.rad", NULL};

static void plain(void **state)
{
    (void)state;
    compare_map("refs/plain", game_rad, true);
}

static void texlight(void **state)
{
    (void)state;
    compare_map("refs/texlight", both_rads, false);
}

static void water(void **state)
{
    (void)state;
    compare_map("refs/water", game_rad, true);
}

static void mid(void **state)
{
    (void)state;
    compare_map("generated/mid", game_rad, true);
}

static void percent_distances_of_a_game_map(void **state)
{
    (void)state;
    compare_map("vmf/m01_tf2_dotf/dotf_test", no_rad, true);
}

static void two_environments(void **state)
{
    (void)state;
    compare_map("vmf/s04_rc_pyramid/rc_pyramid", no_rad, true);
}

static void pitch_of_the_angles(void **state)
{
    (void)state;
    compare_map("vmf/s01_scoutie_c1/c1", no_rad, true);
}

static void one_light(void **state)
{
    (void)state;
    compare_map("vmf/t01_box_hdr/testmap", no_rad, false);
}

static void sun(void **state)
{
    (void)state;
    compare_map("vmf/t08_synthroom/testmap_synth", no_rad, true);
}

SUITE(test_vrad_worldlights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(texlight),
        cmocka_unit_test(water),
        cmocka_unit_test(mid),
        cmocka_unit_test(percent_distances_of_a_game_map),
        cmocka_unit_test(two_environments),
        cmocka_unit_test(pitch_of_the_angles),
        cmocka_unit_test(one_light),
        cmocka_unit_test(sun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
