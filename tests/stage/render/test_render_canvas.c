/* Lines, boxes and text over pictures. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/core/memory.h"
#include "scene/images/canvas.h"

static const struct ink white = {{255, 255, 255}, 1}, half = {{255, 255, 255}, 0.5};

static const unsigned char *at(const struct canvas *canvas, int x, int y)
{
    return canvas->pixels + 3 * (y * canvas->width + x);
}

static int lit(const struct canvas *canvas)
{
    int count = 0;
    for (int i = 0; i < canvas->width * canvas->height; i++)
        count += canvas->pixels[3 * i] > 100;
    return count;
}

static void boxes_end_at_the_picture(void **state)
{
    (void)state;
    struct canvas canvas = canvas_new(20, 10);
    canvas_box(&canvas, -5, -5, 8, 100, half);
    assert_int_equal(lit(&canvas), 30);
    assert_int_equal(at(&canvas, 2, 9)[1], 128);
    assert_int_equal(at(&canvas, 3, 9)[1], 0);
    memory_free(canvas.pixels);
}

static void lines_are_cut_and_dashed(void **state)
{
    (void)state;
    const double row[2][2] = {{-1e7, 4.5}, {1e7, 4.5}}, nan[2][2] = {{0, 0}, {(double)NAN, 5}};
    struct canvas canvas = canvas_new(40, 10);
    canvas_line(&canvas, nan[0], nan[1], 1, 0, white);
    assert_int_equal(lit(&canvas), 0);
    canvas_line(&canvas, row[0], row[1], 1, 0, white);
    assert_int_equal(lit(&canvas), 40);
    memory_free(canvas.pixels);
    canvas = canvas_new(40, 10);
    canvas_line(&canvas, (const double[2]){0, 4.5}, (const double[2]){40, 4.5}, 1, 5, white);
    assert_int_equal(lit(&canvas), 20);
    assert_true(at(&canvas, 2, 4)[0] == 255 && at(&canvas, 7, 4)[0] == 0);
    memory_free(canvas.pixels);
}

/* An I is a stroke with two feet; others than ASCII are question marks. */
static void text_has_letters(void **state)
{
    (void)state;
    struct canvas canvas = canvas_new(64, 16), other = canvas_new(64, 16);
    canvas_text(&canvas, 0, 0, 1, "I", white);
    assert_in_range(lit(&canvas), 7, 14);
    canvas_text(&canvas, 20, 0, 1, "\xc3\xa9~", white);
    canvas_text(&other, 0, 0, 1, "I", white);
    canvas_text(&other, 20, 0, 1, "??~", white);
    assert_memory_equal(canvas.pixels, other.pixels, 3 * 64 * 16);
    assert_int_equal(canvas_text_width("ab", 3), 3 * canvas_text_width("ab", 1));
    memory_free(canvas.pixels);
    memory_free(other.pixels);
}

static void labels_do_not_cover_each_other(void **state)
{
    (void)state;
    struct canvas canvas = canvas_new(200, 100), one = canvas_new(200, 100);
    canvas_label_at(&one, 100, 50, 1, "label", white);
    for (int i = 0; i < 4; i++)
        canvas_label_at(&canvas, 100, 50, 1, "label", white);
    assert_int_equal(lit(&canvas), 4 * lit(&one));
    canvas_label_at(&canvas, 1e6, -1e6, 1, "label", white); /* in the corner */
    assert_int_equal(lit(&canvas), 5 * lit(&one));
    canvas_keep_free(&one, 0, 0, 200, 48);
    canvas_label_at(&one, 100, 20, 1, "label", white);
    for (int x = 0; x < 200; x++)
        assert_int_equal(at(&one, x, 20)[0], 0);
    memory_free(canvas.pixels);
    memory_free(one.pixels);
}

/* Returns what is lit in a part of the picture. */
static int lit_within(const struct canvas *canvas, int left, int top, int right, int bottom)
{
    int count = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            count += at(canvas, x, y)[0] > 128;
    return count;
}

/* Two marks near each other: each label touches its own. */
static void labels_of_marks_are_beside_them(void **state)
{
    (void)state;
    enum { GAP = 6 };
    struct canvas canvas = canvas_new(200, 100);
    const double low[2] = {100, 50}, high[2] = {104, 36};
    int width = canvas_text_width("label", 1) + 8;
    canvas_keep_free(&canvas, 94, 44, 12, 12);
    canvas_keep_free(&canvas, 98, 30, 12, 12);
    canvas_keep_free(&canvas, 90, 56, 20, 20);
    canvas_label_mark(&canvas, low, GAP, 1, "label", white);
    int one = lit_within(&canvas, 100 + GAP, 40, 100 + GAP + width, 60);
    assert_true(one > 20);
    assert_int_equal(one, lit(&canvas));
    canvas_label_mark(&canvas, high, GAP, 1, "label", white);
    assert_int_equal(lit_within(&canvas, 0, 0, 200, 36 - GAP), one); /* above */
    memory_free(canvas.pixels);
}

static void long_labels_have_lines(void **state)
{
    (void)state;
    struct canvas canvas = canvas_new(200, 100), other = canvas_new(200, 100);
    int width = canvas_text_width("one two", 1);
    assert_int_equal(canvas_label_lines(&canvas, 4, 4, width, 1, "one two three", white), 24);
    assert_int_equal(canvas_label_lines(&other, 4, 4, 190, 1, "one two", white), 12);
    assert_int_equal(canvas_label_lines(&other, 4, 16, 190, 1, "three", white), 12);
    assert_memory_equal(canvas.pixels, other.pixels, 3 * 200 * 100);
    assert_true(canvas_label_lines(&canvas, 4, 40, 12, 1, "unbreakable", white) >= 48);
    assert_true(canvas_label_lines(&canvas, 4, 40, 0, 1, "no", white) == 24);
    assert_int_equal(canvas_label_lines(&canvas, 4, 4, 100, 1, "", white), 0);
    memory_free(canvas.pixels);
    memory_free(other.pixels);
}

static void text_fits_the_shorter_side(void **state)
{
    (void)state;
    const struct canvas wide = {.width = 1280, .height = 720},
                        high = {.width = 720, .height = 1280},
                        narrow = {.width = 100, .height = 2000};
    assert_int_equal(canvas_text_scale(&wide), 2);
    assert_int_equal(canvas_text_scale(&high), 2);
    assert_int_equal(canvas_text_scale(&narrow), 1);
}

SUITE(test_render_canvas)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_end_at_the_picture),
        cmocka_unit_test(lines_are_cut_and_dashed),
        cmocka_unit_test(text_has_letters),
        cmocka_unit_test(text_fits_the_shorter_side),
        cmocka_unit_test(labels_do_not_cover_each_other),
        cmocka_unit_test(labels_of_marks_are_beside_them),
        cmocka_unit_test(long_labels_have_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
