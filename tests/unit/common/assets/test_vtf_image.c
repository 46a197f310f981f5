/* Pixels of textures: each format against one colour, hand-made blocks, and real files. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/textures/vtf.h"
#include "common/assets/textures/vtf_pixels.h"
#include "common/core/memory.h"
#include "common/io/fs.h"

struct shape {
    uint32_t minor;
    int width, height, mips, format;
    uint32_t flags;
};

/* A header, directly followed by the pictures; from 7.3 on with a directory. */
static struct bytes make_file(struct shape shape)
{
    bool directory = shape.minor >= 3;
    struct bytes file = {0};
    bytes_append(&file, "VTF\0", 4);
    bytes_u32(&file, 7);
    bytes_u32(&file, shape.minor);
    bytes_u32(&file, directory ? 88 : 80);
    bytes_u16(&file, (uint16_t)shape.width);
    bytes_u16(&file, (uint16_t)shape.height);
    bytes_u32(&file, shape.flags);
    bytes_u16(&file, 1);
    bytes_fill(&file, 0, 26);
    bytes_i32(&file, shape.format);
    bytes_u8(&file, (uint8_t)shape.mips);
    bytes_i32(&file, -1);
    bytes_fill(&file, 0, 7);
    bytes_u32(&file, directory);
    bytes_fill(&file, 0, 8);
    if (directory) {
        bytes_u32(&file, 0x30);
        bytes_u32(&file, 88);
    }
    return file;
}

static void one_pixel(int format, const char *stored, size_t size, const uint8_t wanted[4])
{
    struct bytes file = make_file((struct shape){2, 1, 1, 1, format, 0});
    struct vtf_image image;
    bytes_append(&file, stored, size);
    assert_true(vtf_read_image(file.data, file.size, 1024, &image));
    assert_int_equal(image.width * image.height, 1);
    assert_memory_equal(image.rgba, wanted, 4);
    vtf_image_free(&image);
    assert_false(vtf_read_image(file.data, file.size - 1, 1024, &image));
    assert_null(image.rgba);
    bytes_free(&file);
}

static void every_order_of_bytes_is_known(void **state)
{
    (void)state;
    const uint8_t clear[4] = {10, 20, 30, 40}, opaque[4] = {10, 20, 30, 255};
    one_pixel(VTF_RGBA8888, "\x0a\x14\x1e\x28", 4, clear);
    one_pixel(VTF_ABGR8888, "\x28\x1e\x14\x0a", 4, clear);
    one_pixel(VTF_ARGB8888, "\x14\x1e\x28\x0a", 4, clear);
    one_pixel(VTF_BGRA8888, "\x1e\x14\x0a\x28", 4, clear);
    one_pixel(VTF_BGRX8888, "\x1e\x14\x0a\x28", 4, opaque);
    one_pixel(VTF_RGB888, "\x0a\x14\x1e", 3, opaque);
    one_pixel(VTF_BGR888, "\x1e\x14\x0a", 3, opaque);
    one_pixel(VTF_I8, "\x63", 1, (const uint8_t[]){99, 99, 99, 255});
    one_pixel(VTF_IA88, "\x63\x05", 2, (const uint8_t[]){99, 99, 99, 5});
    one_pixel(VTF_A8, "\x63", 1, (const uint8_t[]){0, 0, 0, 99});
    one_pixel(VTF_RGB888_BLUESCREEN, "\x00\x00\xff", 3, (const uint8_t[]){0, 0, 0, 0});
    one_pixel(VTF_BGR888_BLUESCREEN, "\x1e\x14\x0a", 3, opaque);
}

