/* LDR and HDR in one run: the same bytes as in separate runs, with fewer rays. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "tests/support/vbsp/compiled_map.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_matching.h"
#include "vrad/lights/light_set.h"
#include "vrad/scene/ray_hit_cache.h"
#include "vrad/vrad.h"

/* The second is brighter in HDR only, the third exists in HDR only. */
static const char differing[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"64 64 100\"\n\"_light\" \"255 200 100 150\"\n}\n"
    "{\n\"classname\" \"light\"\n\"origin\" \"200 64 60\"\n\"_light\" \"90 120 255 60\"\n"
    "\"_lightHDR\" \"255 120 60 300\"\n}\n"
    "{\n\"classname\" \"light_spot\"\n\"origin\" \"64 200 200\"\n\"angles\" \"0 30 0\"\n"
    "\"pitch\" \"-60\"\n\"_cone\" \"40\"\n\"_light\" \"0 0 0 0\"\n"
    "\"_lightHDR\" \"200 255 200 200\"\n}\n";

static const char same[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"64 64 100\"\n\"_light\" \"255 200 100 150\"\n"
    "\"_lightHDR\" \"-1 -1 -1 1\"\n\"_lightscaleHDR\" \"1\"\n}\n";

struct counts {
    int64_t rays;     /* of direct light */
    int64_t reused;   /* of gather points */
    int64_t indirect; /* of gather points in total, in both sets */
    int direct_runs;  /* number of direct light passes */
};

struct lit {
    struct compiled map;
    struct counts counts;
};

static void listen(void *context, const struct progress_event *event)
{
    struct counts *counts = context;
    if (event->kind == PROGRESS_BEGIN && strcmp(event->name, "direct light") == 0)
        counts->direct_runs++;
    if (event->kind == PROGRESS_COUNT && strcmp(event->name, "reused ray hits") == 0)
        counts->reused += event->value;
    else if (event->kind == PROGRESS_COUNT && strcmp(event->name, "bounce rays") == 0)
        counts->indirect += event->value;
    else if (event->kind == PROGRESS_COUNT && (strncmp(event->name, "shadow rays ", 12) == 0 ||
                                               strcmp(event->name, "supersampling rays") == 0))
        counts->rays += event->value;
}

static void light(struct lit *lit, const char *lights, bool ldr, bool hdr, int threads)
{
    compiled_open(&lit->map, "displacements.vmf", NULL);
    assert_int_equal(lit->map.status, STATUS_OK);
    struct bsp *bsp = lit->map.out.bsp;
    while (arrlen(bsp->entities) && !arrlast(bsp->entities))
        (void)arrpop(bsp->entities);
    for (const char *c = lights; *c; c++)
        arrput(bsp->entities, *c);
    struct vrad_options options = vrad_defaults;
    options.ldr = ldr;
    options.hdr = hdr;
    options.props.lighting = true;
    lit->counts = (struct counts){0};
    struct env env = lit->map.env;
    env.threads = threads;
    env.progress = progress_new(listen, &lit->counts);
    assert_int_equal(vrad_run(&env, &options, NULL, lit->map.assets, bsp), STATUS_OK);
    progress_free(env.progress);
}

static void expect_same_faces(const struct bsp_face *a, const struct bsp_face *b, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        assert_int_equal(a[i].light_offset, b[i].light_offset);
        assert_memory_equal(a[i].styles, b[i].styles, sizeof a[i].styles);
    }
}

#define EXPECT_SAME(a, b)                                                                          \
    do {                                                                                           \
        assert_int_equal(arrlen(a), arrlen(b));                                                    \
        assert_true(arrlen(a) > 0);                                                                \
        assert_memory_equal(a, b, arrlenu(a) * sizeof *(a));                                       \
    } while (0)

static void expect_same_set(const struct bsp_light_set *a, const struct bsp_light_set *b)
{
    assert_int_equal(a->lighting.size, b->lighting.size);
    assert_true(a->lighting.size > 0);
    assert_memory_equal(a->lighting.data, b->lighting.data, a->lighting.size);
    EXPECT_SAME(a->worldlights, b->worldlights);
    EXPECT_SAME(a->ambient, b->ambient);
    EXPECT_SAME(a->ambient_index, b->ambient_index);
}

#define REUSED 0.1

/* Runs all three ways; *alone are the rays of the two runs, *together those of the one. */
static int compare(const char *lights, int threads, int64_t *alone, int64_t *together)
{
    struct lit ldr, hdr, both;
    light(&ldr, lights, true, false, 1);
    light(&hdr, lights, false, true, 1);
    light(&both, lights, true, true, threads);
    const struct bsp *a = ldr.map.out.bsp, *b = hdr.map.out.bsp, *c = both.map.out.bsp;
    expect_same_set(&a->ldr, &c->ldr);
    expect_same_set(&b->hdr, &c->hdr);
    expect_same_faces(a->faces, c->faces, arrlen(a->faces));
    assert_int_equal(arrlen(c->faces_hdr), arrlen(c->faces));
    expect_same_faces(b->faces_hdr, c->faces_hdr, arrlen(c->faces));
    *alone = ldr.counts.rays + hdr.counts.rays;
    *together = both.counts.rays;
    int runs = both.counts.direct_runs;
    if (runs == 2) /* rays of the second run, which are half of all, that no guide aims */
        assert_true((double)both.counts.reused > REUSED * (double)both.counts.indirect);
    compiled_free(&ldr.map);
    compiled_free(&hdr.map);
    compiled_free(&both.map);
    return runs;
}

static void lights_that_differ_in_brightness_share_their_rays(void **state)
{
    static const int threads[] = {1, 2, 7};
    int64_t alone, together;
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(compare(differing, threads[i], &alone, &together), 2);
        /* The light that exists in HDR only shares nothing. */
        assert_true(alone > 0 && (double)together < 0.7 * (double)alone);
    }
}

