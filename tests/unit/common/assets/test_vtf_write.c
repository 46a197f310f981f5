/* Textures that are written: read back by the reader in each format and version, their sizes beside
 * those of files that games have written, mips, cubemaps, and the error of compressed blocks. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/assets/textures/bc_encode.h"
#include "common/assets/textures/vtf.h"
#include "common/assets/textures/vtf_cube.h"
#include "common/assets/textures/vtf_pixels.h"
#include "common/assets/textures/vtf_write.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"

enum { SIDE = 64 };

/* A picture with ramps, edges, a disc, fine noise and a soft alpha, as textures have them. */
static uint8_t *drawn_picture(int width, int height)
{
    uint8_t *rgba = memory_alloc(4 * (size_t)width * (size_t)height);
    uint32_t noise = 12345;
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        int dx = x - width / 2, dy = y - height / 3;
        bool disc = dx * dx + dy * dy < width * width / 16;
        bool brick = (y / 8 % 2 ? x + 8 : x) % 16 < 2 || y % 8 < 1;
        noise = noise * 1664525 + 1013904223;
        int grain = (int)(noise >> 28);
        rgba[4 * i] = (uint8_t)(disc ? 220 - grain : brick ? 90 + grain : 150 + x * 60 / width);
        rgba[4 * i + 1] = (uint8_t)(disc ? 40 + y : brick ? 85 + grain : 80 + grain);
        rgba[4 * i + 2] = (uint8_t)(brick ? 80 : 40 + y * 120 / height + grain);
        rgba[4 * i + 3] = (uint8_t)(255 * x / width);
    }
    return rgba;
}

static double psnr(const uint8_t *a, const uint8_t *b, size_t pixels, int first, int channels)
{
    double sum = 0;
    for (size_t i = 0; i < pixels; i++)
        for (int k = first; k < first + channels; k++) {
            double difference = (double)a[4 * i + (size_t)k] - b[4 * i + (size_t)k];
            sum += difference * difference;
        }
    double mean = sum / ((double)pixels * channels);
    return mean > 0 ? 10 * portable_log(255 * 255 / mean) / portable_log(10) : 999;
}

static struct bytes written(const struct vtf_source *source,
                            const struct vtf_write_options *options)
{
    struct bytes file = {0};
    assert_int_equal(vtf_write(source, options, 2, &file), VTF_WRITTEN);
    return file;
}

/* ---- formats and versions ---- */

/* The least PSNR of colour and alpha in decibels; 0: no alpha; 999: the same bytes. */
static const struct {
    enum vtf_format format;
    double colour, alpha;
    uint32_t flag;
} wanted[] = {
    {VTF_DXT1, 33, 0, 0},
    {VTF_DXT5, 33, 45, 0x2000},
    {VTF_BGRA8888, 999, 999, 0x2000},
    {VTF_RGBA8888, 999, 999, 0x2000},
    {VTF_BGR888, 999, 0, 0},
    {VTF_RGB888, 999, 0, 0},
    {VTF_RGBA16F, 999, 999, 0x2000},
};

static void check_round_trip(size_t i, int minor)
{
    uint8_t *rgba = drawn_picture(SIDE, SIDE / 2);
    const uint8_t *pictures[] = {rgba};
    struct vtf_source source = {SIDE, SIDE / 2, 1, 1, pictures, NULL};
    struct vtf_write_options options = vtf_write_defaults;
    struct vtf_header header;
    struct vtf_image image;
    size_t count = SIDE * SIDE / 2;
    options.format = wanted[i].format;
    options.minor = minor;
    struct bytes file = written(&source, &options);
    assert_true(vtf_read_header(file.data, file.size, &header));
    assert_int_equal(header.minor, minor);
    assert_int_equal(header.format, wanted[i].format);
    assert_int_equal(header.flags, wanted[i].flag);
    assert_int_equal(header.mips, 7);
    assert_true(vtf_read_picture(file.data, file.size, (struct vtf_place){0, 0, 0}, &image));
    assert_int_equal(image.width, SIDE);
    assert_int_equal(image.height, SIDE / 2);
    assert_true(psnr(image.rgba, rgba, count, 0, 3) >= wanted[i].colour);
    if (wanted[i].alpha > 0)
        assert_true(psnr(image.rgba, rgba, count, 3, 1) >= wanted[i].alpha);
    vtf_image_free(&image);
    assert_true(vtf_read_picture(file.data, file.size, (struct vtf_place){6, 0, 0}, &image));
    assert_int_equal(image.width * image.height, 1);
    vtf_image_free(&image);
    assert_false(vtf_read_picture(file.data, file.size - 1, (struct vtf_place){0, 0, 0}, &image));
    assert_false(vtf_read_picture(file.data, file.size, (struct vtf_place){7, 0, 0}, &image));
    bytes_free(&file);
    memory_free(rgba);
}

