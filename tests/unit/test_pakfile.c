#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/bsp/pakfile.h"

/* What Valve's tools write for one file, byte for byte: the form of the archives in compiled maps.
 */
static void test_one_file(void **state)
{
    (void)state;
    struct pakfile pakfile = {0};
    struct bytes out = {0};
    bytes_append(&out, "before", 6); /* offsets count from the archive's own start */
    pakfile_put(&pakfile, "a\\b.txt", "123456789", 9);
    pakfile_encode(&pakfile, &out);
    static const unsigned char local[] = {
        'P',  'K',  3,   4,   10,  0,   0,   0,   0,   0,   0,   0,   0,   0,  0x26, 0x39,
        0xf4, 0xcb, 9,   0,   0,   0,   9,   0,   0,   0,   7,   0,   0,   0,  'a',  '/',
        'b',  '.',  't', 'x', 't', '1', '2', '3', '4', '5', '6', '7', '8', '9'};
    static const unsigned char central[] = {
        'P',  'K',  1, 2, 20, 0, 10, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0x26, 0x39,
        0xf4, 0xcb, 9, 0, 0,  0, 9,  0, 0, 0, 7,   0,   0,   0,   0,   0,   0,    0,
        0,    0,    0, 0, 0,  0, 0,  0, 0, 0, 'a', '/', 'b', '.', 't', 'x', 't'};
    static const unsigned char end[] = {'P', 'K', 5, 6, 0, 0,  0, 0, 1, 0,  1,
                                        0,   53,  0, 0, 0, 46, 0, 0, 0, 32, 0};
    assert_int_equal(out.size, 6 + sizeof local + sizeof central + sizeof end + 32);
    const unsigned char *at = out.data + 6;
    assert_memory_equal(at, local, sizeof local);
    assert_memory_equal(at + sizeof local, central, sizeof central);
    at += sizeof local + sizeof central;
    assert_memory_equal(at, end, sizeof end);
    assert_string_equal((const char *)at + sizeof end, "XZP1 0");
    bytes_free(&out);
    pakfile_free(&pakfile);
}

static void test_same_name_is_replaced(void **state)
{
    (void)state;
    struct pakfile pakfile = {0};
    pakfile_put(&pakfile, "materials/a.vmt", "old", 3);
    pakfile_put(&pakfile, "materials/b.vmt", "", 0);
    pakfile_put(&pakfile, "Materials\\A.VMT", "newer", 5);
    struct bytes out = {0};
    pakfile_encode(&pakfile, &out);
    size_t records = 2 * (30 + 46 + 2 * 15);
    assert_int_equal(out.size, records + 5 + 22 + 32);
    assert_memory_equal(out.data + 30 + 15, "newer", 5);
    bytes_free(&out);
    pakfile_free(&pakfile);
}

static void test_empty(void **state)
{
    (void)state;
    struct pakfile pakfile = {0};
    struct bytes out = {0};
    pakfile_encode(&pakfile, &out);
    assert_int_equal(out.size, 54);
    assert_memory_equal(out.data, "PK\5\6", 4);
    bytes_free(&out);
    pakfile_free(&pakfile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_file),
        cmocka_unit_test(test_same_name_is_replaced),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
