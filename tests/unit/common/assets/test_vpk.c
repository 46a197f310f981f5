#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/assets.h"
#include "common/assets/mounts/mount.h"
#include "common/assets/mounts/vpk.h"
#include "common/core/array.h"
#include "common/diag/codes/vpk.def"
#include "tests/support/vpk_files.h"

static const struct vpk_file sample[] = {
    {" ", " ", "readme", "", "no folder, no extension", 0x7FFF},
    {"txt", "Scripts/Sub", "one", "pre", "load", 0},
    {"txt", "Scripts/Sub", "only", "preload", "", 0},
    {"vmt", "materials\\a", "b.c", "", "two dots", 1},
    {"vmt", "materials\\a", "B", "", "upper", 0x7FFF},
};

enum { SAMPLES = sizeof sample / sizeof *sample };

struct disk {
    struct diag *diag;
    struct env env;
};

static void open_disk(struct disk *disk)
{
    *disk = (struct disk){.diag = diag_new(NULL, NULL)};
    disk->env = (struct env){.fs = fs_memory_new(), .diag = disk->diag};
}

static void close_disk(struct disk *disk)
{
    fs_memory_free(disk->env.fs);
    diag_free(disk->diag);
}

static void put(struct disk *disk, const char *path, const char *text)
{
    struct fs *fs = disk->env.fs;
    assert_int_equal(fs->ops->write(fs, path, text, strlen(text)), 0);
}

static void put_set(struct disk *disk, const char *stem, const char *directory, int version,
                    const struct vpk_file *files, size_t count)
{
    struct bytes out = {0}, parts[2] = {{0}};
    struct fs *fs = disk->env.fs;
    char path[256];
    vpk_files_write(version, files, count, &out, parts);
    snprintf(path, sizeof path, "%s%s", stem, directory);
    assert_int_equal(fs->ops->write(fs, path, out.data, out.size), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s_%03d.vpk", stem, i);
        if (parts[i].size)
            assert_int_equal(fs->ops->write(fs, path, parts[i].data, parts[i].size), 0);
        bytes_free(&parts[i]);
    }
    bytes_free(&out);
}

static void expect(struct mount *mount, const char *name, const char *text)
{
    struct bytes bytes = {0};
    bytes_append(&bytes, "kept", 4);
    bool found = mount->ops->read(mount, name, &bytes);
    if (found != (text != NULL))
        fail_msg("%s: %s", name, found ? "found" : "not found");
    assert_int_equal(bytes.size, 4 + (text ? strlen(text) : 0));
    if (text)
        assert_memory_equal(bytes.data + 4, text, strlen(text));
    bytes_free(&bytes);
}

static void contents_are_read(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        struct disk disk;
        open_disk(&disk);
        put_set(&disk, "a/pak", "_dir.vpk", version, sample, SAMPLES);
        struct mount *mount = mount_vpk(disk.env.fs, "a/pak_dir.vpk", disk.diag);
        assert_non_null(mount);
        assert_string_equal(mount->path, "a/pak_dir.vpk");
        expect(mount, "readme", "no folder, no extension");
        expect(mount, "scripts/sub/one.txt", "preload");
        expect(mount, "scripts/sub/only.txt", "preload");
        expect(mount, "materials/a/b.c.vmt", "two dots");
        expect(mount, "materials/a/b.vmt", "upper");
        expect(mount, "materials/a/b", NULL);
        expect(mount, "b.vmt", NULL);
        expect(mount, "scripts/sub/one.txt/", NULL);
        /* Archive 1 is missing: only its files cannot be read. */
        disk.env.fs->ops->remove(disk.env.fs, "a/pak_001.vpk");
        assert_int_equal(diag_entries(disk.diag), 0);
        expect(mount, "materials/a/b.c.vmt", NULL);
        /* Archive 0 is truncated, then damaged. */
        put(&disk, "a/pak_000.vpk", "loa");
        expect(mount, "scripts/sub/one.txt", NULL);
        expect(mount, "scripts/sub/only.txt", "preload");
        assert_int_equal(diag_count_code(disk.diag, DIAG_VPK_DAMAGED), 2);
        put(&disk, "a/pak_000.vpk", "loaf");
        expect(mount, "scripts/sub/one.txt", NULL);
        assert_int_equal(diag_count_code(disk.diag, DIAG_VPK_DAMAGED), 3);
        assert_int_equal(diag_entries(disk.diag), 3);
        mount->ops->free(mount);
        close_disk(&disk);
    }
}