static void each_format_there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (int minor = 1; minor <= 5; minor++)
            check_round_trip(i, minor);
}

static void pixels_are_cut_out(void **state)
{
    (void)state;
    uint8_t *rgba = drawn_picture(SIDE, SIDE);
    const uint8_t *pictures[] = {rgba};
    struct vtf_source source = {SIDE, SIDE, 1, 1, pictures, NULL};
    struct vtf_write_options options = vtf_write_defaults;
    struct vtf_alpha alpha;
    options.format = VTF_DXT1_ONEBITALPHA;
    struct bytes file = written(&source, &options);
    assert_true(vtf_alpha_read(file.data, file.size, &alpha));
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_int_equal(alpha.texels[i], rgba[4 * i + 3] < 128 ? 0 : 255);
    memory_free(alpha.texels);
    bytes_free(&file);
    memory_free(rgba);
}

/* The thumbnail is before the pictures. */
static void thumbnails_are_small(void **state)
{
    (void)state;
    uint8_t *rgba = drawn_picture(256, 32);
    const uint8_t *pictures[] = {rgba};
    struct vtf_source source = {256, 32, 1, 1, pictures, NULL};
    struct vtf_write_options options = vtf_write_defaults;
    for (options.minor = 1; options.minor <= 5; options.minor++) {
        options.thumbnail = true;
        struct bytes with = written(&source, &options);
        options.thumbnail = false;
        struct bytes without = written(&source, &options);
        assert_int_equal(with.data[57], VTF_DXT1);
        assert_int_equal(with.data[61], 16);
        assert_int_equal(with.data[62], 2);
        assert_int_equal(without.data[57], 255);
        assert_int_equal(with.size - without.size, 4 * 8 + (options.minor >= 3 ? 8 : 0));
        bytes_free(&with);
        bytes_free(&without);
    }
    memory_free(rgba);
}

/* Black and white pixels are half of the light together. */
static void check_half_light(uint32_t flags, int byte)
{
    uint8_t rgba[4 * 16];
    for (int i = 0; i < 16; i++)
        memset(rgba + 4 * i, (i + i / 4) % 2 ? 255 : 0, 4);
    const uint8_t *pictures[] = {rgba};
    struct vtf_source source = {4, 4, 1, 1, pictures, NULL};
    struct vtf_write_options options = {
        .format = VTF_RGBA8888, .minor = 2, .flags = flags, .mips = true, .bump_scale = 1};
    struct bytes file = written(&source, &options);
    struct vtf_header header;
    struct vtf_image image;
    assert_true(vtf_read_header(file.data, file.size, &header));
    assert_float_equal(header.reflectivity[1], 0.5, 1e-6);
    for (int mip = 1; mip < 3; mip++) {
        assert_true(vtf_read_picture(file.data, file.size, (struct vtf_place){mip, 0, 0}, &image));
        assert_int_equal(image.rgba[0], byte);
        assert_int_equal(image.rgba[3], 128);
        vtf_image_free(&image);
    }
    bytes_free(&file);
}

static void mips_are_means_of_light(void **state)
{
    (void)state;
    check_half_light(0, 186); /* 255 * 0.5 ^ (1 / 2.2) */
    check_half_light(VTF_NORMAL, 128);
    check_half_light(VTF_SSBUMP, 128);
}

