/* Direct light against closed forms, in rooms made in memory. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/diag/codes/lightmaps.def"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/vrad.h"

#define PI 3.14159265358979323846

/* A luxel on a shadow edge has 32 samples: one more or less may be lit. */
#define EDGE (1.1 / 32)

struct lit {
    struct bsp *bsp;
    struct diag *diag;
};

static struct lit light(struct bsp *bsp, const char *lights, int threads, bool fast)
{
    struct lit lit = {bsp, diag_new(NULL, NULL)};
    struct env env = {.diag = lit.diag, .threads = threads, .fs = fs_memory_new()};
    struct assets *assets;
    const struct assets_options none = {0};
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    options.fast = fast;
    room_set_entities(bsp, lights);
    assert_int_equal(assets_open(&env, &none, &assets), STATUS_OK);
    assert_int_equal(vrad_run(&env, &options, NULL, assets, bsp), STATUS_OK);
    assets_free(assets);
    fs_memory_free(env.fs);
    return lit;
}

static void put_out(struct lit *lit)
{
    bsp_free(lit->bsp);
    diag_free(lit->diag);
}

/* Mean of f over the part of luxel (s, t) that lies in the room's floor. */
typedef double floor_light(double x, double y, const void *context);

static double square_mean(floor_light *f, const void *context, int s, int t, struct vec3 size)
{
    enum { STEPS = 40 };
    double sum = 0;
    int count = 0;
    for (int i = 0; i < STEPS * STEPS; i++) {
        double x = 16 * (s - 0.5 + (i % STEPS + 0.5) / (double)STEPS);
        double y = 16 * (t - 0.5 + (i / STEPS + 0.5) / (double)STEPS);
        if (x < 0 || y < 0 || x > size.x || y > size.y)
            continue;
        sum += f(x, y, context);
        count++;
    }
    return sum / count;
}

/* ---- point lights ---- */

struct source {
    struct vec3 origin;
    double intensity;              /* at distance 1, with quadratic falloff */
    double inner, outer, exponent; /* spot that looks down: cosines */
};

static double point_irradiance(double x, double y, const void *context)
{
    const struct source *source = context;
    struct vec3 way = vec3_sub(source->origin, vec3(x, y, 0));
    double d = vec3_length(way);
    return source->intensity * way.z / (d * d * d);
}

/* Quadratic falloff: brightness is the light at 100 units. */
static void point_light_over_a_floor(void **state)
{
    const struct vec3 size = vec3(512, 512, 256);
    const struct source source = {.origin = vec3(200, 260, 90), .intensity = 200e4};
    (void)state;
    struct lit lit = light(room_new(size, 0.5, NULL),
                           "{\n\"classname\" \"light\"\n\"origin\" \"200 260 90\"\n"
                           "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n",
                           1, false);
    for (int s = 0; s <= 32; s += 4)
        for (int t = 0; t <= 32; t += 4) {
            double want = square_mean(point_irradiance, &source, s, t, size);
            assert_near(room_grey(lit.bsp, ROOM_FLOOR, s, t), want, want * 0.01);
        }
    /* The wall behind: the same light by its own normal. */
    double d = 200, dz = 90 - 96;
    double want = 200e4 * d / pow(d * d + 4 * 4 + dz * dz, 1.5);
    assert_near(room_grey(lit.bsp, ROOM_LOW_X, 16, 6), want, want * 0.01);
    put_out(&lit);
}

static double spot_light(double x, double y, const void *context)
{
    const struct source *source = context;
    struct vec3 way = vec3_sub(source->origin, vec3(x, y, 0));
    double d = vec3_length(way), cosine = way.z / d;
    if (cosine <= source->outer)
        return 0;
    double edge =
        cosine >= source->inner ? 1 : (cosine - source->outer) / (source->inner - source->outer);
    return source->intensity * cosine * cosine / (d * d) * pow(edge, source->exponent);
}

