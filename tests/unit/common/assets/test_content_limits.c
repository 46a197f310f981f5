/* The most bytes that are read of a file by its kind (common/io/size_limit.h) hold for members of
 * archives and for standard input as well. */
#include "tests/support/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/mounts/mount.h"
#include "common/core/memory.h"
#include "common/io/size_limit.h"
#include "common/io/stream.h"
#include "common/io/zip.h"
#include "tests/support/vpk_files.h"

static const char name[] = "materials/a.vmt";

/* A text of that size. The caller frees it. */
static char *text_of(size_t size)
{
    char *text = memory_alloc(size + 1);
    memset(text, ' ', size);
    text[size] = 0;
    return text;
}

static void make_zip(size_t size, struct bytes *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct zip_writer writer = {0};
    const struct zip_packing packing = {.method = ZIP_DEFLATED};
    char *text = text_of(size);
    assert_int_equal(zip_add(&writer, name, text, size, &packing, NULL, diag), STATUS_OK);
    assert_int_equal(zip_finish(&writer, NULL, 0, NULL, diag, out), STATUS_OK);
    zip_writer_free(&writer);
    memory_free(text);
    diag_free(diag);
}

/* With the first bytes in the directory. */
static void make_vpk(size_t size, struct bytes *out)
{
    char *preload = text_of(1000), *data = text_of(size - 1000);
    const struct vpk_file file = {"vmt", "materials", "a", preload, data, 0x7FFF};
    vpk_files_write(1, &file, 1, out, NULL);
    memory_free(preload);
    memory_free(data);
}

enum archive_kind { PK3, VPK, PAKFILE };

static struct mount *open_archive(enum archive_kind kind, struct fs *fs, const struct bytes *file,
                                  struct diag *diag)
{
    if (kind == PAKFILE)
        return mount_pakfile(file, "map.bsp", diag);
    assert_int_equal(fs->ops->write(fs, "archive", file->data, file->size), 0);
    return kind == PK3 ? mount_pk3(fs, "archive", diag) : mount_vpk(fs, "archive", diag);
}

static void check_member(enum archive_kind kind, size_t size, bool fits)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct bytes file = {0}, out = {0};
    if (kind == VPK)
        make_vpk(size, &file);
    else
        make_zip(size, &file);
    struct mount *mount = open_archive(kind, fs, &file, diag);
    assert_non_null(mount);
    assert_int_equal(mount->ops->read(mount, name, &out), fits);
    assert_int_equal(out.size, fits ? size : 0);
    assert_int_equal(diag_count(diag, DIAG_ERROR), fits ? 0 : 1);
    mount->ops->free(mount);
    bytes_free(&out);
    bytes_free(&file);
    fs_memory_free(fs);
    diag_free(diag);
}

static void members_are_limited(void **state)
{
    (void)state;
    size_t limit = (size_t)size_limit_of(name);
    for (int kind = PK3; kind <= PAKFILE; kind++) {
        check_member((enum archive_kind)kind, limit, true);
        check_member((enum archive_kind)kind, limit + 1, false);
    }
}

static void streams_are_limited(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 1 << 14, 40000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t more = 0; more < 2; more++) {
            FILE *file = tmpfile();
            struct bytes out = {0};
            char *text = text_of(sizes[i] + more);
            assert_non_null(file);
            assert_int_equal(fwrite(text, 1, sizes[i] + more, file), sizes[i] + more);
            rewind(file);
            assert_int_equal(stream_read(file, sizes[i], &out), more ? EFBIG : 0);
            assert_int_equal(out.size, more ? 0 : sizes[i]);
            bytes_free(&out);
            memory_free(text);
            assert_int_equal(fclose(file), 0);
        }
    }
}

/* A stream has no end: reading stops soon after the limit. */
static void streams_are_not_read_on(void **state)
{
    (void)state;
    FILE *zeros = fopen("/dev/zero", "rb");
    struct bytes out = {0};
    if (!zeros)
        skip();
    assert_int_equal(stream_read(zeros, 100000, &out), EFBIG);
    assert_int_equal(out.size, 0);
    assert_int_equal(fclose(zeros), 0);
}

SUITE(test_content_limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_limited),
        cmocka_unit_test(streams_are_limited),
        cmocka_unit_test(streams_are_not_read_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
