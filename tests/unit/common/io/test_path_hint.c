#include "tests/support/suite.h"

#include <errno.h>

#include "common/core/arena.h"
#include "common/io/fs.h"
#include "common/io/path_hint.h"

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

SUITE(test_path_hint)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_of_similar_names_are_named, begin, end),
        cmocka_unit_test_setup_teardown(sources_of_missing_bsps_are_named, begin, end),
        cmocka_unit_test_setup_teardown(maps_in_folders_are_named, begin, end),
        cmocka_unit_test_setup_teardown(other_faults_have_none, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