static void spot_light_has_its_cone(void **state)
{
    const struct vec3 size = vec3(512, 512, 256);
    const struct source source = {.origin = vec3(256, 256, 200),
                                  .intensity = 200e4,
                                  .inner = cos(20 * PI / 180),
                                  .outer = cos(40 * PI / 180),
                                  .exponent = 2};
    (void)state;
    struct lit lit = light(room_new(size, 0.5, NULL),
                           "{\n\"classname\" \"light_spot\"\n\"origin\" \"256 256 200\"\n"
                           "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n"
                           "\"angles\" \"0 0 0\"\n\"pitch\" \"-90\"\n\"_exponent\" \"2\"\n"
                           "\"_inner_cone\" \"20\"\n\"_cone\" \"40\"\n}\n",
                           1, false);
    for (int s = 0; s <= 32; s++) {
        double want = square_mean(spot_light, &source, s, 16, size);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, s, 16), want, want * 0.01 + 0.1);
    }
    /* 200 tan 40 = 168 units from the middle the spot ends. */
    assert_near(room_grey(lit.bsp, ROOM_FLOOR, 16 + 12, 16), 0, 0);
    put_out(&lit);
}

/* ---- shadows ---- */

/* A slab hangs between the light and the floor: its shadow ends at the line over its edge, and the
 * luxel on it has its share of light. */
static void shadow_edges_lie_where_lines_say(void **state)
{
    const struct vec3 size = vec3(512, 512, 256);
    struct bsp *bsp = room_new(size, 0.5, NULL);
    (void)state;
    room_add_box(bsp, vec3(300, 0, 100), vec3(512, 512, 104));
    struct lit lit = light(bsp,
                           "{\n\"classname\" \"light\"\n\"origin\" \"200 256 200\"\n"
                           "\"_light\" \"255 255 255 200\"\n}\n",
                           1, false);
    /* Constant light. The lower edge, at height 100, decides: 100 units aside in 100 of height. */
    double edge = 400;
    const struct bsp_face *floor = &lit.bsp->faces[ROOM_FLOOR];
    for (int s = 0; s <= floor->lightmap_size[0]; s++) {
        double low = fmax(16 * s - 8, 0), high = fmin(16 * s + 8, 512), x = (low + high) / 2;
        double share = fmin(fmax((edge - low) / (high - low), 0), 1);
        double d = vec3_distance(vec3(200, 256, 200), vec3(x, 256, 0));
        double full = 200 * 200 / d;
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, s, 16), full * share, full * EDGE);
    }
    put_out(&lit);
}

/* ---- sun and sky ---- */

/* Components of the bump directions along x and y on the floor, where S runs along x and T along y:
 * a right-handed frame from above. */
static const double lean[3][2] = {
    {0.81649658, 0}, {-0.40824829, 0.70710678}, {-0.40824829, -0.70710678}};

static const int sky_ceiling[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};

/* A roof with a square hole, made of four boxes. */
static void add_roof(struct bsp *bsp, double low, double high)
{
    room_add_box(bsp, vec3(0, 0, 200), vec3(low, 512, 208));
    room_add_box(bsp, vec3(high, 0, 200), vec3(512, 512, 208));
    room_add_box(bsp, vec3(low, 0, 200), vec3(high, low, 208));
    room_add_box(bsp, vec3(low, high, 200), vec3(high, 512, 208));
}

static const char sun_at_45[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                                "\"angles\" \"-45 0 0\"\n\"pitch\" \"-45\"\n"
                                "\"_light\" \"255 255 255 200\"\n\"_ambient\" \"0 0 0 0\"\n}\n";

/* The sun shines along x at 45 degrees; the hole 192 .. 320 is narrowed by the 8 units of its
 * roof. */
static void sun_falls_through_a_window(void **state)
{
    struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, sky_ceiling);
    (void)state;
    add_roof(bsp, 192, 320);
    struct lit lit = light(bsp, sun_at_45, 1, false);
    double low = 192 + 208, high = 320 + 200, full = 200 * sqrt(0.5);
    for (int s = 0; s <= 32; s++) {
        double left = fmax(16 * s - 8, 0), right = fmin(16 * s + 8, 512);
        double share = (fmin(right, high) - fmax(left, low)) / (right - left);
        double want = full * fmin(fmax(share, 0), 1);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, s, 16), want, full * EDGE);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, s, 10), 0, 0);
    }
    /* t: the edges at 192 and 320 halve luxels 12 and 20. */
    assert_near(room_grey(lit.bsp, ROOM_FLOOR, 28, 12), full / 2, full * EDGE);
    assert_near(room_grey(lit.bsp, ROOM_FLOOR, 28, 20), full / 2, full * EDGE);
    put_out(&lit);
}

