#include "tests/support/suite.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/diag/codes/lights.def"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/rad_file.h"
#include "vrad/target/source/light_vbsp.h"

struct lit {
    struct bsp *bsp;
    struct diag *diag;
    struct entity_view *entities;
    struct light_set set;
};

static struct lit collect_in(struct bsp *bsp, const char *text, struct light_options options,
                             const struct rad_file *rad)
{
    struct lit lit = {.bsp = bsp, .diag = diag_new(NULL, NULL)};
    struct env env = {.diag = lit.diag, .threads = 1};
    assert_int_equal(entity_view_parse(text, strlen(text), "test", lit.diag, &lit.entities),
                     STATUS_OK);
    lights_collect(&env, &options, lit.bsp, lit.entities, rad, &lit.set);
    return lit;
}

static struct lit collect(const char *text)
{
    return collect_in(bsp_new(), text, (struct light_options){0}, NULL);
}

static void done(struct lit *lit)
{
    lights_free(&lit->set);
    entity_view_free(lit->entities);
    diag_free(lit->diag);
    bsp_free(lit->bsp);
}

/* The only light of a one-entity map; its keys are given without the class and the braces. */
static struct lit one(const char *class, const char *keys)
{
    char text[2000];
    snprintf(text, sizeof text, "{ \"classname\" \"%s\" \"origin\" \"0 0 0\" %s }", class, keys);
    return collect(text);
}

/* ---- colours ---- */

static void colours_are_linear_times_brightness(void **state)
{
    struct vec3 c;
    (void)state;
    assert_true(light_colour("255 127.5 0 510", false, &c));
    assert_near(c.x, 510, 1e-9);
    assert_near(c.y, 510 * pow(0.5, 2.2), 1e-9);
    assert_near(c.z, 0, 0);
    assert_true(light_colour("255 255 255", true, &c));
    assert_near(c.x, 255, 1e-9);
    assert_true(light_colour("255 0 0 100 0 255 0 50", false, &c));
    assert_near(c.x, 100, 1e-9);
    assert_true(light_colour("255 0 0 100 0 255 0 50", true, &c));
    assert_near(c.x, 0, 0);
    assert_near(c.y, 50, 1e-9);
}

static void not_a_colour(void **state)
{
    struct vec3 c;
    (void)state;
    assert_false(light_colour("", false, &c));
    assert_false(light_colour("red", false, &c));
    assert_false(light_colour("1 2", false, &c));
    assert_false(light_colour("-1 -1 -1 1", false, &c));
    assert_false(light_colour("1 2 3 -4", false, &c));
    assert_false(light_colour("1e300 2 3 4", false, &c));
}

/* ---- falloff ---- */

static void brightness_is_what_is_given_at_100_units(void **state)
{
    static const char *const keys[] = {
        "\"_quadratic_attn\" \"1\"",
        "\"_linear_attn\" \"1\"",
        "\"_constant_attn\" \"1\"",
        "",
        "\"_constant_attn\" \"200\" \"_linear_attn\" \"3\" \"_quadratic_attn\" \"0.5\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[400];
        snprintf(text, sizeof text, "\"_light\" \"255 255 255 200\" %s", keys[i]);
        struct lit lit = one("light", text);
        assert_int_equal(arrlen(lit.set.lights), 1);
        const struct light *light = &lit.set.lights[0];
        assert_near(light->intensity.x * light_falloff(light, 100), 200, 1e-9);
        double far = light->constant + 250 * light->linear + 250.0 * 250 * light->quadratic;
        assert_near(light_falloff(light, 250), 1 / far, 1e-15);
        assert_near(light_falloff(light, 0), light_falloff(light, 1), 0);
        done(&lit);
    }
}

/* Half the light at d50, 1/256 of the start's at d0, never brighter further off. */
static void percent_distances(void **state)
{
    (void)state;
    for (double ratio = 1.02; ratio < 2000; ratio *= 1.3) {
        double c, l, q, last = 0, d50 = 64, d0 = d50 * ratio;
        light_fifty_percent(d50, d0, &c, &l, &q);
        assert_near(c + l * d50 + q * d50 * d50, 2, 1e-9);
        assert_near((c + l * d0 + q * d0 * d0) / c, 256, 1e-6);
        for (int i = 0; i <= 200; i++) {
            double d = d0 * i / 200, value = c + l * d + q * d * d;
            assert_true(value >= last - 1e-12);
            last = value;
        }
    }
}