static void damaged_directories_are_refused(void **state)
{
    (void)state;
    struct bytes file = {0}, parts[2] = {{0}};
    struct diag *diag = diag_new(NULL, NULL);
    struct vpk vpk;
    vpk_files_write(1, sample, SAMPLES, &file, parts);
    size_t end = (size_t)vpk_directory_end(&file);
    for (file.size = 0; file.size < end; file.size++)
        assert_int_equal(vpk_decode(&file, NULL, diag, &vpk), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_VPK_BROKEN), end);
    assert_int_equal(vpk_decode(&file, NULL, diag, &vpk), STATUS_OK);
    assert_int_equal(arrlen(vpk.entries), SAMPLES);
    vpk_free(&vpk);
    for (size_t shorter = 1; shorter < end - 12; shorter++) {
        store_u32(ORDER_LITTLE, file.data + 8, (uint32_t)(end - 12 - shorter));
        assert_int_equal(vpk_decode(&file, NULL, diag, &vpk), STATUS_FAILED);
    }
    store_u32(ORDER_LITTLE, file.data + 4, 3);
    assert_int_equal(vpk_decode(&file, NULL, diag, &vpk), STATUS_FAILED);
    for (int i = 0; i < 2; i++)
        bytes_free(&parts[i]);
    bytes_free(&file);
    diag_free(diag);
}

static void expect_asset(struct assets *assets, const char *name, const char *text)
{
    struct bytes bytes = {0};
    assert_true(assets_read(assets, name, &bytes));
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
    bytes_free(&bytes);
}

