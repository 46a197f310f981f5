/* Developer materials without textures: a measuring grid along the axes of the map. */
#include "tests/support/suite.h"

#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/core/array.h"
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

/* Filters of lightmaps: a cubic one shows the luxels around a face's own, unless it has a border.
 */

static const char corner[] = "128 128 60 90 0"; /* sees the floor, and the feet of its walls */

/* A room with a lightmap of one grey; with `border` there is a luxel more on each side. */
static struct shot grey_room(bool border)
{
    struct shot shot = shot_of(plain_room(NULL));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2 && border; k++) {
            shot.bsp->faces[i].lightmap_mins[k]--;
            shot.bsp->faces[i].lightmap_size[k] += 2;
        }
    light_evenly(shot.bsp, 128);
    shot.options.fov = 150;
    shot.options.scene.lightmap_only = true;
    return shot;
}

/* Returns the picture, to be freed. */
static unsigned char *picture_of(bool border, int filter, int foreign)
{
    struct shot shot = grey_room(border);
    shot.options.scene.filter = filter;
    shot.options.scene.foreign = foreign;
    prepare(&shot);
    draw(&shot, corner);
    unsigned char *pixels = shot.pixels;
    shot.pixels = NULL;
    shot_free(&shot);
    return pixels;
}

/* The largest difference of two pictures. */
static int difference(unsigned char *a, unsigned char *b)
{
    int max = 0;
    for (int i = 0; i < 3 * PICTURE * PICTURE; i++)
        max = abs(a[i] - b[i]) > max ? abs(a[i] - b[i]) : max;
    memory_free(a);
    memory_free(b);
    return max;
}

static void foreign_luxels_show_without_a_border(void **state)
{
    (void)state;
    unsigned char *plain = picture_of(false, LIGHT_BICUBIC, FOREIGN_NONE);
    assert_true(difference(picture_of(false, LIGHT_BICUBIC, FOREIGN_BLACK), plain) > 8);
    assert_true(difference(picture_of(false, LIGHT_BICUBIC, FOREIGN_BLACK),
                           picture_of(false, LIGHT_BICUBIC, FOREIGN_WHITE)) > 16);
    assert_int_equal(difference(picture_of(false, LIGHT_BILINEAR, FOREIGN_BLACK),
                                picture_of(false, LIGHT_BILINEAR, FOREIGN_WHITE)),
                     0);
}

static void a_border_keeps_them_out(void **state)
{
    (void)state;
    assert_int_equal(difference(picture_of(true, LIGHT_BICUBIC, FOREIGN_BLACK),
                                picture_of(true, LIGHT_BICUBIC, FOREIGN_WHITE)),
                     0);
    assert_int_equal(difference(picture_of(true, LIGHT_BICUBIC, FOREIGN_BLACK),
                                picture_of(true, LIGHT_BILINEAR, FOREIGN_NONE)),
                     0);
}

/* One luxel is lit: a cubic B-spline has 4/9 of it in its middle, 1/9 on the luxel beside it, and
 * 1/36 on that across the corner. */
static void a_luxel_is_spread_as_by_a_spline(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    light_evenly(shot.bsp, 0);
    const struct bsp_face *floor = &shot.bsp->faces[ROOM_FLOOR];
    const float white[3] = {255, 255, 255};
    struct bsp_colour colour = colour_encode(white);
    memcpy(shot.bsp->ldr.lighting.data + floor->light_offset + 4 * (17 * 8 + 8), &colour, 4);
    shot.options.fov = 1;
    shot.options.scene.filter = LIGHT_BICUBIC;
    shot.options.scene.lightmap_only = true;
    prepare(&shot);
    draw(&shot, "128 128 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 4.0 / 9, 4.0 / 9, 4.0 / 9);
    draw(&shot, "144 128 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 1.0 / 9, 1.0 / 9, 1.0 / 9);
    draw(&shot, "144 144 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 1.0 / 36, 1.0 / 36, 1.0 / 36);
    draw(&shot, "160 128 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0);
    shot_free(&shot);
}

SUITE(test_render_textures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_every_16_and_64_units),
        cmocka_unit_test(the_mean_is_the_colour_of_the_material),
        cmocka_unit_test(others_and_the_light_alone_are_plain),
        cmocka_unit_test(foreign_luxels_show_without_a_border),
        cmocka_unit_test(a_border_keeps_them_out),
        cmocka_unit_test(a_luxel_is_spread_as_by_a_spline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
