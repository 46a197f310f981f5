#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/io/fs_inputs.h"
#include "common/resume/fs_trace.h"

static void put(struct fs *fs, const char *path)
{
    assert_int_equal(fs->ops->write(fs, path, path, strlen(path)), 0);
}

static int get(struct fs *fs, const char *path)
{
    struct bytes out = {0};
    int error = fs->ops->read(fs, path, &out);
    bytes_free(&out);
    return error;
}

/* Through another file system, as a run with checkpoints reads. */
static void what_is_read_is_noted_once(void **state)
{
    (void)state;
    struct bytes part = {0};
    struct fs *memory = fs_memory_new();
    struct fs_inputs *inputs = fs_inputs_new();
    struct fs *noting = fs_noting_new(memory, inputs), *trace = fs_trace_new(noting);
    put(memory, "z.vmf");
    put(memory, "a.vpk");
    put(memory, "only looked at");
    put(memory, "checkpoint");
    put(trace, "written");
    assert_int_equal(get(trace, "z.vmf"), 0);
    assert_int_equal(get(noting, "z.vmf"), 0);
    assert_int_equal(trace->ops->read_part(trace, "a.vpk", 1, 2, &part), 0);
    assert_int_equal(trace->ops->kind(trace, "only looked at"), FS_FILE);
    assert_int_not_equal(get(trace, "absent"), 0);
    assert_int_equal(get(fs_plain(trace), "checkpoint"), 0);
    const char **paths = fs_inputs_sorted(inputs);
    assert_int_equal(arrlen(paths), 2);
    assert_string_equal(paths[0], "a.vpk");
    assert_string_equal(paths[1], "z.vmf");
    arrfree(paths);
    assert_int_equal(trace->ops->kind(trace, "no.rad"), FS_ABSENT);
    assert_int_equal(trace->ops->kind(trace, "late.vmt"), FS_ABSENT);
    put(memory, "late.vmt");
    assert_int_equal(get(noting, "late.vmt"), 0);
    paths = fs_inputs_sought(inputs);
    assert_int_equal(arrlen(paths), 2);
    assert_string_equal(paths[0], "absent");
    assert_string_equal(paths[1], "no.rad");
    arrfree(paths);
    bytes_free(&part);
    fs_trace_free(trace);
    fs_noting_free(noting);
    fs_inputs_free(inputs);
    fs_memory_free(memory);
}

SUITE(test_fs_inputs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_noted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