/* The part of luxel s that sees a sun at 45 degrees past a slab from low x to 256, 208 units above:
 * directions are even over a sphere around the middle of the sun. */
static double soft_share(int s, double spread)
{
    enum { STEPS = 96 };
    double low = fmax(16 * s - 8, 0), high = fmin(16 * s + 8, 512), sum = 0;
    for (int i = 0; i < STEPS * STEPS; i++) {
        double z = 1 - 2 * (i / STEPS + 0.5) / (double)STEPS,
               angle = 2 * PI * (i % STEPS + 0.5) / (double)STEPS;
        double x = -sqrt(0.5) + spread * sqrt(1 - z * z) * cos(angle), up = sqrt(0.5) + spread * z;
        double min = 256 - 208 * x / up;
        sum += fmin(fmax((high - min) / (high - low), 0), 1);
    }
    return sum / (STEPS * STEPS);
}

/* Luxels of a penumbra are off by a fiftieth of the light, RMS. */
static void soft_suns_have_smooth_edges(void **state)
{
    static const double degrees[] = {1, 3, 8};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[400];
        struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, sky_ceiling);
        room_add_box(bsp, vec3(0, 0, 200), vec3(256, 512, 208));
        snprintf(text, sizeof text,
                 "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                 "\"angles\" \"-45 0 0\"\n\"pitch\" \"-45\"\n\"SunSpreadAngle\" \"%g\"\n"
                 "\"_light\" \"255 255 255 200\"\n\"_ambient\" \"0 0 0 0\"\n}\n",
                 degrees[i]);
        struct lit lit = light(bsp, text, 1, false);
        double full = 200 * sqrt(0.5), sum = 0;
        int count = 0;
        for (int s = 20; s <= 32; s++) {
            double share = soft_share(s, sin(degrees[i] * PI / 180));
            if (share < 0.001 || share > 0.999)
                continue;
            for (int t = 8; t <= 24; t++, count++) {
                double miss = room_grey(lit.bsp, ROOM_FLOOR, s, t) / full - share;
                sum += miss * miss;
            }
        }
        print_message("SunSpreadAngle %g: RMS %.4f of full light, %d luxels\n", degrees[i],
                      sqrt(sum / count), count);
        assert_true(count > 10);
        assert_true(sqrt(sum / count) < 0.02);
        put_out(&lit);
    }
}

/* View factor of a rectangle a x b at height h from a point below its corner. */
static double corner_factor(double a, double b, double h)
{
    double x = a / h, y = b / h;
    return (x / sqrt(1 + x * x) * atan(y / sqrt(1 + x * x)) +
            y / sqrt(1 + y * y) * atan(x / sqrt(1 + y * y))) /
           (2 * PI);
}

static double sky_factor(double x, double y, const void *context)
{
    const struct vec3 *size = context;
    return corner_factor(x, y, size->z) + corner_factor(size->x - x, y, size->z) +
           corner_factor(x, size->y - y, size->z) +
           corner_factor(size->x - x, size->y - y, size->z);
}

static void sky_lights_by_its_view_factor(void **state)
{
    const struct vec3 size = vec3(256, 256, 256);
    (void)state;
    struct lit lit = light(room_new(size, 0.5, sky_ceiling),
                           "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                           "\"_light\" \"0 0 0 0\"\n\"_ambient\" \"255 255 255 100\"\n}\n",
                           1, false);
    double error = 0, bias = 0;
    int count = 0;
    for (int s = 0; s <= 16; s++)
        for (int t = 0; t <= 16; t++) {
            double want = 100 * square_mean(sky_factor, &size, s, t, size);
            double off = room_grey(lit.bsp, ROOM_FLOOR, s, t) / want - 1;
            error += off * off;
            bias += off;
            count++;
        }
    assert_near(sqrt(error / count), 0, 0.04);
    assert_near(bias / count, 0, 0.005);
    put_out(&lit);
}

