/* Developer materials without textures: a measuring grid along the axes of the map. */
#include "tests/support/suite.h"

#include "tests/support/render/render_room.h"

/* Straight down at a place of the floor, 65 units wide: a pixel is a unit. */
static void look_down(struct shot *shot, const char *place)
{
    struct scene_view view;
    assert_true(scene_view_read(place, &view));
    view.span = PICTURE;
    memory_free(shot->pixels);
    shot->pixels = render_draw(shot->render, &view);
}

static void open_floor(struct shot *shot, const char *material, bool lightmap_only)
{
    *shot = shot_of(plain_room(NULL));
    paint(shot->bsp, ROOM_FLOOR, material, 0.5f, 0.25f, 0.25f);
    light_evenly(shot->bsp, 255);
    shot->options.scene.lightmap_only = lightmap_only;
    shot->options.samples = 4;
    prepare(shot);
}

static int red(const struct shot *shot, int x, int y)
{
    return pixel(shot, x, y)[0];
}

/* The middle is at 128, 128: lines of 64 cross there, and those of 16 are 16 pixels from it. */
static void lines_are_every_16_and_64_units(void **state)
{
    (void)state;
    struct shot shot;
    open_floor(&shot, "DEV/Floor01", false);
    look_down(&shot, "128 128 100 90 90");
    int plain = red(&shot, MIDDLE + 8, MIDDLE + 24), fine = 0, coarse = 0;
    for (int i = -1; i <= 1; i++) {
        fine = red(&shot, MIDDLE + 16 + i, MIDDLE + 24) > fine
                   ? red(&shot, MIDDLE + 16 + i, MIDDLE + 24)
                   : fine;
        coarse = red(&shot, MIDDLE + i, MIDDLE + 24) > coarse ? red(&shot, MIDDLE + i, MIDDLE + 24)
                                                              : coarse;
    }
    assert_true(fine > plain + 5);
    assert_true(coarse > fine + 10);
    assert_near(red(&shot, MIDDLE + 24, MIDDLE + 24), plain, 1);
    shot_free(&shot);
}

/* The lines take light from the cells: from afar the colour is that of the map. */
static void the_mean_is_the_colour_of_the_material(void **state)
{
    (void)state;
    struct shot shot;
    open_floor(&shot, "dev/floor01", false);
    struct scene_view view;
    double sum = 0;
    assert_true(scene_view_read("128 128 250 90 90", &view));
    view.span = 256;
    shot.pixels = render_draw(shot.render, &view);
    for (int i = 0; i < PICTURE * PICTURE; i++)
        sum += pow(shot.pixels[3 * i] / 255.0, 2.2);
    assert_true(fabs(sum / (PICTURE * PICTURE) - 0.5) < 0.01);
    shot_free(&shot);
}

static void others_and_the_light_alone_are_plain(void **state)
{
    (void)state;
    static const struct {
        const char *material;
        bool lightmap_only;
        double red;
    } cases[] = {
        {"brick/floor01", false, 0.5}, {"dev/dev_water", false, 0.5}, {"dev/floor01", true, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shot shot;
        open_floor(&shot, cases[i].material, cases[i].lightmap_only);
        look_down(&shot, "128 128 100 90 90");
        for (int x = 0; x < PICTURE; x++)
            assert_near(red(&shot, x, MIDDLE + 24), shown(cases[i].red), 1);
        shot_free(&shot);
    }
}

SUITE(test_render_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_every_16_and_64_units),
        cmocka_unit_test(the_mean_is_the_colour_of_the_material),
        cmocka_unit_test(others_and_the_light_alone_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
