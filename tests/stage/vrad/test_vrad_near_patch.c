/* Texture lights close to the surface that they face, against closed forms. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/lights/light.h"
#include "vrad/lights/patch_shape.h"

enum { ACROSS = 512, LUXELS = ACROSS / ROOM_LUXEL + 1, STEPS = 8 };

/* A rectangle in a plane parallel to the floor. */
struct area {
    double x0, y0, x1, y1, height;
};

/* A panel that faces the floor, with an intensity of 1 per unit of area, and a thin plate before
 * it (none: a height of 0). */
struct panel {
    struct area lit, plate;
};

static const double thickness = 0.125;

/* The share of a rectangle with a corner above the point (J. R. Howell's catalogue, B-3). */
static double corner_share(double x, double y, double height)
{
    double u = x / height, v = y / height, p = sqrt(1 + u * u), q = sqrt(1 + v * v);
    return (u / p * atan(v / p) + v / q * atan(u / q)) / (2 * 3.14159265358979);
}

static double share_of(const struct area *area, double x, double y)
{
    if (area->x1 <= area->x0 || area->y1 <= area->y0)
        return 0;
    double x0 = area->x0 - x, x1 = area->x1 - x, y0 = area->y0 - y, y1 = area->y1 - y;
    double h = area->height;
    return corner_share(x1, y1, h) - corner_share(x0, y1, h) - corner_share(x1, y0, h) +
           corner_share(x0, y0, h);
}

/* The part of the panel that the plate hides. */
static struct area hidden_part(const struct panel *panel, double x, double y)
{
    const struct area *lit = &panel->lit, *plate = &panel->plate;
    double t = lit->height / plate->height;
    return (struct area){fmax(lit->x0, x + (plate->x0 - x) * t),
                         fmax(lit->y0, y + (plate->y0 - y) * t),
                         fmin(lit->x1, x + (plate->x1 - x) * t),
                         fmin(lit->y1, y + (plate->y1 - y) * t), lit->height};
}

static double light_at_point(const struct panel *panel, double x, double y)
{
    double share = share_of(&panel->lit, x, y);
    if (panel->plate.height > 0) {
        const struct area hidden = hidden_part(panel, x, y);
        share -= share_of(&hidden, x, y);
    }
    return 3.14159265358979 * fmax(share, 0);
}

/* The mean over the part of a luxel that lies in the room. */
static double light_of_luxel(const struct panel *panel, int luxel)
{
    double middle[2] = {(luxel % LUXELS) * (double)ROOM_LUXEL,
                        (luxel / LUXELS) * (double)ROOM_LUXEL};
    double sum = 0;
    for (int n = 0; n < STEPS * STEPS; n++) {
        double x = middle[0] + ((n % STEPS + 0.5) / STEPS - 0.5) * ROOM_LUXEL;
        double y = middle[1] + ((n / STEPS + 0.5) / STEPS - 0.5) * ROOM_LUXEL;
        sum += light_at_point(panel, x, y);
    }
    return sum / (STEPS * STEPS);
}

static void add_light(struct lit_room *room, const struct area *lit, const struct vec3 *corners,
                      int count)
{
    struct vec3 middle = vec3((lit->x0 + lit->x1) / 2, (lit->y0 + lit->y1) / 2, lit->height);
    double area = (lit->x1 - lit->x0) * (lit->y1 - lit->y0);
    struct light light = {.type = WORLDLIGHT_SURFACE,
                          .origin = middle,
                          .normal = vec3(0, 0, -1),
                          .intensity = vec3(area, area, area),
                          .face = -1};
    light.shape = patch_shape_new(&room->lights.shapes, corners, count, middle, light.normal, area);
    assert_non_null(light.shape);
    arrput(room->lights.lights, light);
    lights_place(room->bsp, &room->lights);
}

static void add_box(struct bsp *bsp, const struct area *area, double high)
{
    room_add_box(bsp, vec3(area->x0, area->y0, area->height),
                 vec3(area->x1, area->y1, area->height + high));
}

static void open_panel(struct lit_room *room, const struct panel *panel)
{
    struct bsp *bsp = room_new(vec3(ACROSS, ACROSS, 256), 0.5, NULL);
    const struct area *lit = &panel->lit;
    add_box(bsp, lit, 8);
    if (panel->plate.height > 0)
        add_box(bsp, &panel->plate, thickness);
    lit_room_open(room, bsp, "", 1);
    /* One corner is a point on an edge, as at T-junctions. */
    const struct vec3 corners[] = {
        vec3(lit->x0, lit->y0, lit->height), vec3((lit->x0 + lit->x1) / 2, lit->y0, lit->height),
        vec3(lit->x1, lit->y0, lit->height), vec3(lit->x1, lit->y1, lit->height),
        vec3(lit->x0, lit->y1, lit->height)};
    add_light(room, lit, corners, 5);
}