static void frames_are_in_order(void **state)
{
    (void)state;
    uint8_t rgba[3][4 * 4];
    const uint8_t *pictures[3];
    for (int i = 0; i < 3; i++) {
        memset(rgba[i], 50 * (i + 1), sizeof rgba[i]);
        pictures[i] = rgba[i];
    }
    struct vtf_source source = {2, 2, 3, 1, pictures, NULL};
    struct vtf_write_options options = vtf_write_defaults;
    options.format = VTF_BGRA8888;
    struct bytes file = written(&source, &options);
    for (int frame = 0; frame < 3; frame++)
        for (int mip = 0; mip < 2; mip++) {
            struct vtf_image image;
            assert_true(
                vtf_read_picture(file.data, file.size, (struct vtf_place){mip, frame, 0}, &image));
            assert_int_equal(image.rgba[0], 50 * (frame + 1));
            vtf_image_free(&image);
        }
    bytes_free(&file);
}

/* ---- cubemaps ---- */

/* Sizes of cubemaps of 32 pixels in files that games and their compilers have written. */
static void cubemaps_are_as_large_as_those_of_games(void **state)
{
    (void)state;
    static const struct {
        enum vtf_format format;
        int minor;
        size_t size;
    } real[] = {{VTF_DXT1, 2, 4952}, {VTF_DXT5, 1, 9808},    {VTF_DXT5, 2, 9824},
                {VTF_DXT5, 4, 9832}, {VTF_BGR888, 4, 28753}, {VTF_RGBA16F, 4, 76528},
                {VTF_DXT5, 5, 8440}, {VTF_RGBA16F, 5, 65608}};
    uint8_t *rgba = drawn_picture(32, 32);
    const uint8_t *pictures[] = {rgba, rgba, rgba, rgba, rgba, rgba};
    struct vtf_source source = {32, 32, 1, 6, pictures, NULL};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        struct vtf_write_options options = vtf_write_defaults;
        struct vtf_header header;
        options.format = real[i].format;
        options.minor = real[i].minor;
        options.flags = VTF_CLAMP_S | VTF_CLAMP_T;
        struct bytes file = written(&source, &options);
        assert_int_equal(file.size, real[i].size);
        assert_true(vtf_read_header(file.data, file.size, &header));
        assert_int_equal(header.flags, 0x400C);
        assert_int_equal(vtf_face_count(file.data, file.size, &header), real[i].minor < 5 ? 7 : 6);
        bytes_free(&file);
    }
    memory_free(rgba);
}

/* A direction, and the place where the face that it meets is looked up (Direct3D's cubes). */
static void directions_meet_their_faces(void **state)
{
    (void)state;
    static const struct {
        double direction[3];
        int face;
        double place[2];
    } rows[] = {
        {{1, 0, 0.5}, 0, {0.25, 0.5}},  {{1, 0.5, 0}, 0, {0.5, 0.25}},
        {{-1, 0, 0.5}, 1, {0.75, 0.5}}, {{-1, 0.5, 0}, 1, {0.5, 0.25}},
        {{0.5, 1, 0}, 2, {0.75, 0.5}},  {{0, 1, 0.5}, 2, {0.5, 0.75}},
        {{0.5, -1, 0}, 3, {0.75, 0.5}}, {{0, -1, 0.5}, 3, {0.5, 0.25}},
        {{0.5, 0, 1}, 4, {0.75, 0.5}},  {{0, 0.5, 1}, 4, {0.5, 0.25}},
        {{0.5, 0, -1}, 5, {0.25, 0.5}}, {{0, 0.5, -1}, 5, {0.5, 0.25}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double place[2];
        struct vec3 direction =
            vec3(rows[i].direction[0], rows[i].direction[1], rows[i].direction[2]);
        assert_int_equal(vtf_cube_place(direction, place), rows[i].face);
        struct vtf_cube_axes axes = vtf_cube_axes(rows[i].face);
        struct vec3 there = vec3_mad(vec3_mad(axes.ahead, axes.right, 2 * place[0] - 1), axes.down,
                                     2 * place[1] - 1);
        for (int k = 0; k < 2; k++)
            assert_float_equal(place[k], rows[i].place[k], 1e-12);
        assert_true(vec3_distance(there, direction) < 1e-12);
    }
}

static int red_at(const struct vtf_image *image, double right, double up)
{
    int x = (int)((0.5 + 0.5 * right) * image->width), y = (int)((0.5 - 0.5 * up) * image->height);
    return image->rgba[4 * (y * image->width + x)];
}

/* Faces of one shade each: +z is in the middle, the others around it, and -z at the rim. */
static void the_sphere_map_shows_all_faces(void **state)
{
    (void)state;
    float shades[6][4 * 16 * 16];
    const float *pictures[6];
    const double at = 0.75; /* of the ball: a direction below its equator by 7 degrees */
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 4 * 16 * 16; k++)
            shades[i][k] = (float)portable_pow((i + 1) * 40 / 255.0, 2.2);
        pictures[i] = shades[i];
    }
    struct vtf_source source = {16, 16, 1, 6, NULL, pictures};
    struct vtf_write_options options = vtf_write_defaults;
    struct vtf_image image;
    options.format = VTF_BGRA8888;
    struct bytes file = written(&source, &options);
    assert_true(vtf_read_picture(file.data, file.size, (struct vtf_place){0, 0, 6}, &image));
    assert_int_equal(red_at(&image, 0, 0), 5 * 40);
    assert_int_equal(red_at(&image, at, 0), 1 * 40);
    assert_int_equal(red_at(&image, -at, 0), 2 * 40);
    assert_int_equal(red_at(&image, 0, at), 3 * 40);
    assert_int_equal(red_at(&image, 0, -at), 4 * 40);
    assert_int_equal(red_at(&image, 0.95, 0.95), 6 * 40);
    vtf_image_free(&image);
    bytes_free(&file);
}