/* From worldlights of compiled maps. */
static void percent_distances_as_in_files(void **state)
{
    static const double known[][5] = {
        {64, 256, 0.113074, 0.00176678, 0.000433069},
        {96, 192, 0.0306513, 0.000319289, 0.000210362},
        {100, 300, 0.0636943, 0.00197452, 0.000173885},
        {185, 512, 0.0520082, 0.00183251, 4.70117e-05},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double c, l, q;
        light_fifty_percent(known[i][0], known[i][1], &c, &l, &q);
        assert_near(c, known[i][2], known[i][2] * 1e-4);
        assert_near(l, known[i][3], known[i][3] * 1e-4);
        assert_near(q, known[i][4], known[i][4] * 1e-4);
    }
}

static void hard_falloff_ends_at_zero_percent(void **state)
{
    (void)state;
    struct lit lit = one("light", "\"_light\" \"255 255 255 200\" \"_hardfalloff\" \"1\" "
                                  "\"_fifty_percent_distance\" \"100\" "
                                  "\"_zero_percent_distance\" \"300\"");
    const struct light *light = &lit.set.lights[0];
    double c, l, q;
    light_fifty_percent(100, 300, &c, &l, &q);
    assert_near(light->intensity.x, 200, 1e-9);
    assert_near(light_falloff(light, 100), 0.5, 1e-9);
    assert_near(light_falloff(light, 250), 1 / (c + 250 * l + 62500 * q), 1e-12);
    /* Half way through the fade, half of it. */
    assert_near(light_falloff(light, 275), 0.5 / (c + 275 * l + 275 * 275 * q), 1e-12);
    assert_near(light_falloff(light, 300), 0, 0);
    assert_near(light_falloff(light, 1e9), 0, 0);
    done(&lit);
}

static void invalid_percent_distances_are_reported(void **state)
{
    (void)state;
    struct lit lit = one("light", "\"_light\" \"255 255 255 200\" \"hammerid\" \"77\" "
                                  "\"_fifty_percent_distance\" \"80\" "
                                  "\"_zero_percent_distance\" \"60\"");
    double c, l, q;
    light_fifty_percent(80, 160, &c, &l, &q);
    assert_near(lit.set.lights[0].quadratic, q, 1e-12);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_FALLOFF), 1);
    assert_int_equal(diag_entry(lit.diag, 0)->where.entity_id, 77);
    assert_true(diag_entry(lit.diag, 0)->where.has_point);
    done(&lit);
}

/* A parabola that would turn down again beyond d0 stands still there and fades. */
static void light_never_comes_back_far_away(void **state)
{
    (void)state;
    struct lit lit = one("light", "\"_light\" \"255 255 255 200\" "
                                  "\"_fifty_percent_distance\" \"10\" "
                                  "\"_zero_percent_distance\" \"9000\"");
    const struct light *light = &lit.set.lights[0];
    double last = light_falloff(light, 1);
    for (double d = 1; d < 1e6; d *= 1.1) {
        double now = light_falloff(light, d);
        assert_true(now <= last + 1e-12 && now >= 0);
        last = now;
    }
    done(&lit);
}

/* ---- directions and cones ---- */

static void expect_normal(const char *keys, double x, double y, double z)
{
    char text[400];
    snprintf(text, sizeof text, "\"_light\" \"255 255 255 200\" %s", keys);
    struct lit lit = one("light_spot", text);
    assert_near(lit.set.lights[0].normal.x, x, 1e-9);
    assert_near(lit.set.lights[0].normal.y, y, 1e-9);
    assert_near(lit.set.lights[0].normal.z, z, 1e-9);
    done(&lit);
}

static void directions(void **state)
{
    (void)state;
    expect_normal("", 1, 0, 0);
    expect_normal("\"angles\" \"0 90 0\"", 0, 1, 0);
    expect_normal("\"angles\" \"-90 0 0\"", 0, 0, -1);
    expect_normal("\"angles\" \"-90 0 0\" \"pitch\" \"-30\"", sqrt(0.75), 0, -0.5);
    expect_normal("\"angles\" \"-90 0 0\" \"pitch\" \"0\"", 0, 0, -1);
    expect_normal("\"pitch\" \"90\"", 0, 0, 1);
    expect_normal("\"angle\" \"-1\"", 0, 0, 1);
    expect_normal("\"angle\" \"-2\"", 0, 0, -1);
    expect_normal("\"angle\" \"180\"", -1, 0, 0);
}

