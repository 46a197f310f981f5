#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/textures/vtf.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"
#include "common/io/fs.h"

/* The smallest header of 7.`minor`: 64 x 32, DXT1, reflectivity 0.25 0.5 1. */
static struct bytes make_header(uint32_t minor)
{
    struct bytes header = {0};
    bytes_append(&header, "VTF\0", 4);
    bytes_u32(&header, 7);
    bytes_u32(&header, minor);
    bytes_u32(&header, minor >= 2 ? 80 : 64);
    bytes_u16(&header, 64);
    bytes_u16(&header, 32);
    bytes_u32(&header, 0x2300);
    bytes_u16(&header, 1);
    bytes_u16(&header, 0);
    bytes_u32(&header, 0xDEADBEEF);
    bytes_f32(&header, 0.25f);
    bytes_f32(&header, 0.5f);
    bytes_f32(&header, 1.0f);
    bytes_u32(&header, 0xDEADBEEF);
    bytes_f32(&header, 1.0f);
    bytes_i32(&header, 13);
    bytes_u8(&header, 7);
    bytes_i32(&header, -1);
    bytes_u16(&header, 0);
    bytes_fill(&header, 0, minor >= 2 ? 17 : 1);
    return header;
}

static void every_version_is_read(void **state)
{
    (void)state;
    for (uint32_t minor = 0; minor <= 6; minor++) {
        struct bytes bytes = make_header(minor);
        struct vtf_header header;
        assert_true(vtf_read_header(bytes.data, bytes.size, &header));
        assert_int_equal(header.minor, minor);
        assert_int_equal(header.width, 64);
        assert_int_equal(header.height, 32);
        assert_int_equal(header.depth, 1);
        assert_int_equal(header.format, 13);
        assert_int_equal(header.mips, 7);
        assert_int_equal(header.flags, 0x2300);
        assert_float_equal(header.reflectivity[1], 0.5, 0);
        /* Any shorter and it is truncated. */
        for (size_t size = 0; size < bytes.size; size++)
            assert_false(vtf_read_header(bytes.data, size, &header));
        bytes_free(&bytes);
    }
}

static void absurd_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        unsigned char value;
    } changes[] = {
        {0, 'X'}, {4, 8},  {8, 7},   {12, 79},   {16, 0}, /* width 0 */
        {24, 0},  {56, 0}, {56, 40}, {55, 0x80}, {43, 0x7F},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bytes bytes = make_header(4);
        struct vtf_header header;
        bytes.data[changes[i].at] = changes[i].value;
        if (changes[i].at == 43)
            bytes.data[42] = 0xC0; /* a NaN */
        if (vtf_read_header(bytes.data, bytes.size, &header))
            fail_msg("byte %zu = %d was let pass", changes[i].at, changes[i].value);
        bytes_free(&bytes);
    }
}

/* "vtf/NAME | ver 7.2 | fmt 13 | size 64x64x1 | frames 1 | faces 1 | mips 7 | flags 0x0 | ...
 * | refl r g b ..." */
static int check_line(const char *line)
{
    char name[128], path[512];
    int minor, format, width, height, depth, frames, mips;
    unsigned flags;
    double r, g, b;
    const char *reflectivity = strstr(line, "refl ");
    if (!reflectivity ||
        sscanf(line,
               "vtf/%127s | ver 7.%d | fmt %d | size %dx%dx%d | frames %d | faces %*d | mips %d | "
               "flags %x",
               name, &minor, &format, &width, &height, &depth, &frames, &mips, &flags) != 9 ||
        sscanf(reflectivity, "refl %lf %lf %lf", &r, &g, &b) != 3)
        return 0;
    snprintf(path, sizeof path, SHARED_DIR "/corpus/assets/vtf/%s", name);
    struct bytes bytes = {0};
    struct vtf_header header;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &bytes), 0);
    if (!vtf_read_header(bytes.data, bytes.size, &header))
        fail_msg("%s is not read", name);
    if (header.major != 7 || header.minor != minor || header.format != format ||
        header.width != width || header.height != height || header.depth != depth ||
        header.frames != frames || header.mips != mips || header.flags != flags)
        fail_msg("%s is read wrong", name);
    assert_float_equal(header.reflectivity[0], r, 1e-5);
    assert_float_equal(header.reflectivity[1], g, 1e-5);
    assert_float_equal(header.reflectivity[2], b, 1e-5);
    bytes_free(&bytes);
    return 1;
}

