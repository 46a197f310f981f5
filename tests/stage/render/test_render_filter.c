/* Filters of lightmaps: a cubic one shows the luxels around a face's own, unless it has a border.
 */
#include "tests/support/suite.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "tests/support/render/render_room.h"

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

SUITE(test_render_filter)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_luxels_show_without_a_border),
        cmocka_unit_test(a_border_keeps_them_out),
        cmocka_unit_test(a_luxel_is_spread_as_by_a_spline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