static void search_paths_mount_archives(void **state)
{
    (void)state;
    static const struct vpk_file named[] = {{"txt", " ", "a", "", "named", 0x7FFF},
                                            {"txt", " ", "b", "", "named", 0x7FFF}};
    static const struct vpk_file pak1[] = {{"txt", " ", "a", "", "pak1", 0x7FFF},
                                           {"txt", " ", "c", "", "pak1", 0x7FFF}};
    static const struct vpk_file pak2[] = {{"txt", " ", "c", "", "pak2", 0x7FFF},
                                           {"txt", " ", "d", "", "pak2", 0x7FFF}};
    static const char *const mounts[] = {"root/mod/Named_dir.vpk", "root/mod/pak01_dir.vpk",
                                         "root/mod/pak02_dir.vpk", "root/mod",
                                         "root/mod/custom/one.vpk"};
    struct disk disk;
    struct assets *assets;
    open_disk(&disk);
    put(&disk, "root/mod/gameinfo.txt",
        "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|named.vpk\n"
        "game |gameinfo_path|.\n game |gameinfo_path|custom/*\n"
        "game |gameinfo_path|broken.vpk } } }");
    put_set(&disk, "root/mod/Named", "_dir.vpk", 1, named, 2);
    put_set(&disk, "root/mod/pak01", "_dir.vpk", 2, pak1, 2);
    put_set(&disk, "root/mod/pak02", "_dir.vpk", 1, pak2, 2);
    put_set(&disk, "root/mod/custom/one", ".vpk", 1, pak2, 2);
    put(&disk, "root/mod/custom/one_000.vpk", "a part of a set");
    put(&disk, "root/mod/broken.vpk", "");
    put(&disk, "root/mod/d.txt", "loose");
    put(&disk, "root/mod/e.txt", "loose");
    const struct assets_options options = {.game = "root/mod"};
    assert_int_equal(assets_open(&disk.env, &options, &assets), STATUS_OK);
    assert_int_equal(assets_mounts(assets), 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(assets_mount(assets, i), mounts[i]);
    expect_asset(assets, "A.TXT", "named");
    expect_asset(assets, "c.txt", "pak1");
    expect_asset(assets, "d.txt", "pak2");
    expect_asset(assets, "e.txt", "loose");
    assert_int_equal(diag_count_code(disk.diag, DIAG_VPK_BROKEN), 1);
    assert_int_equal(diag_entries(disk.diag), 1);
    assets_free(assets);
    close_disk(&disk);
}

#define VPK_DIR SHARED_DIR "/corpus/assets/vpk/"

/* Totals as counted by another reader; `whole`: all archives exist. */
static const struct {
    const char *file;
    int version;
    size_t entries, in_directory, preloaded;
    uint64_t bytes;
    bool whole;
} corpus[] = {
    {"real_pak01_dir.vpk", 1, 5, 5, 0, 78990, true},
    {"real_shared_content_v7_0_dir.vpk", 2, 771, 0, 0, 109445843, false},
    {"v1single.vpk", 1, 84, 84, 1, 98951, true},
    {"v1test_dir.vpk", 1, 84, 18, 1, 98951, true},
    {"v2test_dir.vpk", 2, 84, 18, 30, 98951, true},
};

static void check_contents(const char *path, const struct vpk *vpk, struct diag *diag)
{
    struct mount *mount = mount_vpk(fs_disk(), path, diag);
    assert_non_null(mount);
    for (size_t i = 0; i < arrlenu(vpk->entries); i++) {
        const struct vpk_entry *entry = &vpk->entries[i];
        struct bytes bytes = {0}, name = {0};
        bytes_append_text(&name, "%s%s%s%s%s", entry->folder, *entry->folder ? "/" : "",
                          entry->name, *entry->extension ? "." : "", entry->extension);
        bytes_u8(&name, 0);
        assert_true(mount->ops->read(mount, (const char *)name.data, &bytes));
        assert_int_equal(bytes.size, (size_t)entry->preload_size + entry->length);
        bytes_free(&name);
        bytes_free(&bytes);
    }
    mount->ops->free(mount);
}

static void archives_of_the_corpus_are_read(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    int found = 0;
    for (size_t i = 0; i < sizeof corpus / sizeof *corpus; i++) {
        char path[1024];
        struct bytes file = {0};
        struct vpk vpk;
        size_t in_directory = 0, preloaded = 0;
        uint64_t bytes = 0;
        snprintf(path, sizeof path, VPK_DIR "%s", corpus[i].file);
        if (fs_disk()->ops->read(fs_disk(), path, &file) != 0)
            continue;
        found++;
        assert_int_equal(vpk_decode(&file, NULL, diag, &vpk), STATUS_OK);
        for (size_t j = 0; j < arrlenu(vpk.entries); j++) {
            in_directory += vpk.entries[j].archive == VPK_IN_DIRECTORY;
            preloaded += vpk.entries[j].preload_size > 0;
            bytes += (uint64_t)vpk.entries[j].preload_size + vpk.entries[j].length;
        }
        assert_int_equal(vpk.version, corpus[i].version);
        assert_int_equal(arrlen(vpk.entries), corpus[i].entries);
        assert_int_equal(in_directory, corpus[i].in_directory);
        assert_int_equal(preloaded, corpus[i].preloaded);
        assert_int_equal(bytes, corpus[i].bytes);
        if (corpus[i].whole)
            check_contents(path, &vpk, diag);
        vpk_free(&vpk);
        bytes_free(&file);
    }
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    print_message("%d archives\n", found);
    if (!found)
        skip();
}

SUITE(test_vpk)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_read),
        cmocka_unit_test(damaged_directories_are_refused),
        cmocka_unit_test(search_paths_mount_archives),
        cmocka_unit_test(archives_of_the_corpus_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
