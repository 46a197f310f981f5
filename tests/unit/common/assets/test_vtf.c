#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/textures/vtf.h"
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

SUITE(test_vtf)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_read),
        cmocka_unit_test(absurd_headers_are_refused),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