static void light_beyond_white_is_kept(void **state)
{
    (void)state;
    const float light[4 * 4] = {0, 0.5F, 1, 1, 7.25F, 1e6F, -2, 1, 1e-9F, 0.1F, 3, 1, 0, 0, 0, 1};
    const float *pictures[] = {light};
    struct vtf_source source = {2, 2, 1, 1, NULL, pictures};
    struct vtf_write_options options = vtf_write_defaults;
    int width, height;
    options.format = VTF_RGBA16F;
    struct bytes file = written(&source, &options);
    struct vtf_place first = {0};
    float *read = vtf_read_light(file.data, file.size, first, &width, &height);
    assert_non_null(read);
    assert_int_equal(width * height, 4);
    for (int i = 0; i < 16; i++) {
        double limit = light[i] > 65504 ? 65504.0 : (double)light[i];
        assert_true(fabs((double)read[i] - limit) <= fabs(limit) / 2048 + 3e-8);
    }
    memory_free(read);
    file.data[52] = VTF_BGRA8888;
    assert_null(vtf_read_light(file.data, file.size, first, &width, &height));
    bytes_free(&file);
}

static void halves_are_the_nearest(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 0x7c00; half++) {
        float value = half_to_float((uint16_t)half);
        float next = half_to_float((uint16_t)(half + 1));
        assert_int_equal(half_of_float(value), half);
        assert_int_equal(half_of_float(-value), half | 0x8000);
        if (half < 0x7bff) {
            float middle = value + (next - value) / 2;
            assert_int_equal(half_of_float(middle), half + (half & 1));
        }
    }
    assert_int_equal(half_of_float(INFINITY), 0x7bff);
    assert_int_equal(half_of_float(NAN), 0);
}

/* ---- blocks ---- */

static void decode_block(enum vtf_format format, const unsigned char *block, uint8_t out[16][4])
{
    vtf_decode_picture((int)format, block, 4, 4, out[0]);
}

/* A colour that no end point has lies between two of them. */
static void blocks_of_one_colour_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        uint8_t pixels[16][4], read[16][4];
        unsigned char block[8];
        for (int k = 0; k < 16; k++)
            memcpy(pixels[k], (uint8_t[]){(uint8_t)i, (uint8_t)(255 - i), (uint8_t)(i / 2), 255},
                   4);
        bc1_encode(pixels, false, block);
        decode_block(VTF_DXT1, block, read);
        for (int k = 0; k < 16; k++)
            for (int c = 0; c < 4; c++)
                assert_in_range(read[k][c] + 2, pixels[k][c], pixels[k][c] + 4);
    }
}