static void real_files(void **state)
{
    (void)state;
    struct bytes text = {0};
    if (fs_disk()->ops->read(fs_disk(), SHARED_DIR "/corpus/assets/expected.txt", &text) != 0) {
        print_message("skipped: no corpus\n");
        skip();
    }
    bytes_u8(&text, 0);
    int files = 0;
    for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n"))
        files += check_line(line);
    bytes_free(&text);
    assert_int_equal(files, 90);
}

/* --- vtf alpha --- */

/* A 7.2 header without a thumbnail, or a 7.4 one with the image as its one resource. */
static struct bytes header(int minor, int format, int width, int height, int mips)
{
    struct bytes vtf = {0};
    uint32_t size = minor >= 3 ? 88 : 80;
    bytes_append(&vtf, "VTF\0", 4);
    bytes_u32(&vtf, 7);
    bytes_u32(&vtf, (uint32_t)minor);
    bytes_u32(&vtf, size);
    bytes_u16(&vtf, (uint16_t)width);
    bytes_u16(&vtf, (uint16_t)height);
    bytes_u32(&vtf, 0x2300);
    bytes_u16(&vtf, 1);
    bytes_fill(&vtf, 0, 22);
    bytes_f32(&vtf, 1);
    bytes_u32(&vtf, (uint32_t)format);
    bytes_u8(&vtf, (uint8_t)mips);
    bytes_i32(&vtf, -1);
    bytes_fill(&vtf, 0, 2);
    bytes_u16(&vtf, 1);
    bytes_fill(&vtf, 0, 3);
    bytes_u32(&vtf, minor >= 3);
    bytes_fill(&vtf, 0, 8);
    if (minor >= 3) {
        bytes_append(&vtf, "\x30\0\0\0", 4);
        bytes_u32(&vtf, size);
    }
    assert_int_equal(vtf.size, size);
    return vtf;
}

static void check(struct bytes *vtf, const unsigned char *want, size_t count)
{
    struct vtf_alpha alpha;
    assert_true(vtf_alpha_read(vtf->data, vtf->size, &alpha));
    assert_int_equal((size_t)alpha.width * (size_t)alpha.height, count);
    assert_memory_equal(alpha.texels, want, count);
    memory_free(alpha.texels);
    for (size_t size = 0; size < vtf->size; size++) /* any shorter and it is truncated */
        assert_false(vtf_alpha_read(vtf->data, size, &alpha));
    bytes_free(vtf);
}

