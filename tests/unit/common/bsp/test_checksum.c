#include "tests/support/suite.h"

#include "common/bsp/bsp.h"
#include "common/bsp/codec/container.h"
#include "tests/support/bsp_files.h"

enum { HEADER = 1036 };

static void set_lump(struct bytes *file, int lump, const char *text)
{
    unsigned char *entry = file->data + 8 + 16 * lump;
    store_u32(ORDER_LITTLE, entry, (uint32_t)file->size);
    store_u32(ORDER_LITTLE, entry + 4, (uint32_t)strlen(text));
    bytes_append(file, text, strlen(text));
}

static struct bytes new_file(void)
{
    struct bytes file = {0};
    bytes_append(&file, "VBSP", 4);
    bytes_i32(&file, 20);
    bytes_fill(&file, 0, HEADER - file.size);
    return file;
}

static uint32_t sum_of(struct bytes *file)
{
    struct container container;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    assert_int_equal(container_open(file->data, file->size, "map.bsp", diag, &container),
                     STATUS_OK);
    uint32_t sum = bsp_checksum(&container);
    diag_free(diag);
    bytes_free(file);
    return sum;
}

/* The check value of CRC-32: of the text "123456789". */
static void lumps_are_summed_by_number(void **state)
{
    (void)state;
    struct bytes file = new_file();
    set_lump(&file, LUMP_PAKFILE, "789");
    set_lump(&file, LUMP_PLANES, "1234");
    set_lump(&file, LUMP_NODES, "56");
    assert_int_equal(sum_of(&file), 0xcbf43926);
}

static void entities_do_not_count(void **state)
{
    (void)state;
    struct bytes file = new_file();
    set_lump(&file, LUMP_ENTITIES, "{}");
    set_lump(&file, LUMP_PHYSLEVEL, "123456789");
    assert_int_equal(sum_of(&file), 0xcbf43926);
}

static void what_lies_between_does_not_count(void **state)
{
    (void)state;
    struct bytes file = new_file();
    bytes_fill(&file, 7, 5);
    set_lump(&file, LUMP_PLANES, "12345");
    bytes_fill(&file, 7, 3);
    set_lump(&file, LUMP_GAMELUMP, "6789");
    bytes_fill(&file, 7, 2);
    assert_int_equal(sum_of(&file), 0xcbf43926);
}

static void a_file_without_lumps_sums_to_zero(void **state)
{
    (void)state;
    struct bytes file = new_file();
    assert_int_equal(sum_of(&file), 0);
}

SUITE(test_checksum)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lumps_are_summed_by_number),
        cmocka_unit_test(entities_do_not_count),
        cmocka_unit_test(what_lies_between_does_not_count),
        cmocka_unit_test(a_file_without_lumps_sums_to_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