static void targets(void **state)
{
    (void)state;
    struct lit lit =
        collect("{ \"classname\" \"light_spot\" \"origin\" \"1 2 3\" \"target\" \"Aim\" "
                "\"_light\" \"1 1 1 1\" }"
                "{ \"classname\" \"info_target\" \"origin\" \"1 2 -7\" \"targetname\" \"aim\" }"
                "{ \"classname\" \"light_spot\" \"origin\" \"1 2 3\" \"target\" \"nobody\" "
                "\"pitch\" \"90\" \"_light\" \"1 1 1 1\" }");
    assert_int_equal(arrlen(lit.set.lights), 2);
    assert_near(lit.set.lights[1].normal.z, -1, 1e-12); /* the last entity comes first */
    assert_near(lit.set.lights[0].normal.z, 1, 1e-12);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_TARGET), 1);
    done(&lit);
}

static double spot_at(const struct light *light, double degrees)
{
    struct vec3 direction;
    double angle = degrees * DEGREE, distance;
    return light_at(light, vec3(cos(angle) * 50, sin(angle) * 50, 0), &direction, &distance);
}

static void cones(void **state)
{
    (void)state;
    struct lit lit = one("light_spot", "\"_light\" \"255 255 255 200\" \"_inner_cone\" \"20\" "
                                       "\"_cone\" \"60\" \"_exponent\" \"3\" "
                                       "\"_quadratic_attn\" \"1\"");
    const struct light *light = &lit.set.lights[0];
    double inner = cos(0.3490658503988659), outer = 0.5, half = (inner + outer) / 2;
    assert_near(spot_at(light, 0) * 2500, 1, 1e-9);
    assert_near(spot_at(light, 19) * 2500, cos(19 * DEGREE), 1e-9);
    assert_near(spot_at(light, acos(half) / DEGREE) * 2500, half / 8, 1e-9);
    assert_near(spot_at(light, 61), 0, 0);
    assert_near(spot_at(light, 180), 0, 0);
    done(&lit);
    lit = one("light_spot", "\"_light\" \"1 1 1 1\" \"_inner_cone\" \"180\" \"_cone\" \"180\"");
    assert_int_equal(lit.set.lights[0].type, WORLDLIGHT_POINT);
    done(&lit);
    lit = one("light_spot", "\"_light\" \"1 1 1 1\" \"_cone\" \"120\"");
    assert_near(lit.set.lights[0].stopdot2, 0, 1e-12);
    assert_near(lit.set.lights[0].stopdot, cos(10 * DEGREE), 1e-12);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_CONE), 1);
    done(&lit);
}

/* ---- the sky ---- */

static const char environment[] =
    "{ \"classname\" \"light_environment\" \"origin\" \"5 5 5\" \"pitch\" \"-90\" "
    "\"_light\" \"255 255 255 200\" \"_lightHDR\" \"-1 -1 -1 1\" \"_lightscaleHDR\" \"2\" "
    "\"_ambient\" \"255 255 255 50\" \"_ambientHDR\" \"255 0 0 40\" \"_AmbientScaleHDR\" \"3\" "
    "\"SunSpreadAngle\" \"30\" }";

static void sun_and_sky(void **state)
{
    (void)state;
    for (int hdr = 0; hdr < 2; hdr++) {
        struct lit lit =
            collect_in(bsp_new(), environment, (struct light_options){.hdr = hdr}, NULL);
        assert_int_equal(arrlen(lit.set.lights), 2);
        assert_int_equal(lit.set.sky, 0);
        assert_int_equal(lit.set.sun, 1);
        assert_near(lit.set.lights[1].intensity.y, hdr ? 400 : 200, 1e-9);
        assert_near(lit.set.lights[1].normal.z, -1, 1e-12);
        assert_near(lit.set.lights[0].intensity.x, hdr ? 120 : 50, 1e-9);
        assert_near(lit.set.lights[0].intensity.y, hdr ? 0 : 50, 1e-9);
        assert_near(lit.set.lights[lit.set.sun].spread, 0.5, 1e-12);
        done(&lit);
    }
}

static void only_the_first_sky_counts(void **state)
{
    char text[2 * sizeof environment];
    (void)state;
    snprintf(text, sizeof text, "%s%s", environment, environment);
    struct lit lit =
        collect_in(bsp_new(), text, (struct light_options){.soft_sun_degrees = 90}, NULL);
    assert_int_equal(arrlen(lit.set.lights), 2);
    assert_near(lit.set.lights[lit.set.sun].spread, 1, 1e-12);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_SECOND_SUN), 1);
    done(&lit);
}

