/* Every available Quake 3 map: those of OpenArena if it is installed, and of the corpus. */
#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/verify/verify.h"
#include "common/core/strings.h"
#include "common/diag/codes/verify_quake3.def"
#include "common/io/zip.h"
#include "tests/support/bsp_files.h"

#define OPENARENA "/usr/share/games/openarena"

enum { MAP_MAX = 256 << 20 };

/* Surfaces with fogs that are not in the file: the only map of OpenArena that violates a rule of
 * the engine, and a later archive replaces it. */
static const char *const foggy[] = {"maps/aggressor.bsp"};

static void same_bytes(const struct bytes *a, const unsigned char *data, size_t size)
{
    assert_int_equal(a->size, size);
    if (size)
        assert_memory_equal(a->data, data, size);
}

/* Each lump encoded from the canonical form alone, without the file that the bsp carries. */
static void codecs_give_each_lump(const struct bsp *bsp, const struct bytes *file)
{
    for (int lump = 0; lump < IBSP_LUMPS; lump++) {
        struct bytes out = {0};
        struct record_range_error range_error;
        size_t at = (size_t)bsp->layout.offset[lump];
        assert_int_equal(bsp->carried[lump].data.size, 0);
        assert_true(codec_encode_lump(bsp, bsp->format, lump, at, &out, &range_error));
        same_bytes(&out, file->data + at, (size_t)bsp->layout.length[lump]);
        bytes_free(&out);
    }
}

/* As a new file: the text that q3map2 puts before the lumps is gone, all else is the same. */
static void lumps_survive_another_layout(struct bsp *bsp, const struct bytes *file,
                                         struct diag *diag)
{
    struct bytes out = {0};
    struct bsp *again = NULL;
    int32_t count = bsp->layout.count;
    bsp->layout.count = 0;
    assert_int_equal(bsp_encode(bsp, NULL, "again", diag, &out), STATUS_OK);
    bsp->layout.count = count;
    assert_int_equal(bsp_decode(out.data, out.size, "again", diag, &again), STATUS_OK);
    for (int lump = 0; lump < IBSP_LUMPS; lump++) {
        size_t size = (size_t)bsp->layout.length[lump];
        assert_int_equal(again->layout.length[lump], size);
        assert_int_equal(again->layout.offset[lump] % 4, 0);
        if (size)
            assert_memory_equal(out.data + again->layout.offset[lump],
                                file->data + bsp->layout.offset[lump], size);
    }
    bsp_free(again);
    bytes_free(&out);
}

static bool is_foggy(const char *path)
{
    for (size_t i = 0; i < sizeof foggy / sizeof *foggy; i++)
        if (str_equal_nocase(path, foggy[i]))
            return true;
    return false;
}

static void check_map(void *context, const char *path, const struct bytes *file)
{
    (void)context;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    struct bytes out = {0};
    if (bsp_decode(file->data, file->size, path, diag, &bsp) != STATUS_OK)
        fail_msg("%s: %s", path, diag_entry(diag, 0)->message);
    codecs_give_each_lump(bsp, file);
    assert_int_equal(bsp_encode(bsp, NULL, path, diag, &out), STATUS_OK);
    same_bytes(&out, file->data, file->size);
    lumps_survive_another_layout(bsp, file, diag);
    assert_int_equal(diag_entries(diag), 0);
    enum status status = bsp_verify(bsp, path, diag);
    if (is_foggy(path)) {
        assert_int_equal(diag_count_code(diag, DIAG_IBSP_EFFECT), diag_count(diag, DIAG_ERROR));
    } else if (status != STATUS_OK) {
        for (size_t i = 0; i < diag_entries(diag); i++)
            bsp_print_entry(NULL, diag_entry(diag, i));
        fail_msg("%s has faults", path);
    }
    bytes_free(&out);
    bsp_free(bsp);
    diag_free(diag);
}

static void maps_of_the_corpus_come_back_the_same(void **state)
{
    static const char *const folders[] = {"ibsp", "q3maps"};
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[sizeof SHARED_DIR + 64];
        snprintf(folder, sizeof folder, SHARED_DIR "/corpus/%s", folders[i]);
        if (!bsp_files_visit(folder, check_map, NULL)) {
            print_message("no corpus at %s\n", folder);
            skip();
        }
    }
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && str_equal_nocase(text + length - size, end);
}

static int check_archive(const char *path)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct diag_where where = {.file = path};
    struct bytes file = {0};
    struct zip zip;
    int maps = 0;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    assert_int_equal(zip_read(file.data, file.size, &where, diag, &zip), STATUS_OK);
    for (size_t i = 0; i < arrlenu(zip.members); i++) {
        struct bytes map = {0};
        if (!ends_in(zip.members[i].name, ".bsp"))
            continue;
        assert_int_equal(zip_unpack(&zip.members[i], MAP_MAX, &where, diag, &map), STATUS_OK);
        check_map(NULL, zip.members[i].name, &map);
        bytes_free(&map);
        maps++;
    }
    zip_free(&zip);
    bytes_free(&file);
    diag_free(diag);
    return maps;
}

struct archives {
    const char *folder;
    int depth, maps;
};

static void visit(void *context, const char *name, bool is_directory)
{
    struct archives *archives = context;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", archives->folder, name);
    if (is_directory && archives->depth) {
        struct archives below = {path, archives->depth - 1, 0};
        fs_disk()->ops->list(fs_disk(), path, visit, &below);
        archives->maps += below.maps;
    } else if (!is_directory && ends_in(name, ".pk3")) {
        archives->maps += check_archive(path);
    }
}

static void maps_of_openarena_come_back_the_same(void **state)
{
    (void)state;
    struct archives archives = {OPENARENA, 1, 0};
    fs_disk()->ops->list(fs_disk(), OPENARENA, visit, &archives);
    if (!archives.maps) {
        print_message("skipped: OpenArena is not at %s\n", OPENARENA);
        skip();
    }
    print_message("%d maps of OpenArena\n", archives.maps);
}

SUITE(test_ibsp_corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_of_the_corpus_come_back_the_same),
        cmocka_unit_test(maps_of_openarena_come_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