static void few_bits_reach_from_black_to_white(void **state)
{
    (void)state;
    const uint8_t red[4] = {255, 0, 0, 255}, blue[4] = {0, 0, 255, 255};
    one_pixel(VTF_RGB565, "\x1f\x00", 2, red);
    one_pixel(VTF_BGR565, "\x1f\x00", 2, blue);
    one_pixel(VTF_BGR565, "\xe0\x07", 2, (const uint8_t[]){0, 255, 0, 255});
    one_pixel(VTF_BGRX5551, "\x1f\x00", 2, blue);
    one_pixel(VTF_BGRA5551, "\x1f\x00", 2, (const uint8_t[]){0, 0, 255, 0});
    one_pixel(VTF_BGRA5551, "\x00\xfc", 2, red);
    one_pixel(VTF_BGRA4444, "\x0f\x80", 2, (const uint8_t[]){0, 0, 255, 136});
}

/* White and black; the four pixels of a row use the four entries. */
static void blocks_are_unpacked(void **state)
{
    (void)state;
    struct bytes file = make_file((struct shape){5, 4, 4, 1, VTF_DXT1, 0});
    struct vtf_image image;
    bytes_append(&file, "\xff\xff\x00\x00\xe4\xe4\xe4\xe4", 8);
    assert_true(vtf_read_image(file.data, file.size, 1024, &image));
    const uint8_t thirds[] = {255, 0, 170, 85};
    for (int i = 0; i < 16; i++) {
        assert_int_equal(image.rgba[4 * i], thirds[i % 4]);
        assert_int_equal(image.rgba[4 * i + 3], 255);
    }
    vtf_image_free(&image);
    /* In the other order the third is the mean and the fourth is transparent. */
    memcpy(file.data + file.size - 8, "\x00\x00\xff\xff", 4);
    assert_true(vtf_read_image(file.data, file.size, 1024, &image));
    assert_int_equal(image.rgba[4 * 2], 127);
    assert_int_equal(image.rgba[4 * 3 + 3], 0);
    vtf_image_free(&image);
    bytes_free(&file);
}

static void alpha_of_blocks(void **state)
{
    (void)state;
    struct bytes file = make_file((struct shape){5, 4, 4, 1, VTF_DXT3, 0});
    struct vtf_image image;
    bytes_append(&file, "\x10\x32\x54\x76\x98\xba\xdc\xfe\xff\xff\x00\x00\x00\x00\x00\x00", 16);
    assert_true(vtf_read_image(file.data, file.size, 1024, &image));
    for (int i = 0; i < 16; i++)
        assert_int_equal(image.rgba[4 * i + 3], 17 * i);
    vtf_image_free(&image);
    bytes_free(&file);
    file = make_file((struct shape){5, 4, 4, 1, VTF_DXT5, 0});
    /* 210 and 0; the first eight indices are 0 to 7. */
    bytes_append(&file, "\xd2\x00\x88\xc6\xfa\x00\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00", 16);
    assert_true(vtf_read_image(file.data, file.size, 1024, &image));
    const uint8_t sevenths[] = {210, 0, 180, 150, 120, 90, 60, 30};
    for (int i = 0; i < 8; i++)
        assert_int_equal(image.rgba[4 * i + 3], sevenths[i]);
    vtf_image_free(&image);
    bytes_free(&file);
}

/* 4 x 2 in three mip levels, the smallest first: 1, 2 and 8 pixels with the number of their
 * level. */
static void the_mip_that_fits_is_taken(void **state)
{
    (void)state;
    for (uint32_t minor = 2; minor <= 3; minor++) {
        struct bytes file = make_file((struct shape){minor, 4, 2, 3, VTF_I8, 0});
        bytes_fill(&file, 2, 1);
        bytes_fill(&file, 1, 2);
        bytes_fill(&file, 0, 8);
        const int max[] = {1024, 4, 3, 1}, wanted[] = {0, 0, 1, 2};
        for (int i = 0; i < 4; i++) {
            struct vtf_image image;
            assert_true(vtf_read_image(file.data, file.size, max[i], &image));
            assert_int_equal(image.width, 4 >> wanted[i]);
            for (int k = 0; k < image.width * image.height; k++)
                assert_int_equal(image.rgba[4 * k], wanted[i]);
            vtf_image_free(&image);
        }
        bytes_free(&file);
    }
}