static void lights_that_are_the_same_are_lit_by_once(void **state)
{
    int64_t alone, together;
    (void)state;
    assert_int_equal(compare(same, 2, &alone, &together), 1);
    assert_true(together > 0);
    assert_int_equal(2 * together, alone);
}

/* ---- contents of the cache ---- */

static void kinds_of_rays_are_stored_apart(void **state)
{
    struct ray_hit_cache *cache = ray_hit_cache_new(4, 2);
    const struct visibility_ray rays[] = {{VISIBILITY_COARSE, 3, 1},
                                          {VISIBILITY_FAR, 3, 1},
                                          {VISIBILITY_FINE, 3, 1},
                                          {VISIBILITY_FINE, 3, 100},
                                          {VISIBILITY_COARSE, 3, 2}};
    uint32_t unblocked;
    (void)state;
    struct light_visibility *visibility = ray_hit_cache_visibility(cache, 1, 7, 5);
    assert_ptr_equal(ray_hit_cache_visibility(cache, 1, 7, 5), visibility);
    assert_ptr_not_equal(ray_hit_cache_visibility(cache, 1, 8, 5), visibility);
    assert_null(ray_hit_cache_visibility(cache, 2, 7, 5));
    visibility_store16(visibility, rays, 9, 8);
    visibility_store16(visibility, rays, 4, 0);
    assert_int_equal(visibility_find16(visibility, rays, 5, &unblocked), 0); /* not yet */
    ray_hit_cache_begin_second(cache);
    assert_int_equal(visibility_find16(visibility, rays, 5, &unblocked), 13);
    assert_int_equal(unblocked, 8);
    visibility_store16(visibility, rays, 2, 2);
    assert_int_equal(visibility_find16(visibility, rays, 5, &unblocked), 13);
    assert_int_equal(visibility_find16(NULL, rays, 5, &unblocked), 0);
    assert_null(ray_hit_cache_visibility(cache, 0, 7, 5));
    ray_hit_cache_free(cache);
}

static void hits_are_found_by_their_whole_key(void **state)
{
    struct ray_hit_cache *cache = ray_hit_cache_new(2, 0);
    const struct ray_hit_key key = {.seed = 9, .position = {1, 2, 3}, .rays = 2, .kind = 1};
    const uint32_t seen[] = {41, 42};
    (void)state;
    ray_hit_cache_store(cache, 1, &key, seen);
    assert_null(ray_hit_cache_find(cache, 1, &key)); /* not yet */
    ray_hit_cache_begin_second(cache);
    assert_int_equal(ray_hit_cache_reused_rays(cache), 0);
    assert_memory_equal(ray_hit_cache_find(cache, 1, &key), seen, sizeof seen);
    assert_memory_equal(ray_hit_cache_find(cache, 1, &key), seen, sizeof seen);
    assert_int_equal(ray_hit_cache_reused_rays(cache), 2);
    assert_null(ray_hit_cache_find(cache, 0, &key));
    assert_null(ray_hit_cache_find(cache, 2, &key));
    struct ray_hit_key other = key;
    other.position[2] = 4;
    assert_null(ray_hit_cache_find(cache, 1, &other));
    other = key;
    other.kind = 0;
    assert_null(ray_hit_cache_find(cache, 1, &other));
    ray_hit_cache_store(cache, 1, &other, seen);
    assert_null(ray_hit_cache_find(cache, 1, &other));
    assert_null(ray_hit_cache_find(NULL, 1, &key));
    ray_hit_cache_free(cache);
}

static void matches_are_found_past_lights_that_have_none(void **state)
{
    struct light_set a = {.lights = NULL}, b = {.lights = NULL};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct light one = {.origin = vec3(i, 0, 0), .intensity = vec3(i, 1, 1)};
        if (i != 1)
            arrput(a.lights, one);
        one.intensity.x *= 2;
        if (i != 2)
            arrput(b.lights, one);
    }
    light_sets_match(&a, &b);
    assert_int_equal(b.lights[0].match_id, a.lights[0].match_id);
    assert_int_equal(b.lights[2].match_id, a.lights[2].match_id);
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(b.lights[1].match_id, a.lights[i].match_id);
    assert_false(light_sets_equal(&a, &b));
    assert_true(light_sets_equal(&a, &a));
    arrfree(a.lights);
    arrfree(b.lights);
}

SUITE(test_vrad_both)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lights_that_differ_in_brightness_share_their_rays),
        cmocka_unit_test(lights_that_are_the_same_are_lit_by_once),
        cmocka_unit_test(kinds_of_rays_are_stored_apart),
        cmocka_unit_test(hits_are_found_by_their_whole_key),
        cmocka_unit_test(matches_are_found_past_lights_that_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