static void sky_without_ambient_is_half_the_sun(void **state)
{
    (void)state;
    struct lit lit = one("light_environment", "\"_light\" \"255 255 255 200\"");
    assert_near(lit.set.lights[lit.set.sky].intensity.x, 100, 1e-9);
    done(&lit);
}

static void other_classes_and_odd_keys(void **state)
{
    (void)state;
    struct lit lit = collect("{ \"classname\" \"light_odd\" }"
                             "{ \"classname\" \"light_dynamic\" }"
                             "{ \"classname\" \"info_lighting\" }"
                             "{ \"classname\" \"light\" \"_light\" \"pink\" \"style\" \"99\" "
                             "\"_linear_attn\" \"-3\" \"origin\" \"nan inf x\" }");
    assert_int_equal(arrlen(lit.set.lights), 1);
    assert_near(lit.set.lights[0].intensity.x, 0, 0);
    assert_near(lit.set.lights[0].linear, 0, 0);
    assert_int_equal(lit.set.lights[0].style, 0);
    assert_true(vec3_is_finite(lit.set.lights[0].origin));
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_KIND), 1);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_COLOUR), 1);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_STYLE), 1);
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_FALLOFF), 1);
    done(&lit);
}

/* ---- surface lights ---- */

static void surfaces_emit_by_patches(void **state)
{
    struct rad_file rad = {0};
    const char *line = "DEV/A 255 255 255 100";
    const struct vec3 size = vec3(128, 64, 64);
    (void)state;
    struct bsp *bsp = room_new(size, 0.5, NULL);
    struct diag *diag = diag_new(NULL, NULL);
    rad_parse(line, strlen(line), "test", diag, &rad);
    struct lit lit =
        collect_in(bsp, "{ \"classname\" \"worldspawn\" }", (struct light_options){0}, &rad);
    /* 8 x 4 luxels in patches of 2 x 2 on four walls, 4 x 4 on two. */
    assert_int_equal(arrlen(lit.set.lights), 4 * 8 + 2 * 4);
    struct vec3 total = vec3(0, 0, 0), middle = vec3(0, 0, 0);
    for (ptrdiff_t i = 0; i < arrlen(lit.set.lights); i++) {
        const struct light *light = &lit.set.lights[i];
        assert_int_equal(light->type, WORLDLIGHT_SURFACE);
        total = vec3_add(total, light->intensity);
        middle = vec3_mad(middle, light->origin, 1.0 / (double)arrlen(lit.set.lights));
        assert_true(vec3_dot(vec3_sub(vec3_scale(size, 0.5), light->origin), light->normal) > 0);
    }
    /* Unit areas over those of the texture, times 10000 times the emission. */
    double area = 4 * 128 * 64 + 2 * 64 * 64;
    assert_near(total.x, 100 * 1e4 * area * 16 / (512.0 * 512), 1e-3);
    assert_near(middle.x, 64, 1e-9);
    assert_near(middle.y, 32, 1e-9);
    assert_true(lit.set.lights[0].flags & LIGHT_IN_AMBIENT_CUBE);
    rad_free(&rad);
    diag_free(diag);
    done(&lit);
}

static struct lit glowing(struct bsp *bsp, struct light_options options)
{
    struct rad_file rad = {0};
    const char *line = "dev/a 255 255 255 100";
    struct diag *diag = diag_new(NULL, NULL);
    rad_parse(line, strlen(line), "test", diag, &rad);
    struct lit lit = collect_in(bsp, "{ \"classname\" \"worldspawn\" }", options, &rad);
    rad_free(&rad);
    diag_free(diag);
    return lit;
}

static void patches_are_as_large_as_asked_for(void **state)
{
    const struct vec3 size = vec3(128, 64, 64);
    (void)state;
    struct lit lit = glowing(room_new(size, 0.5, NULL), (struct light_options){.chop = 9});
    assert_int_equal(arrlen(lit.set.lights), 6);
    done(&lit);
    lit = glowing(room_new(size, 0.5, NULL), (struct light_options){.min_emission = 101});
    assert_int_equal(arrlen(lit.set.lights), 0);
    done(&lit);
}