/* No opaque pixel becomes transparent where the mode of three colours is used. */
static void opaque_blocks_stay_opaque(void **state)
{
    (void)state;
    uint32_t noise = 7;
    for (int n = 0; n < 500; n++) {
        uint8_t pixels[16][4], read[16][4];
        unsigned char block[8];
        for (int k = 0; k < 16; k++)
            for (int c = 0; c < 4; c++) {
                noise = noise * 1664525 + 1013904223;
                pixels[k][c] = (uint8_t)(n % 3 ? noise >> 24 : (noise >> 31) * 255);
            }
        bc1_encode(pixels, false, block);
        decode_block(VTF_DXT1, block, read);
        for (int k = 0; k < 16; k++)
            assert_int_equal(read[k][3], 255);
        bc1_encode(pixels, true, block);
        decode_block(VTF_DXT1_ONEBITALPHA, block, read);
        for (int k = 0; k < 16; k++)
            assert_int_equal(read[k][3], pixels[k][3] < 128 ? 0 : 255);
    }
}

static void colours_on_a_line_are_exact(void **state)
{
    (void)state;
    uint8_t pixels[16][4], read[16][4];
    unsigned char block[8];
    for (int k = 0; k < 16; k++)
        memset(pixels[k], 255 * (k % 4) / 3, 4);
    bc1_encode(pixels, false, block);
    decode_block(VTF_DXT1, block, read);
    for (int k = 0; k < 16; k++)
        assert_memory_equal(read[k], pixels[k], 3);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    uint8_t *rgba = drawn_picture(SIDE, SIDE);
    const uint8_t *pictures[] = {rgba};
    struct vtf_source source = {SIDE, SIDE, 1, 1, pictures, NULL};
    struct bytes files[3] = {{0}};
    const int threads[] = {1, 2, 7};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(vtf_write(&source, &vtf_write_defaults, threads[i], &files[i]),
                         VTF_WRITTEN);
        assert_true(bytes_equal(&files[0], &files[i]));
    }
    for (int i = 0; i < 3; i++)
        bytes_free(&files[i]);
    memory_free(rgba);
}

static void what_cannot_be_written_is_told(void **state)
{
    (void)state;
    static const struct {
        int width, height, frames, faces, minor;
        enum vtf_format format;
        enum vtf_write_fault fault;
    } rows[] = {
        {4, 4, 1, 1, 0, VTF_DXT1, VTF_FAULT_VERSION},
        {4, 4, 1, 1, 6, VTF_DXT1, VTF_FAULT_VERSION},
        {4, 4, 1, 1, 4, VTF_IA88, VTF_FAULT_FORMAT},
        {6, 4, 1, 1, 4, VTF_DXT1, VTF_FAULT_SIDE},
        {4, 0, 1, 1, 4, VTF_DXT1, VTF_FAULT_SIDE},
        {32768, 4, 1, 1, 4, VTF_DXT1, VTF_FAULT_SIDE},
        {4, 4, 1, 5, 4, VTF_DXT1, VTF_FAULT_CUBE},
        {4, 8, 1, 6, 4, VTF_DXT1, VTF_FAULT_CUBE},
        {4, 4, 0, 1, 4, VTF_DXT1, VTF_FAULT_FRAMES},
        {4, 4, 5000, 1, 4, VTF_DXT1, VTF_FAULT_FRAMES},
        {16384, 16384, 9, 1, 4, VTF_RGBA8888, VTF_FAULT_LARGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vtf_source source = {.width = rows[i].width,
                                    .height = rows[i].height,
                                    .frames = rows[i].frames,
                                    .faces = rows[i].faces};
        struct vtf_write_options options = vtf_write_defaults;
        struct bytes file = {0};
        options.minor = rows[i].minor;
        options.format = rows[i].format;
        assert_int_equal(vtf_write(&source, &options, 1, &file), rows[i].fault);
        assert_int_equal(file.size, 0);
    }
}

SUITE(test_vtf_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_there_and_back),
        cmocka_unit_test(pixels_are_cut_out),
        cmocka_unit_test(thumbnails_are_small),
        cmocka_unit_test(mips_are_means_of_light),
        cmocka_unit_test(frames_are_in_order),
        cmocka_unit_test(cubemaps_are_as_large_as_those_of_games),
        cmocka_unit_test(directions_meet_their_faces),
        cmocka_unit_test(the_sphere_map_shows_all_faces),
        cmocka_unit_test(light_beyond_white_is_kept),
        cmocka_unit_test(halves_are_the_nearest),
        cmocka_unit_test(blocks_of_one_colour_are_near),
        cmocka_unit_test(opaque_blocks_stay_opaque),
        cmocka_unit_test(colours_on_a_line_are_exact),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