/* The deviation of the luxels of the floor: RMS of log2 where there is light, and the level. */
static void expect_light(const struct panel *panel, const struct direct_options *options,
                         double max_rms)
{
    struct lit_room room;
    double squares = 0, got = 0, wanted = 0;
    int count = 0;
    open_panel(&room, panel);
    direct_light(&room.env, &room.scene, &room.lights, options, &room.map);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    assert_int_equal(floor->count, LUXELS * LUXELS);
    for (int l = 0; l < floor->count; l++) {
        double want = light_of_luxel(panel, l), is = (double)floor->direct[0][3 * l];
        bool inside =
            l % LUXELS > 0 && l % LUXELS < LUXELS - 1 && l / LUXELS > 0 && l / LUXELS < LUXELS - 1;
        if (!inside)
            continue;
        got += is;
        wanted += want;
        if (want < 1e-3)
            continue;
        squares += log2(fmax(is, 1e-4) / want) * log2(fmax(is, 1e-4) / want);
        count++;
    }
    double rms = sqrt(squares / count);
    print_message("gap %g, panel %g, plate %g, %d samples: RMS %.3f, level %.4f\n",
                  panel->lit.height, panel->lit.x1 - panel->lit.x0, panel->plate.height,
                  options->fine, rms, got / wanted);
    assert_true(rms < max_rms);
    assert_near(got / wanted, 1, 0.01);
    lit_room_close(&room);
}

static struct panel panel_of(double side, double gap)
{
    double low = 259 - side / 2, high = 259 + side / 2;
    return (struct panel){.lit = {low, low, high, high, gap}};
}

static const struct direct_options settings[] = {
    {.fine = 16, .soft = 16}, {.fine = 32}, {.fine = 128, .thorough = true}};

static void a_panel_lights_what_is_before_it(void **state)
{
    static const double gaps[] = {1, 4, 32}, sides[] = {16, 64, 256};
    (void)state;
    for (int i = 0; i < 9; i++) {
        const struct panel panel = panel_of(sides[i / 3], gaps[i % 3]);
        for (int n = 0; n < 2; n++)
            expect_light(&panel, &settings[n], gaps[i % 3] > 1 ? 0.05 : 0.08);
    }
    const struct panel panel = panel_of(64, 4);
    expect_light(&panel, &settings[2], 0.04);
}

static void a_plate_hides_parts_of_a_panel(void **state)
{
    static const double gaps[] = {8, 16, 32};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct panel panel = panel_of(96, gaps[i]);
        panel.plate = (struct area){250, 250, 290, 282, gaps[i] / 2};
        for (int n = 0; n < 3; n++)
            expect_light(&panel, &settings[n], 0.06);
    }
}

/* The middle of a panel on a wall is below a table, whose top sees its upper half. */
static void the_middle_may_be_below_the_horizon(void **state)
{
    struct lit_room room;
    struct bsp *bsp = room_new(vec3(ACROSS, ACROSS, 256), 0.5, NULL);
    const struct direct_options options = {.fine = 32};
    (void)state;
    lit_room_open(&room, bsp, "", 1);
    struct vec3 corners[] = {vec3(0, 192, -80), vec3(0, 320, -80), vec3(0, 320, 48),
                             vec3(0, 192, 48)};
    struct light light = {.type = WORLDLIGHT_SURFACE,
                          .origin = vec3(0, 256, -16),
                          .normal = vec3(1, 0, 0),
                          .intensity = vec3(1, 1, 1),
                          .face = -1};
    light.shape =
        patch_shape_new(&room.lights.shapes, corners, 4, light.origin, light.normal, 128.0 * 128.0);
    arrput(room.lights.lights, light);
    lights_place(room.bsp, &room.lights);
    direct_light(&room.env, &room.scene, &room.lights, &options, &room.map);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    int luxel = 256 / ROOM_LUXEL * LUXELS + 64 / ROOM_LUXEL;
    /* By 128 x 48 points. */
    double want = 0;
    for (int n = 0; n < 128 * 48; n++) {
        double y = n % 128 - 63.5, z = n / 128 + 0.5, d = 64 * 64 + y * y + z * z;
        want += 64 * z / (d * d) / (128.0 * 128.0);
    }
    assert_near((double)floor->direct[0][3 * luxel], want, 0.03 * want);
    lit_room_close(&room);
}

SUITE(test_vrad_near_patch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_panel_lights_what_is_before_it),
        cmocka_unit_test(a_plate_hides_parts_of_a_panel),
        cmocka_unit_test(the_middle_may_be_below_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
