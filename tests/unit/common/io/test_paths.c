#include "tests/support/suite.h"

#include <errno.h>

#include "common/core/arena.h"
#include "common/io/fs.h"
#include "common/io/path_hint.h"
#include "tests/support/skip_on_windows.h"

static void operands_name_files(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct fs *fs = fs_memory_new();
    fs->ops->write(fs, "maps/a.vmf", "x", 1);
    fs->ops->write(fs, "maps/odd", "x", 1);
    assert_string_equal(path_of_operand(&arena, fs, "maps/a", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "maps/a.vmf", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "maps/a.VMF", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "none.VMF", ".vmf"), "none.VMF");
    assert_string_equal(path_of_operand(&arena, fs, "maps/odd", ".vmf"), "maps/odd");
    assert_string_equal(path_of_operand(&arena, fs, "maps", ".vmf"), "maps");
    assert_string_equal(path_of_operand(&arena, fs, "none", ".vmf"), "none.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "-", ".vmf"), "-");
    assert_string_equal(path_of_operand(&arena, fs, "maps\\a", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "maps\\a.vmf", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "maps/a.bsp", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "maps\\A.BSP", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "maps/a.vmf", ".bsp"), "maps/a.bsp");
    assert_string_equal(path_of_operand(&arena, fs, "maps/A", ".vmf"), "maps/a.vmf");
    assert_string_equal(path_of_operand(&arena, fs, "none.vmf", ".bsp"), "none.bsp");
    skip_on_windows("no name has a backslash");
    fs->ops->write(fs, "maps\\a.vmf", "x", 1); /* its name on a disk of Linux */
    assert_string_equal(path_of_operand(&arena, fs, "maps\\a", ".vmf"), "maps\\a.vmf");
    fs_memory_free(fs);
    arena_free(&arena);
}

static void side_files_lie_beside(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(path_beside(&arena, "maps/a.bsp", ".bsp", ".prt"), "maps/a.prt");
    assert_string_equal(path_beside(&arena, "maps/a.BSP", ".bsp", ".prt"), "maps/a.prt");
    assert_string_equal(path_beside(&arena, "maps.bsp/a", ".bsp", ".prt"), "maps.bsp/a.prt");
    arena_free(&arena);
}

static void paths_are_split(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"maps/a.bsp", "maps", "a.bsp"}, {"/x/y/a", "/x/y", "a"}, {"/a", "/", "a"},
        {"a.bsp", ".", "a.bsp"},         {"maps/", "maps", ""},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(path_folder(&arena, cases[i][0]), cases[i][1]);
        assert_string_equal(path_name(cases[i][0]), cases[i][2]);
    }
    arena_free(&arena);
}

/* --- path hint --- */

struct fixture {
    struct arena arena;
    struct fs *fs;
};

static int begin(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.fs = fs_memory_new()};
    fixture.fs->ops->write(fixture.fs, "maps/atrium.vmf", "x", 1);
    fixture.fs->ops->write(fixture.fs, "maps/atrium.bsp", "x", 1);
    fixture.fs->ops->write(fixture.fs, "maps/house.map", "x", 1);
    fixture.fs->ops->write(fixture.fs, "notes/list.txt", "x", 1);
    *state = &fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    fs_memory_free(f->fs);
    arena_free(&f->arena);
    return 0;
}

static void assert_hint(struct fixture *f, const char *path, int error, const char *expected)
{
    assert_string_equal(path_hint(&f->arena, f->fs, path, error), expected);
}

static void files_of_similar_names_are_named(void **state)
{
    struct fixture *f = *state;
    assert_hint(f, "maps/atrum.vmf", ENOENT, " (did you mean maps/atrium.vmf?)");
    assert_hint(f, "maps/Atrium.vmf", ENOENT, " (did you mean maps/atrium.vmf?)");
    assert_hint(f, "maps/atrium.vmx.vmf", ENOENT, " (did you mean maps/atrium.vmf?)");
    assert_hint(f, "maps/atrum.prt", ENOENT, "");
    assert_hint(f, "maps/garden.vmf", ENOENT, "");
    assert_hint(f, "none/atrium.vmf", ENOENT, "");
    assert_hint(f, "maps/atrum", ENOENT, "");
    assert_hint(f, "maps/.vmf", ENOENT, "");
}

static void sources_of_missing_bsps_are_named(void **state)
{
    struct fixture *f = *state;
    assert_hint(f, "maps/house.bsp", ENOENT,
                "; compile maps/house.map first (brushwork build maps/house.map)");
}

static void maps_in_folders_are_named(void **state)
{
    struct fixture *f = *state;
    assert_hint(f, "maps", EISDIR, "; name a file in it, such as maps/atrium.bsp");
    assert_hint(f, "notes", EISDIR, "; name a file");
}

static void other_faults_have_none(void **state)
{
    struct fixture *f = *state;
    assert_hint(f, "maps/atrum.vmf", EACCES, "");
    assert_hint(f, "maps/atrum.vmf", EIO, "");
}

SUITE(test_paths)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_name_files),
        cmocka_unit_test(side_files_lie_beside),
        cmocka_unit_test(paths_are_split),
        cmocka_unit_test_setup_teardown(files_of_similar_names_are_named, begin, end),
        cmocka_unit_test_setup_teardown(sources_of_missing_bsps_are_named, begin, end),
        cmocka_unit_test_setup_teardown(maps_in_folders_are_named, begin, end),
        cmocka_unit_test_setup_teardown(other_faults_have_none, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