static void what_is_no_picture_is_refused(void **state)
{
    (void)state;
    const struct shape shapes[] = {
        {2, 4, 4, 1, VTF_RGB888, 0x4000}, /* a cubemap */
        {2, 4, 4, 1, 22, 0},              /* a format for surface slopes */
        {2, 4, 4, 1, 24, 0},              /* high dynamic range */
        {2, 4, 4, 1, 60, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct bytes file = make_file(shapes[i]);
        struct vtf_image image;
        bytes_fill(&file, 0, 1024);
        assert_false(vtf_read_image(file.data, file.size, 1024, &image));
        assert_null(image.rgba);
        bytes_free(&file);
    }
}

/* ---- real files ---- */

/* The mean of each channel, and the first pixel, as in the line. */
static bool fits_line(const struct vtf_image *image, const char *line)
{
    const char *mean = strstr(line, "mean_rgba "), *first = strstr(line, "pixel00 ");
    double wanted[4], sum[4] = {0};
    int pixel[4];
    size_t count = (size_t)image->width * (size_t)image->height;
    if (!mean || !first ||
        sscanf(mean, "mean_rgba %lf %lf %lf %lf", &wanted[0], &wanted[1], &wanted[2], &wanted[3]) !=
            4 ||
        sscanf(first, "pixel00 %d %d %d %d", &pixel[0], &pixel[1], &pixel[2], &pixel[3]) != 4)
        return true;
    for (size_t i = 0; i < 4 * count; i++)
        sum[i % 4] += image->rgba[i];
    /* The list has the blue of a blue screen, which is transparent black here. */
    bool fits = true, blue_screen = strstr(line, "fmt 9 ") || strstr(line, "fmt 10 ");
    for (int k = 0; k < 4; k += 1 + (blue_screen && k == 1))
        fits = fits && fabs(sum[k] / (double)count - wanted[k]) < 0.51 &&
               abs(pixel[k] - image->rgba[k]) <= 1;
    return fits;
}

static bool check_line(const char *line, int *decoded)
{
    char name[128], path[512];
    int format;
    const char *flags = strstr(line, "faces "), *code = strstr(line, "fmt ");
    int faces = 0;
    if (sscanf(line, "vtf/%127s", name) != 1 || !flags || !code ||
        sscanf(flags, "faces %d", &faces) != 1 || sscanf(code, "fmt %d", &format) != 1)
        return true;
    snprintf(path, sizeof path, "%s/corpus/assets/vtf/%s", SHARED_DIR, name);
    struct bytes file = {0};
    struct fs *fs = fs_disk();
    struct vtf_image image = {0};
    if (fs->ops->read(fs, path, &file))
        return false;
    bool is_picture = faces == 1 && vtf_picture_size(format, 1, 1) > 0;
    bool read = vtf_read_image(file.data, file.size, 8192, &image);
    bool fits = read == is_picture && (!read || fits_line(&image, line));
    *decoded += read;
    vtf_image_free(&image);
    bytes_free(&file);
    return fits;
}

static void real_files_have_their_colours(void **state)
{
    (void)state;
    char line[1024];
    int decoded = 0, wrong = 0;
    FILE *list = fopen(SHARED_DIR "/corpus/assets/expected.txt", "r");
    if (!list) {
        print_message("skipped: no %s/corpus/assets\n", SHARED_DIR);
        skip();
        return;
    }
    while (fgets(line, sizeof line, list)) {
        if (!check_line(line, &decoded)) {
            print_message("differs: %s", line);
            wrong++;
        }
    }
    fclose(list);
    assert_int_equal(wrong, 0);
    assert_true(decoded > 60);
}

SUITE(test_vtf_image)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_of_bytes_is_known),
        cmocka_unit_test(few_bits_reach_from_black_to_white),
        cmocka_unit_test(blocks_are_unpacked),
        cmocka_unit_test(alpha_of_blocks),
        cmocka_unit_test(the_mip_that_fits_is_taken),
        cmocka_unit_test(what_is_no_picture_is_refused),
        cmocka_unit_test(real_files_have_their_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
