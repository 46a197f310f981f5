/* Input and output files of the stages, on a file system in memory. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/array.h"
#include "vbsp/files.h"
#include "vbsp/options.h"

struct fixture {
    struct env env;
    struct arena arena;
    struct vbsp_files files;
};

static void start(struct fixture *fixture)
{
    *fixture = (struct fixture){
        .env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1},
    };
}

static void end(struct fixture *fixture)
{
    fs_memory_free(fixture->env.fs);
    diag_free(fixture->env.diag);
    arena_free(&fixture->arena);
}

static bool is_there(struct fixture *fixture, const char *path)
{
    return fixture->env.fs->ops->kind(fixture->env.fs, path) == FS_FILE;
}

static void put(struct fixture *fixture, const char *path, const char *text)
{
    assert_int_equal(fixture->env.fs->ops->write(fixture->env.fs, path, text, strlen(text)), 0);
}

static enum status find(struct fixture *fixture, const char *operand, const char *output)
{
    return vbsp_files_find(&fixture->env, operand, output, &fixture->arena, &fixture->files);
}

static void outputs_lie_beside_the_map_or_where_reported(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_int_equal(find(&f, "maps/a", NULL), STATUS_OK);
    assert_string_equal(f.files.level, "maps/a.vmf");
    assert_string_equal(f.files.bsp, "maps/a.bsp");
    assert_string_equal(f.files.prt, "maps/a.prt");
    assert_int_equal(find(&f, "maps/a", "out/b.bsp"), STATUS_OK);
    assert_string_equal(f.files.lin, "out/b.lin");
    assert_int_equal(find(&f, "-", NULL), STATUS_OK);
    assert_string_equal(f.files.bsp, "-");
    assert_null(f.files.prt);
    assert_int_equal(find(&f, "maps/a", "maps/a.vmf"), STATUS_USAGE);
    end(&f);
}

static enum status write_leaking(struct fixture *fixture, const struct bsp_format *format)
{
    struct vbsp_output output = {.bsp = bsp_new()};
    arrput(output.leak, vec3(1, 2, 3));
    arrput(output.leak, vec3(-1, 0, 64.5));
    enum status status = vbsp_write_output(&fixture->env, &fixture->files, format, &output);
    vbsp_output_free(&output);
    return status;
}

static void a_leak_leaves_a_line_and_no_portals(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_int_equal(find(&f, "a", NULL), STATUS_OK);
    put(&f, "a.prt", "stale");
    assert_int_equal(write_leaking(&f, bsp_format_find("sdk2013")), STATUS_OK);
    assert_true(is_there(&f, "a.bsp"));
    assert_false(is_there(&f, "a.prt"));
    struct bytes lin = {0};
    assert_int_equal(f.env.fs->ops->read(f.env.fs, "a.lin", &lin), 0);
    static const char path[] = "1.000000 2.000000 3.000000\n-1.000000 0.000000 64.500000\n";
    assert_int_equal(lin.size, strlen(path));
    assert_memory_equal(lin.data, path, lin.size);
    bytes_free(&lin);
    end(&f);
}

static void a_sealed_map_leaves_portals_and_no_line(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    assert_int_equal(find(&f, "a", NULL), STATUS_OK);
    put(&f, "a.lin", "stale");
    struct vbsp_output output = {.bsp = bsp_new()};
    assert_int_equal(vbsp_write_output(&f.env, &f.files, bsp_format_find("sdk2013"), &output),
                     STATUS_OK);
    assert_true(is_there(&f, "a.prt"));
    assert_false(is_there(&f, "a.lin"));
    vbsp_output_free(&output);
    end(&f);
}

static void blocks_become_ranges(void **state)
{
    (void)state;
    const struct bsp_format *format;
    struct diag *diag = diag_new(NULL, NULL);
    struct vbsp_settings settings = vbsp_settings_defaults();
    assert_int_equal(vbsp_settings_finish(&settings, "a.vmf", diag, &format), STATUS_OK);
    assert_false(settings.options.blocks_limited);
    settings.block[0] = 3;
    settings.block[1] = -2;
    assert_int_equal(vbsp_settings_finish(&settings, "a.vmf", diag, &format), STATUS_OK);
    assert_true(settings.options.blocks_limited);
    assert_int_equal(settings.options.block_x[1], 3);
    assert_int_equal(settings.options.block_y[0], -2);
    settings.target = "quake5";
    assert_int_equal(vbsp_settings_finish(&settings, "a.vmf", diag, &format), STATUS_USAGE);
    diag_free(diag);
}

SUITE(test_files)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_lie_beside_the_map_or_where_reported),
        cmocka_unit_test(a_leak_leaves_a_line_and_no_portals),
        cmocka_unit_test(a_sealed_map_leaves_portals_and_no_line),
        cmocka_unit_test(blocks_become_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