/* Two texels per format: the bits that are alpha. */
static void plain_formats(void **state)
{
    static const struct {
        int format, size;
        unsigned char texels[16], want[2];
    } cases[] = {
        {0, 4, {1, 2, 3, 200, 5, 6, 7, 100}, {200, 100}},
        {1, 4, {200, 2, 3, 1, 100, 6, 7, 5}, {200, 100}},
        {6, 2, {9, 200, 9, 100}, {200, 100}},
        {8, 1, {200, 100}, {200, 100}},
        {11, 4, {1, 2, 200, 3, 5, 6, 100, 7}, {200, 100}},
        {12, 4, {1, 2, 3, 200, 5, 6, 7, 100}, {200, 100}},
        {19, 2, {0xff, 0xaf, 0xff, 0x0f}, {170, 0}},
        {21, 2, {0xff, 0x7f, 0, 0x80}, {0, 255}},
        /* One half is 0x3800, one is 0x3c00. */
        {24, 8, {0, 0, 0, 0, 0, 0, 0, 0x38, 0, 0, 0, 0, 0, 0, 0, 0x3c}, {127, 255}},
        {25, 8, {0, 0, 0, 0, 0, 0, 9, 200, 0, 0, 0, 0, 0, 0, 9, 100}, {200, 100}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int minor = 2; minor <= 4; minor += 2) {
            struct bytes vtf = header(minor, cases[i].format, 2, 1, 1);
            bytes_append(&vtf, cases[i].texels, 2 * (size_t)cases[i].size);
            check(&vtf, cases[i].want, 2);
        }
}

/* A block of DXT1 with ascending colours has three colours and a transparent entry: texels 0 and
 * 5. */
static void dxt1_has_holes(void **state)
{
    unsigned char want[16];
    (void)state;
    for (int rising = 0; rising < 2; rising++) {
        struct bytes vtf = header(2, rising ? 13 : 20, 4, 4, 1);
        bytes_u16(&vtf, rising ? 0 : 0xffff);
        bytes_u16(&vtf, rising ? 0xffff : 0);
        bytes_u32(&vtf, 3u | 3u << 10);
        for (int i = 0; i < 16; i++)
            want[i] = rising && (i == 0 || i == 5) ? 0 : 255;
        check(&vtf, want, 16);
    }
}

static void dxt3_has_sixteen_steps(void **state)
{
    unsigned char want[16];
    (void)state;
    struct bytes vtf = header(2, 14, 4, 4, 1);
    for (int i = 0; i < 8; i++)
        bytes_u8(&vtf, (uint8_t)(2 * i | (2 * i + 1) << 4));
    bytes_fill(&vtf, 0, 8);
    for (int i = 0; i < 16; i++)
        want[i] = (unsigned char)(17 * i);
    check(&vtf, want, 16);
}

/* Texel i takes entry i % 8 of the palette. */
static void dxt5_blends_two_ends(void **state)
{
    static const unsigned char falling[8] = {210, 70, 190, 170, 150, 130, 110, 90};
    static const unsigned char rising[8] = {70, 170, 90, 110, 130, 150, 0, 255};
    unsigned char want[16];
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct bytes vtf = header(2, 15, 4, 4, 1);
        bytes_u8(&vtf, way ? 70 : 210);
        bytes_u8(&vtf, way ? 170 : 70);
        uint64_t bits = 0;
        for (int i = 0; i < 16; i++)
            bits |= (uint64_t)(i % 8) << 3 * i;
        for (int i = 0; i < 6; i++)
            bytes_u8(&vtf, (uint8_t)(bits >> 8 * i));
        bytes_fill(&vtf, 0, 8);
        for (int i = 0; i < 16; i++)
            want[i] = (way ? rising : falling)[i % 8];
        check(&vtf, want, 16);
    }
}

/* 6 x 5 texels are 2 x 2 blocks, after those of 3 x 2 and 1 x 1. */
static void the_largest_picture_comes_last(void **state)
{
    unsigned char want[30];
    (void)state;
    struct bytes vtf = header(2, 14, 6, 5, 3);
    bytes_fill(&vtf, 0x55, 32);
    for (int block = 0; block < 4; block++) {
        for (int i = 0; i < 8; i++)
            bytes_u8(&vtf, (uint8_t)(0x11 * block));
        bytes_fill(&vtf, 0, 8);
    }
    for (int i = 0; i < 30; i++)
        want[i] = (unsigned char)(17 * (i % 6 / 4 + 2 * (i / 6 / 4)));
    check(&vtf, want, 30);
}

static void without_alpha(void **state)
{
    static const int formats[] = {2, 3, 4, 5, 9, 16, 17, 18, 22, 27, 34, 70};
    struct vtf_alpha alpha;
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct bytes vtf = header(2, formats[i], 4, 4, 1);
        bytes_fill(&vtf, 0, 1000);
        assert_false(vtf_alpha_read(vtf.data, vtf.size, &alpha));
        bytes_free(&vtf);
    }
    struct bytes cubemap = header(2, 12, 4, 4, 1);
    bytes_fill(&cubemap, 0, 1000);
    assert_true(vtf_alpha_read(cubemap.data, cubemap.size, &alpha));
    memory_free(alpha.texels);
    cubemap.data[21] = 0x40;
    assert_false(vtf_alpha_read(cubemap.data, cubemap.size, &alpha));
    bytes_free(&cubemap);
}

SUITE(test_vtf)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_read),
        cmocka_unit_test(absurd_headers_are_refused),
        cmocka_unit_test(real_files),
        cmocka_unit_test(plain_formats),
        cmocka_unit_test(dxt1_has_holes),
        cmocka_unit_test(dxt3_has_sixteen_steps),
        cmocka_unit_test(dxt5_blends_two_ends),
        cmocka_unit_test(the_largest_picture_comes_last),
        cmocka_unit_test(without_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