/* Light of the sky through the ceiling on a surface at (x, y, 0) with this normal. */
static double sky_through_ceiling(double x, double y, struct vec3 size, struct vec3 normal)
{
    enum { STEPS = 200 };
    double sum = 0, cell = size.x / (double)STEPS * size.y / (double)STEPS;
    for (int i = 0; i < STEPS * STEPS; i++) {
        struct vec3 way = vec3((i % STEPS + 0.5) / (double)STEPS * size.x - x,
                               (i / STEPS + 0.5) / (double)STEPS * size.y - y, size.z);
        double d = vec3_length(way);
        sum += fmax(vec3_dot(normal, way), 0) * way.z / (d * d * d * d) * cell;
    }
    return sum / PI;
}

static void bump_maps_see_their_part_of_the_sky(void **state)
{
    static const int flags[6] = {
        [ROOM_FLOOR] = SURFACE_BUMPLIGHT, [ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    const struct vec3 size = vec3(256, 256, 128);
    double error = 0;
    int count = 0;
    (void)state;
    struct lit lit = light(room_new(size, 0.5, flags),
                           "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                           "\"_light\" \"0 0 0 0\"\n\"_ambient\" \"255 255 255 100\"\n}\n",
                           1, false);
    for (int s = 1; s <= 15; s += 2)
        for (int t = 1; t <= 15; t += 7)
            for (int slot = 0; slot <= 3; slot++) {
                struct vec3 normal = vec3(0, 0, 1);
                if (slot)
                    normal = vec3(lean[slot - 1][0], lean[slot - 1][1], sqrt(1.0 / 3));
                double want = 100 * sky_through_ceiling(16 * s, 16 * t, size, normal), rgb[3];
                room_luxel(lit.bsp, ROOM_FLOOR, 0, slot, s, t, rgb);
                assert_near(rgb[0], want, want * 0.2 + 1);
                error += (rgb[0] / want - 1) * (rgb[0] / want - 1);
                count++;
            }
    assert_near(sqrt(error / count), 0, 0.05);
    put_out(&lit);
}

/* With a spread the shadow edge becomes a ramp of the sun's width. */
static void wide_sun_has_soft_shadows(void **state)
{
    struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, sky_ceiling);
    (void)state;
    room_add_box(bsp, vec3(0, 0, 200), vec3(256, 512, 208));
    struct lit lit = light(bsp,
                           "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                           "\"angles\" \"-90 0 0\"\n\"pitch\" \"-90\"\n\"SunSpreadAngle\" \"10\"\n"
                           "\"_light\" \"255 255 255 200\"\n\"_ambient\" \"0 0 0 0\"\n}\n",
                           1, false);
    double half = room_grey(lit.bsp, ROOM_FLOOR, 16, 16);
    assert_near(half, 100, 200 * 0.04);
    /* The jitter is at most sin 10 of the way: 35 units at the roof's height. */
    assert_near(room_grey(lit.bsp, ROOM_FLOOR, 16 - 3, 16), 0, 0.5);
    assert_near(room_grey(lit.bsp, ROOM_FLOOR, 16 + 3, 16), 200, 0.5);
    double above = room_grey(lit.bsp, ROOM_FLOOR, 17, 16);
    assert_true(above > 110 && above < 185);
    put_out(&lit);
}

/* Two additional suns: each from its own direction, with its own style, and only through the
 * sky. */
static void further_suns_shine_through_the_sky(void **state)
{
    static const char suns[] =
        "{\n\"classname\" \"light_directional\"\n\"origin\" \"9 9 9\"\n"
        "\"angles\" \"-45 0 0\"\n\"pitch\" \"-45\"\n\"_light\" \"255 255 255 200\"\n}\n"
        "{\n\"classname\" \"light_directional\"\n\"origin\" \"9 9 9\"\n"
        "\"angles\" \"-45 180 0\"\n\"pitch\" \"-45\"\n\"_light\" \"255 255 255 100\"\n"
        "\"style\" \"33\"\n}\n";
    struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, sky_ceiling);
    (void)state;
    add_roof(bsp, 192, 320);
    struct lit lit = light(bsp, suns, 1, false);
    double rgb[3];
    assert_int_equal(bsp->faces[ROOM_FLOOR].styles[1], 33);
    for (int style = 0; style < 2; style++)
        for (int s = 0; s <= 32; s += 4) {
            bool inside = style ? s == 0 || s == 4 : s == 28 || s == 32;
            room_luxel(lit.bsp, ROOM_FLOOR, style, 0, s, 16, rgb);
            assert_near(rgb[0], inside ? (style ? 100 : 200) * sqrt(0.5) : 0, 1);
        }
    put_out(&lit);
}