/* The floor as a displacement of 4 x 4 cells, raised by `slope` along x. */
static void displace_floor(struct bsp *bsp, double slope)
{
    struct bsp_displacement info = {.power = 2};
    for (int i = 0; i < 25; i++) {
        struct bsp_disp_vertex vertex = {.vector = {0, 0, 1}};
        vertex.distance = (float)(slope * 32 * (i % 5)); /* columns run along x */
        arrput(bsp->disp_vertices, vertex);
    }
    bsp->faces[ROOM_FLOOR].dispinfo = 0;
    arrput(bsp->displacements, info);
}

/* The floor of 8 x 8 luxels: a flat one equals a plain face, a raised one is larger by 1 / cosine
 * and leans. */
static void displacements_emit(void **state)
{
    (void)state;
    for (int raised = 0; raised < 2; raised++) {
        struct bsp *bsp = room_new(vec3(128, 128, 256), 0.5, NULL);
        displace_floor(bsp, raised ? 0.75 : 0);
        struct lit lit = glowing(bsp, (struct light_options){.disp_chop = 5});
        double total = 0;
        int count = 0;
        for (ptrdiff_t i = 0; i < arrlen(lit.set.lights); i++) {
            const struct light *light = &lit.set.lights[i];
            if (light->face != ROOM_FLOOR)
                continue;
            assert_near(light->normal.z, raised ? 0.8 : 1, 1e-6);
            assert_near(fabs(light->normal.x), raised ? 0.6 : 0, 1e-6);
            assert_near(fabs(light->origin.x - 64), 32, 1e-6);
            assert_near(light->origin.z, raised ? 0.75 * light->origin.x : 0, 1e-4);
            total += light->intensity.x;
            count++;
        }
        assert_int_equal(count, 4);
        double want = 100 * 1e4 * 128 * 128 * 16 / (512.0 * 512);
        assert_near(total, raised ? want / 0.8 : want, want * 1e-6);
        done(&lit);
    }
}

static void surface_lights_shine_forward(void **state)
{
    struct light light = {.type = WORLDLIGHT_SURFACE, .normal = vec3(0, 0, -1)};
    struct vec3 direction;
    double distance;
    (void)state;
    assert_near(light_at(&light, vec3(0, 0, -100), &direction, &distance), 1e-4, 1e-6);
    assert_near(direction.z, 1, 1e-12);
    assert_near(light_at(&light, vec3(100, 0, -100), &direction, &distance), sqrt(0.5) / 20000,
                1e-7);
    assert_near(light_at(&light, vec3(0, 0, 100), &direction, &distance), 0, 0);
}

/* ---- where lights stand ---- */

static void lights_in_solid_are_reported(void **state)
{
    (void)state;
    struct lit lit = collect_in(room_new(vec3(64, 64, 64), 0.5, NULL),
                                "{ \"classname\" \"light\" \"origin\" \"-90 0 0\" "
                                "\"_light\" \"1 1 1 1\" }"
                                "{ \"classname\" \"light\" \"origin\" \"0 0 0\" "
                                "\"_light\" \"1 1 1 1\" }",
                                (struct light_options){0}, NULL);
    assert_int_equal(lit.set.lights[1].cluster, -1);
    assert_int_equal(lit.set.lights[0].cluster, 0); /* on the wall's plane: counts as before it */
    assert_int_equal(diag_count_code(lit.diag, DIAG_LIGHT_IN_SOLID), 1);
    assert_true(light_reaches(&lit.set, 0, 0));
    assert_true(light_reaches(&lit.set, 1, 12345));
    done(&lit);
}

SUITE(test_lights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_linear_times_brightness),
        cmocka_unit_test(not_a_colour),
        cmocka_unit_test(brightness_is_what_is_given_at_100_units),
        cmocka_unit_test(percent_distances),
        cmocka_unit_test(percent_distances_as_in_files),
        cmocka_unit_test(hard_falloff_ends_at_zero_percent),
        cmocka_unit_test(invalid_percent_distances_are_reported),
        cmocka_unit_test(light_never_comes_back_far_away),
        cmocka_unit_test(directions),
        cmocka_unit_test(targets),
        cmocka_unit_test(cones),
        cmocka_unit_test(sun_and_sky),
        cmocka_unit_test(only_the_first_sky_counts),
        cmocka_unit_test(sky_without_ambient_is_half_the_sun),
        cmocka_unit_test(other_classes_and_odd_keys),
        cmocka_unit_test(surfaces_emit_by_patches),
        cmocka_unit_test(patches_are_as_large_as_asked_for),
        cmocka_unit_test(displacements_emit),
        cmocka_unit_test(surface_lights_shine_forward),
        cmocka_unit_test(lights_in_solid_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
