/* Posts whose shadows are narrower than the luxels, at all distances from each other: a grid of
 * rays that meets the grid of the posts must not lose them. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/lights/light.h"

enum { SIZE = 512, HEIGHT = 256, ACROSS = SIZE / ROOM_LUXEL + 1, STEPS = 16 };

/* A row of posts along x: of half the width of a luxel, on the floor; or small slabs over it, whose
 * shadows are as large as a luxel. */
struct row {
    int spacing; /* 0: none */
    int width, low_y, high_y, low_z, high_z;
};

enum { START = 9, POST_WIDTH = 8, SLAB_WIDTH = 14 };

/* The rows of luxels behind them. */
enum { FIRST_ROW = 16, LAST_ROW = 20 };

static const int spacings[] = {8, 12, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128};
enum { SPACINGS = sizeof spacings / sizeof *spacings };

static const char sun[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 200\"\n"
                          "\"angles\" \"-38 35 0\"\n\"pitch\" \"-38\"\n"
                          "\"_light\" \"255 255 255 200\"\n\"_ambient\" \"0 0 0 0\"\n}\n";
static const char soft_sun[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 200\"\n"
                               "\"angles\" \"-50 90 0\"\n\"pitch\" \"-50\"\n"
                               "\"SunSpreadAngle\" \"0.2\"\n"
                               "\"_light\" \"255 255 255 200\"\n\"_ambient\" \"0 0 0 0\"\n}\n";
static const char point_light[] = "{\n\"classname\" \"light\"\n\"origin\" \"250 60 120\"\n"
                                  "\"_light\" \"255 255 255 400\"\n\"_quadratic_attn\" \"1\"\n}\n";
static const char spot[] = "{\n\"classname\" \"light_spot\"\n\"origin\" \"250 70 170\"\n"
                           "\"angles\" \"-45 90 0\"\n\"pitch\" \"-45\"\n\"_cone\" \"70\"\n"
                           "\"_inner_cone\" \"60\"\n"
                           "\"_light\" \"255 255 255 400\"\n\"_quadratic_attn\" \"1\"\n}\n";

static const struct direct_options qualities[] = {
    {.fine = 16, .soft = 16}, {.fine = 32}, {.fine = 128, .thorough = true}};
enum { QUALITIES = sizeof qualities / sizeof *qualities };

static const int sky[6] = {[ROOM_LOW_X] = SURFACE_SKY | SURFACE_SKY2D,
                           [ROOM_HIGH_X] = SURFACE_SKY | SURFACE_SKY2D,
                           [ROOM_LOW_Y] = SURFACE_SKY | SURFACE_SKY2D,
                           [ROOM_HIGH_Y] = SURFACE_SKY | SURFACE_SKY2D,
                           [ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};

struct lit_floor {
    float light[ACROSS * ACROSS];
    struct light from;
};

static struct row posts_of(int spacing)
{
    int width = spacing < 2 * POST_WIDTH ? spacing / 2 : POST_WIDTH;
    return (struct row){spacing, width, 236, 244, 0, 56};
}

/* `phase`: the row of luxels that gets their shadows, of three. */
static struct row slabs_of(int spacing, int phase)
{
    int y = 248 + ROOM_LUXEL * phase;
    return (struct row){spacing, SLAB_WIDTH, y, y + SLAB_WIDTH, 20, 22};
}

static bool has_post(const struct row *row, int x)
{
    return row->spacing && x + SLAB_WIDTH < SIZE;
}

static void light_floor(const char *light, const struct direct_options *options,
                        const struct row *row, struct lit_floor *out)
{
    struct lit_room room;
    struct bsp *bsp = room_new(vec3(SIZE, SIZE, HEIGHT), 0, sky);
    for (int x = START; has_post(row, x); x += row->spacing)
        room_add_box(bsp, vec3(x, row->low_y, row->low_z),
                     vec3(x + row->width, row->high_y, row->high_z));
    lit_room_open(&room, bsp, light, 1);
    direct_light(&room.env, &room.scene, &room.lights, options, &room.map);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    assert_int_equal(floor->count, ACROSS * ACROSS);
    for (int i = 0; i < floor->count; i++)
        out->light[i] = floor->direct[0][3 * i];
    for (ptrdiff_t i = 0; i < arrlen(room.lights.lights); i++)
        if (room.lights.lights[i].type != WORLDLIGHT_SKY_AMBIENT)
            out->from = room.lights.lights[i];
    lit_room_close(&room);
}

/* The part of a line, from 0 to 1 along it, between two values of one coordinate. */
static void clip(double from, double to, double low, double high, double part[2])
{
    double at = (low - from) / (to - from), end = (high - from) / (to - from);
    part[0] = fmax(part[0], fmin(at, end));
    part[1] = fmin(part[1], fmax(at, end));
}

/* Returns true if a post stands between the point of the floor and the light. */
static bool is_shadowed(const struct light *light, const struct row *row, double x, double y)
{
    struct vec3 from = vec3(x, y, 0), to = light->origin;
    if (light->type == WORLDLIGHT_SKY)
        to = vec3_mad(from, light->normal, -4096);
    double part[2] = {0, 1};
    clip(from.y, to.y, row->low_y, row->high_y, part);
    clip(from.z, to.z, row->low_z, row->high_z, part);
    for (int at = START; part[0] < part[1] && has_post(row, at); at += row->spacing) {
        double inside[2] = {part[0], part[1]};
        clip(from.x, to.x, at, at + row->width, inside);
        if (inside[0] < inside[1])
            return true;
    }
    return false;
}

/* The fraction of the luxel that the posts shadow, at STEPS by STEPS points: the rows are shifted
 * against each other, so that slits between posts are measured. */
static double shadow_of(const struct light *light, const struct row *row, int s, int t)
{
    int hidden = 0;
    for (int i = 0; i < STEPS * STEPS; i++) {
        const int down = i / STEPS;
        const double x = (i % STEPS + (down * 7 % STEPS + 0.5) / STEPS) / STEPS - 0.5;
        const double y = (down + 0.5) / STEPS - 0.5;
        hidden += is_shadowed(light, row, ROOM_LUXEL * (s + x), ROOM_LUXEL * (t + y));
    }
    return (double)hidden / (STEPS * STEPS);
}

/* Luxels of which posts hide a half lose that light, and those without shadow keep theirs. Returns
 * the number of the former. */
static int compare(const struct lit_floor lit[QUALITIES], const struct lit_floor open[QUALITIES],
                   const struct row *row)
{
    static const double tolerances[QUALITIES] = {0.25, 0.2, 0.1};
    int shadows = 0;
    for (int t = FIRST_ROW; t <= LAST_ROW; t++)
        for (int s = 1; s < ACROSS - 1; s++) {
            const int l = t * ACROSS + s;
            const double shadow = shadow_of(&lit->from, row, s, t);
            for (int quality = 0; quality < QUALITIES; quality++) {
                const double all = (double)open[quality].light[l];
                if (!(all > 1))
                    continue;
                const double left = (double)lit[quality].light[l] / all;
                const double tolerance = shadow > 0 ? tolerances[quality] : 0.08;
                if (fabs(left - (1 - shadow)) > tolerance)
                    print_message("spacing %d, luxel %d %d, quality %d\n", row->spacing, s, t,
                                  quality);
                assert_near(left, 1 - shadow, tolerance);
                shadows += shadow >= 0.5;
            }
        }
    return shadows;
}

/* `phases` 0: posts. */
static void rows_have_shadows(const char *light, int phases)
{
    struct lit_floor open[QUALITIES], lit[QUALITIES];
    for (int quality = 0; quality < QUALITIES; quality++)
        light_floor(light, &qualities[quality], &(struct row){0}, &open[quality]);
    for (int i = 0; i < SPACINGS * (phases ? phases : 1); i++) {
        const int spacing = spacings[i % SPACINGS];
        const struct row row = phases ? slabs_of(spacing, i / SPACINGS) : posts_of(spacing);
        if (spacing <= row.width)
            continue;
        for (int quality = 0; quality < QUALITIES; quality++)
            light_floor(light, &qualities[quality], &row, &lit[quality]);
        assert_true(compare(lit, open, &row) >= 3 * QUALITIES);
    }
}

static void no_spacing_hides_posts_from_the_sun(void **state)
{
    (void)state;
    rows_have_shadows(sun, 0);
}

static void no_spacing_hides_posts_from_a_soft_sun(void **state)
{
    (void)state;
    rows_have_shadows(soft_sun, 0);
}

static void no_spacing_hides_slabs_from_a_sun(void **state)
{
    (void)state;
    rows_have_shadows(soft_sun, 3);
}

static void no_spacing_hides_posts_from_a_point_light(void **state)
{
    (void)state;
    rows_have_shadows(point_light, 0);
}

static void no_spacing_hides_posts_from_a_spot(void **state)
{
    (void)state;
    rows_have_shadows(spot, 0);
}

/* Bars of an eighth of a luxel: the root mean square error of what a quality leaves of the light.
 */
static double error_of(const struct lit_floor *lit, const struct lit_floor *open,
                       const struct row *row)
{
    double sum = 0;
    int count = 0;
    for (int t = FIRST_ROW; t <= LAST_ROW; t++)
        for (int s = 1; s < ACROSS - 1; s++) {
            const int l = t * ACROSS + s;
            const double shadow = shadow_of(&lit->from, row, s, t);
            const double error = (double)lit->light[l] / (double)open->light[l] - (1 - shadow);
            sum += shadow > 0 ? error * error : 0;
            count += shadow > 0;
        }
    return sqrt(sum / count);
}

/* More samples find no less. */
static void the_best_quality_sees_what_others_see(void **state)
{
    const char *const lights[] = {point_light, spot, sun, soft_sun};
    const struct row bars = {32, 2, 236, 238, 0, 56};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double error[QUALITIES];
        for (int quality = 0; quality < QUALITIES; quality++) {
            struct lit_floor open, lit;
            light_floor(lights[i], &qualities[quality], &(struct row){0}, &open);
            light_floor(lights[i], &qualities[quality], &bars, &lit);
            error[quality] = error_of(&lit, &open, &bars);
        }
        print_message("errors: %.3f, %.3f, %.3f\n", error[0], error[1], error[2]);
        assert_true(error[2] <= error[1] && error[2] < 0.05);
    }
}

SUITE(test_vrad_thin_shadows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_spacing_hides_posts_from_the_sun),
        cmocka_unit_test(no_spacing_hides_posts_from_a_soft_sun),
        cmocka_unit_test(no_spacing_hides_slabs_from_a_sun),
        cmocka_unit_test(no_spacing_hides_posts_from_a_point_light),
        cmocka_unit_test(no_spacing_hides_posts_from_a_spot),
        cmocka_unit_test(the_best_quality_sees_what_others_see),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