/* The 3D skybox: distant objects at a sixteenth of their size, around the sky_camera at (0, 0,
 * 1000) in an area of its own. They cast shadows on the map, sixteen times as large. */
static void sky_room_shades_the_map(void **state)
{
    (void)state;
    for (int recurse = 0; recurse < 2; recurse++) {
        struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, sky_ceiling);
        bsp->leaves[0].area = recurse ? 1 : 0; /* the camera's; equal to the map's: no 3D skybox */
        room_add_box(bsp, vec3(-8, -8, 1040), vec3(16, 40, 1044));
        struct lit lit = light(bsp,
                               "{\n\"classname\" \"light_environment\"\n"
                               "\"origin\" \"9 9 9\"\n\"angles\" \"-90 0 0\"\n"
                               "\"pitch\" \"-90\"\n\"_light\" \"255 255 255 200\"\n"
                               "\"_ambient\" \"0 0 0 0\"\n}\n"
                               "{\n\"classname\" \"sky_camera\"\n\"origin\" \"0 0 1000\"\n"
                               "\"scale\" \"16\"\n}\n",
                               1, false);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, 8, 16), recurse ? 0 : 200, 1);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, 16, 16), recurse ? 100 : 200, 200 * EDGE);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, 24, 16), 200, 1);
        put_out(&lit);
    }
}

/* ---- emissive materials ---- */

static struct lit light_with_rad(struct bsp *bsp, const char *rad, bool hdr)
{
    struct lit lit = {bsp, diag_new(NULL, NULL)};
    struct env env = {.diag = lit.diag, .threads = 1, .fs = fs_memory_new()};
    struct assets *assets;
    const struct assets_options none = {0};
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    options.hdr = hdr;
    options.lights_file = "a.rad";
    assert_int_equal(env.fs->ops->write(env.fs, "a.rad", rad, strlen(rad)), 0);
    room_set_entities(bsp, "");
    assert_int_equal(assets_open(&env, &none, &assets), STATUS_OK);
    assert_int_equal(vrad_run(&env, &options, NULL, assets, bsp), STATUS_OK);
    assets_free(assets);
    fs_memory_free(env.fs);
    return lit;
}

/* Only the ceiling is emissive: its material has a name of its own. */
static struct bsp *glowing_ceiling(struct vec3 size)
{
    struct bsp *bsp = room_new(size, 0.5, NULL);
    struct bsp_texdata texdata = bsp->texdata[0];
    texdata.name = 1;
    arrput(bsp->texdata, texdata);
    char *name = memory_zalloc(8, 1);
    strcpy(name, "glow");
    arrput(bsp->texture_names, name);
    bsp->texinfo[bsp->faces[ROOM_CEILING].texinfo].texdata = 1;
    return bsp;
}

/* A surface emits its material's light, 16 texels per unit of area of 512 x 512, times 10000: as a
 * source of that radiance, pi times its view factor. */
static void an_emissive_square_lights_by_its_form_factor(void **state)
{
    const struct vec3 size = vec3(256, 256, 320);
    (void)state;
    struct lit lit = light_with_rad(glowing_ceiling(size), "glow 255 255 255 10", false);
    double radiance = 10 * 1e4 * 16 / (512.0 * 512);
    for (int s = 0; s <= 16; s++)
        for (int t = 0; t <= 16; t += 4) {
            double want = radiance * PI * square_mean(sky_factor, &size, s, t, size);
            assert_near(room_grey(lit.bsp, ROOM_FLOOR, s, t), want, want * 0.02);
        }
    assert_near(room_grey(lit.bsp, ROOM_CEILING, 8, 8), 0, 0);
    put_out(&lit);
}

