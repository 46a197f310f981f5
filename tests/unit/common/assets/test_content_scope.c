/* Which files of the content somebody else may make a run ask for. */
#include "tests/support/suite.h"

#include "common/assets/mounts/content_scope.h"
#include "common/core/array.h"
#include "common/diag/diag.h"
#include "tests/support/quake3_game.h"
#include "tests/support/vpk_files.h"

static struct mount **mounts_of(struct fs *fs, struct diag *diag)
{
    struct mount **mounts = NULL;
    arrput(mounts, mount_folder(fs, "game", diag));
    arrput(mounts, mount_folder(fs, "/srv/content/", diag));
    return mounts;
}

static void files_are_content_below_a_mount(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool may;
    } cases[] = {
        {"game/materials/a.vmt", true},
        {"game/MATERIALS/a.VTF", true},
        {"/srv/content/models/a.mdl", true},
        {"game/scripts/surfaceproperties.txt", true},
        {"game/notes.txt", false},
        {"game/cfg/server.cfg", false},
        {"game/cfg/scripts/a.txt", false},
        {"game", false},
        {"game/", false},
        {"games/a.vmt", false},
        {"materials/a.vmt", false},
        {"game/../secret.vmt", false},
        {"game/a/../../secret.vmt", false},
        {"game/..", false},
        {"game/a..b.vmt", true},
        {"/etc/shadow", false},
        {"/etc/a.vmt", false},
        {"", false},
    };
    struct fs *fs = fs_memory_new();
    struct diag *diag = diag_new(NULL, NULL);
    struct mount **mounts = mounts_of(fs, diag);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (content_scope_has_file(mounts, cases[i].path) != cases[i].may)
            fail_msg("%s", cases[i].path);
    assert_true(content_scope_has_folder(mounts, "game"));
    assert_true(content_scope_has_folder(mounts, "game/cfg"));
    assert_false(content_scope_has_folder(mounts, "game/.."));
    assert_false(content_scope_has_folder(mounts, "/srv"));
    assert_false(content_scope_has_range(mounts, "game/materials/a.vmt", 0, 1));
    mounts_free(mounts);
    diag_free(diag);
    fs_memory_free(fs);
}

/* A file system that tells which range was read last. */
struct watching {
    struct fs base;
    struct fs_ops ops;
    struct fs *below;
    uint64_t offset;
    size_t size;
};

static int watch_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                      struct bytes *out)
{
    struct watching *watching = (struct watching *)(void *)fs;
    watching->offset = offset;
    watching->size = size;
    return watching->below->ops->read_part(watching->below, path, offset, size, out);
}

static int watch_size(struct fs *fs, const char *path, uint64_t *out)
{
    struct watching *watching = (struct watching *)(void *)fs;
    return watching->below->ops->size(watching->below, path, out);
}

static void assert_range(struct mount **mounts, const char *path, uint64_t offset, size_t size)
{
    assert_true(content_scope_has_range(mounts, path, offset, size));
    assert_false(content_scope_has_range(mounts, path, offset, size - 1));
    assert_false(content_scope_has_range(mounts, path, offset, size + 1));
    assert_false(content_scope_has_range(mounts, path, offset + 1, size));
    assert_false(content_scope_has_range(mounts, path, offset, 1));
    assert_false(content_scope_has_range(mounts, "other", offset, size));
}

/* The bytes that reading a member of an archive takes are a range of it, and no others are. */
static void ranges_are_members_of_archives(void **state)
{
    struct quake3_game *game = *state;
    static const struct vpk_file file = {"vmt", "materials", "a", "", "the text of a", 3};
    struct watching watching = {.below = game->env.fs};
    struct bytes directory = {0}, parts[4] = {{0}}, out = {0};
    struct mount **mounts = NULL;
    watching.ops = *game->env.fs->ops;
    watching.ops.read_part = watch_part;
    watching.ops.size = watch_size;
    watching.base.ops = &watching.ops;
    quake3_add_pack(game, "a.pk3", "textures/a.tga", "a picture that is stored", ZIP_STORED);
    vpk_files_write(1, &file, 1, &directory, parts);
    struct fs *fs = game->env.fs;
    assert_int_equal(fs->ops->write(fs, "b_dir.vpk", directory.data, directory.size), 0);
    assert_int_equal(fs->ops->write(fs, "b_003.vpk", parts[3].data, parts[3].size), 0);
    arrput(mounts, mount_pk3(&watching.base, "a.pk3", game->env.diag));
    arrput(mounts, mount_vpk(&watching.base, "b_dir.vpk", game->env.diag));
    assert_non_null(mounts[0]);
    assert_non_null(mounts[1]);
    assert_true(mounts[0]->ops->read(mounts[0], "textures/a.tga", &out));
    uint64_t offset = watching.offset;
    size_t size = watching.size;
    assert_range(mounts, "a.pk3", offset, size);
    assert_true(content_scope_has_range(mounts, "a.pk3", 0, 30)); /* the local header */
    assert_true(mounts[1]->ops->read(mounts[1], "materials/a.vmt", &out));
    offset = watching.offset;
    size = watching.size;
    assert_range(mounts, "b_003.vpk", offset, size);
    assert_false(content_scope_has_range(mounts, "b_002.vpk", offset, size));
    assert_false(content_scope_has_range(mounts, "b_dir.vpk", offset, size));
    mounts_free(mounts);
    bytes_free(&out);
    bytes_free(&directory);
    for (size_t i = 0; i < 4; i++)
        bytes_free(&parts[i]);
}

SUITE(test_content_scope)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_content_below_a_mount),
        cmocka_unit_test_setup_teardown(ranges_are_members_of_archives, quake3_game_new,
                                        quake3_game_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
