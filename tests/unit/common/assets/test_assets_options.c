#include "tests/support/suite.h"

#include "common/assets/assets_options.h"
#include "common/bsp/codec/format.h"

static void options_come_back_from_their_bytes(void **state)
{
    static const char *const paths[] = {"one", "", "three"}, *const parms[] = {"custom"};
    const struct engine *engine = bsp_format_find("ja")->engine;
    const struct assets_options options = {.game = "hl2",
                                           .search_paths = paths,
                                           .search_path_count = 3,
                                           .forbidden = paths + 1,
                                           .forbidden_count = 2,
                                           .has_shaders = true,
                                           .parms = {parms, 1, true, engine}};
    struct bytes bytes = {0}, again = {0};
    struct arena arena = {0};
    struct assets_options read;
    (void)state;
    assets_options_write(&options, &bytes);
    struct byte_reader from = byte_reader(bytes.data, bytes.size);
    assert_true(assets_options_read(&from, &arena, &read));
    assert_false(from.failed);
    assert_int_equal(from.at, from.size);
    assert_string_equal(read.game, "hl2");
    assert_null(read.base_game);
    assert_int_equal(read.search_path_count, 3);
    assert_string_equal(read.search_paths[2], "three");
    assert_string_equal(read.search_paths[1], "");
    assert_int_equal(read.texdata_count, 0);
    assert_true(read.has_shaders && !read.sizes_only && read.parms.custom);
    assert_ptr_equal(read.parms.engine, engine);
    assert_string_equal(read.parms.all[0], "custom");
    assets_options_write(&read, &again);
    assert_true(bytes_equal(&bytes, &again));
    bytes_free(&again);
    for (size_t size = 0; size < bytes.size; size++) { /* cut short */
        from = byte_reader(bytes.data, size);
        assert_false(assets_options_read(&from, &arena, &read));
    }
    bytes_free(&bytes);
    arena_free(&arena);
}

SUITE(test_assets_options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_come_back_from_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