/* ldr: and hdr: lines apply to one run each. */
static void materials_emit_in_their_run(void **state)
{
    (void)state;
    for (int hdr = 0; hdr < 2; hdr++) {
        struct lit lit =
            light_with_rad(glowing_ceiling(vec3(128, 128, 128)), "hdr:glow 255 255 255 10", hdr);
        const struct bsp_light_set *set = hdr ? &lit.bsp->hdr : &lit.bsp->ldr;
        assert_int_equal(arrlen(set->worldlights) > 0, hdr);
        put_out(&lit);
    }
}

/* ---- bump maps, styles ---- */

/* Each bump map has the light for its own direction. */
static void bump_maps_have_their_directions(void **state)
{
    static const int flags[6] = {[ROOM_FLOOR] = SURFACE_BUMPLIGHT};
    (void)state;
    struct lit lit = light(room_new(vec3(512, 512, 256), 0.5, flags),
                           "{\n\"classname\" \"light\"\n\"origin\" \"400 180 90\"\n"
                           "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n",
                           1, false);
    for (int t = 4; t < 30; t += 5) {
        struct vec3 way = vec3_sub(vec3(400, 180, 90), vec3(16 * 16, 16 * t, 0));
        double d = vec3_length(way);
        for (int slot = 1; slot <= 3; slot++) {
            struct vec3 direction = vec3(lean[slot - 1][0], lean[slot - 1][1], sqrt(1.0 / 3));
            double want = 200e4 * fmax(vec3_dot(direction, way), 0) / (d * d * d), rgb[3];
            room_luxel(lit.bsp, ROOM_FLOOR, 0, slot, 16, t, rgb);
            assert_near(rgb[1], want, 0.015 * want + 0.3);
        }
    }
    put_out(&lit);
}

/* Luxels below a box have no points, nor a place in shadows. */
static void hidden_luxels_of_bump_maps_have_numbers(void **state)
{
    static const int flags[6] = {[ROOM_FLOOR] = SURFACE_BUMPLIGHT};
    struct bsp *bsp = room_new(vec3(256, 256, 2000), 0.5, flags);
    struct lit_room room;
    int hidden = 0;
    (void)state;
    room_add_box(bsp, vec3(70, 70, 0), vec3(170, 170, 60));
    room_add_box(bsp, vec3(2, 2, 500), vec3(6, 6, 510)); /* its shadow is in the corner */
    lit_room_open(&room, bsp,
                  "{\n\"classname\" \"light\"\n\"origin\" \"20 20 1900\"\n"
                  "\"_light\" \"255 255 255 9000\"\n\"_quadratic_attn\" \"1\"\n}\n",
                  1);
    lit_room_direct(&room);
    const struct face_light *face = &room.map.faces[ROOM_FLOOR];
    assert_int_equal(face->slots, LUXEL_SLOTS);
    for (int i = 0; i < face->count; i++) {
        hidden += luxel_is_hidden(face, i);
        for (int slot = 0; slot < face->slots; slot++)
            assert_true(isfinite(face->direct[0][3 * (slot * face->count + i)]));
    }
    assert_true(hidden > 0);
    lit_room_close(&room);
}

static void add_styled(char *text, size_t room, int style, int brightness)
{
    size_t used = strlen(text);
    snprintf(text + used, room - used,
             "{\n\"classname\" \"light\"\n\"origin\" \"128 128 64\"\n\"style\" \"%d\"\n"
             "\"_light\" \"255 255 255 %d\"\n\"hammerid\" \"%d\"\n}\n",
             style, brightness, 700 + style);
}

static void styles_have_maps_of_their_own(void **state)
{
    char text[2000] = "";
    (void)state;
    add_styled(text, sizeof text, 32, 100);
    add_styled(text, sizeof text, 5, 50);
    add_styled(text, sizeof text, 32, 20);
    struct lit lit = light(room_new(vec3(256, 256, 128), 0.5, NULL), text, 1, false);
    const struct bsp_face *floor = &lit.bsp->faces[ROOM_FLOOR];
    assert_int_equal(floor->styles[0], 0);
    assert_int_equal(floor->styles[1], 32);
    assert_int_equal(floor->styles[2], 5);
    assert_int_equal(floor->styles[3], BSP_STYLE_NONE);
    double rgb[3];
    for (int style = 0; style < 3; style++) {
        static const double want[3] = {0, 120, 50};
        room_luxel(lit.bsp, ROOM_FLOOR, style, 0, 8, 8, rgb);
        assert_near(rgb[0], want[style], want[style] * 0.01);
    }
    put_out(&lit);
}

static void a_fifth_style_is_dropped_and_reported(void **state)
{
    char text[2000] = "";
    (void)state;
    for (int i = 0; i < 4; i++)
        add_styled(text, sizeof text, 33 + i, i == 1 ? 10 : 100);
    struct lit lit = light(room_new(vec3(256, 256, 128), 0.5, NULL), text, 1, false);
    const uint8_t want[4] = {0, 36, 35, 33}; /* the weakest goes; the last light comes first */
    assert_memory_equal(lit.bsp->faces[ROOM_FLOOR].styles, want, 4);
    assert_true(diag_count_code(lit.diag, DIAG_LIGHTMAP_STYLES) > 0);
    const struct diag_entry *entry = diag_entry(lit.diag, 0);
    assert_int_equal(entry->code, DIAG_LIGHTMAP_STYLES);
    assert_int_equal(entry->where.entity_id, 734);
    assert_non_null(strstr(entry->message, "dropped: 34 (light 734)"));
    put_out(&lit);
}

/* "_minlight" of the world, in units of 128. */
static void min_light_is_kept(void **state)
{
    struct bsp *bsp = room_new(vec3(512, 512, 128), 0.5, NULL);
    struct lit lit;
    (void)state;
    lit = light(bsp,
                "+\"_minlight\" \"0.25\"\n}\n{\n\"classname\" \"light\"\n\"origin\" \"16 16 64\"\n"
                "\"_light\" \"255 0 0 20\"\n\"_quadratic_attn\" \"1\"\n}\n",
                1, false);
    double rgb[3];
    room_luxel(lit.bsp, ROOM_FLOOR, 0, 0, 1, 1, rgb);
    assert_true(rgb[0] > 40);
    assert_near(rgb[1], 32, 0.5);
    room_luxel(lit.bsp, ROOM_FLOOR, 0, 0, 30, 30, rgb);
    assert_near(rgb[0], 32, 0.5);
    put_out(&lit);
}

/* A brush entity of one box that floats over the floor. */
static void add_brush_entity(struct bsp *bsp)
{
    struct bsp_leaf leaf = {.cluster = -1, .water_data = -1, .contents = CONTENTS_SOLID};
    leaf.first_brush = (int32_t)arrlen(bsp->leaf_brushes);
    leaf.brush_count = 1;
    arrput(bsp->leaf_brushes, (int)arrlen(bsp->brushes));
    room_brush(bsp, vec3(-64, -64, -4), vec3(64, 64, 4), CONTENTS_SOLID);
    arrput(bsp->leaves, leaf);
    struct bsp_model model = {.head_node = -(int32_t)arrlen(bsp->leaves)};
    arrput(bsp->models, model);
}

static void brush_entities_cast_shadows_when_asked(void **state)
{
    (void)state;
    for (int casts = 0; casts < 2; casts++) {
        struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, NULL);
        char text[500];
        add_brush_entity(bsp);
        snprintf(text, sizeof text,
                 "{\n\"classname\" \"light\"\n\"origin\" \"256 256 200\"\n"
                 "\"_light\" \"255 255 255 100\"\n}\n"
                 "{\n\"classname\" \"func_brush\"\n\"model\" \"*1\"\n"
                 "\"origin\" \"256 256 100\"\n\"vrad_brush_cast_shadows\" \"%d\"\n}\n",
                 casts);
        struct lit lit = light(bsp, text, 1, false);
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, 16, 16), casts ? 0 : 100, 1);
        /* The upper edge, 96 units below the light and 64 aside: its shadow ends at 133. */
        assert_near(room_grey(lit.bsp, ROOM_FLOOR, 16 + 7, 16), casts ? 0 : 87, 2);
        assert_true(room_grey(lit.bsp, ROOM_FLOOR, 16 + 10, 16) > 60);
        put_out(&lit);
    }
}

/* ---- the lump ---- */

static void unlit_faces_have_no_offset(void **state)
{
    static const int flags[6] = {
        [ROOM_HIGH_Y] = SURFACE_NOLIGHT, [ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    (void)state;
    struct lit lit = light(room_new(vec3(256, 256, 128), 0.5, flags), "", 1, false);
    size_t at = 0;
    for (int i = 0; i < 6; i++) {
        const struct bsp_face *face = &lit.bsp->faces[i];
        bool lit_face = !flags[i];
        assert_int_equal(face->styles[0], lit_face ? 0 : BSP_STYLE_NONE);
        assert_int_equal(face->light_offset, lit_face ? (int)at + 4 : -1);
        if (lit_face)
            at += 4 + 4 * (size_t)((face->lightmap_size[0] + 1) * (face->lightmap_size[1] + 1));
    }
    assert_int_equal(lit.bsp->ldr.lighting.size, at);
    put_out(&lit);
}

/* The four bytes before a face's maps are the median of each channel. */
static void typical_colours_stand_before_the_maps(void **state)
{
    (void)state;
    struct lit lit = light(room_new(vec3(64, 64, 64), 0.5, NULL),
                           "{\n\"classname\" \"light\"\n\"origin\" \"10 10 50\"\n"
                           "\"_light\" \"255 200 100 200\"\n}\n",
                           1, false);
    const struct bsp_face *face = &lit.bsp->faces[ROOM_FLOOR];
    const unsigned char *p = lit.bsp->ldr.lighting.data + face->light_offset - 4;
    double typical = ldexp(p[0], (int8_t)p[3]), rgb[3];
    int below = 0, above = 0;
    for (int i = 0; i < 25; i++) {
        room_luxel(lit.bsp, ROOM_FLOOR, 0, 0, i % 5, i / 5, rgb);
        below += rgb[0] < typical;
        above += rgb[0] > typical;
    }
    assert_true(below <= 12 && above <= 12);
    put_out(&lit);
}

/* ---- independence of the number of threads ---- */

static void threads_do_not_matter(void **state)
{
    char text[2000];
    struct bytes first = {0};
    (void)state;
    snprintf(text, sizeof text, "%s", sun_at_45);
    add_styled(text, sizeof text, 7, 100);
    for (int threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        static const int flags[6] = {
            [ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D, [ROOM_LOW_Y] = SURFACE_BUMPLIGHT};
        struct bsp *bsp = room_new(vec3(512, 512, 256), 0.5, flags);
        add_roof(bsp, 192, 320);
        struct lit lit = light(bsp, text, threads, false);
        if (threads == 1)
            bytes_append(&first, bsp->ldr.lighting.data, bsp->ldr.lighting.size);
        assert_int_equal(bsp->ldr.lighting.size, first.size);
        assert_memory_equal(bsp->ldr.lighting.data, first.data, first.size);
        put_out(&lit);
    }
    bytes_free(&first);
}

SUITE(test_vrad_direct)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_light_over_a_floor),
        cmocka_unit_test(spot_light_has_its_cone),
        cmocka_unit_test(shadow_edges_lie_where_lines_say),
        cmocka_unit_test(soft_suns_have_smooth_edges),
        cmocka_unit_test(sun_falls_through_a_window),
        cmocka_unit_test(sky_lights_by_its_view_factor),
        cmocka_unit_test(bump_maps_see_their_part_of_the_sky),
        cmocka_unit_test(wide_sun_has_soft_shadows),
        cmocka_unit_test(further_suns_shine_through_the_sky),
        cmocka_unit_test(sky_room_shades_the_map),
        cmocka_unit_test(bump_maps_have_their_directions),
        cmocka_unit_test(hidden_luxels_of_bump_maps_have_numbers),
        cmocka_unit_test(styles_have_maps_of_their_own),
        cmocka_unit_test(a_fifth_style_is_dropped_and_reported),
        cmocka_unit_test(min_light_is_kept),
        cmocka_unit_test(an_emissive_square_lights_by_its_form_factor),
        cmocka_unit_test(materials_emit_in_their_run),
        cmocka_unit_test(brush_entities_cast_shadows_when_asked),
        cmocka_unit_test(unlit_faces_have_no_offset),
        cmocka_unit_test(typical_colours_stand_before_the_maps),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
