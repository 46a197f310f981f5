#include "tests/support/suite.h"

#include "common/bsp/lumps/pakfile.h"
#include "common/diag/codes/zip.def"
#include "tests/support/bsp_files.h"

static void encode(const struct pakfile *pakfile, enum zip_method method, struct bytes *out)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    assert_int_equal(pakfile_encode(pakfile, method, NULL, diag, out), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static void decode(const struct bytes *lump, struct pakfile *out)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    assert_int_equal(pakfile_decode(lump, NULL, diag, out), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static void holds(const struct pakfile *pakfile, const char *name, const char *text)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes out = {0};
    const struct pakfile_file *file = pakfile_find(pakfile, name);
    assert_non_null(file);
    assert_int_equal(pakfile_extract(file, NULL, diag, &out), STATUS_OK);
    assert_int_equal(out.size, strlen(text));
    if (out.size)
        assert_memory_equal(out.data, text, out.size);
    bytes_free(&out);
    diag_free(diag);
}

/* The output of Valve's tools for one file, byte for byte: the form of the archives in compiled
 * maps. */
static void test_one_file(void **state)
{
    (void)state;
    struct pakfile pakfile = {0};
    struct bytes out = {0};
    bytes_append(&out, "before", 6); /* offsets count from the archive's own start */
    pakfile_put(&pakfile, "a\\b.txt", "123456789", 9);
    encode(&pakfile, ZIP_STORED, &out);
    static const unsigned char local[] = {
        'P',  'K',  3,   4,   10,  0,   0,   0,   0,   0,   0,   0,   0,   0,  0x26, 0x39,
        0xf4, 0xcb, 9,   0,   0,   0,   9,   0,   0,   0,   7,   0,   0,   0,  'a',  '/',
        'b',  '.',  't', 'x', 't', '1', '2', '3', '4', '5', '6', '7', '8', '9'};
    static const unsigned char central[] = {
        'P',  'K',  1, 2, 20, 0, 10, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0x26, 0x39,
        0xf4, 0xcb, 9, 0, 0,  0, 9,  0, 0, 0, 7,   0,   0,   0,   0,   0,   0,    0,
        0,    0,    0, 0, 0,  0, 0,  0, 0, 0, 'a', '/', 'b', '.', 't', 'x', 't'};
    static const unsigned char end[] = {'P', 'K', 5, 6, 0, 0,  0, 0, 1, 0,  1,
                                        0,   53,  0, 0, 0, 46, 0, 0, 0, 32, 0};
    assert_int_equal(out.size, 6 + sizeof local + sizeof central + sizeof end + 32);
    const unsigned char *at = out.data + 6;
    assert_memory_equal(at, local, sizeof local);
    assert_memory_equal(at + sizeof local, central, sizeof central);
    at += sizeof local + sizeof central;
    assert_memory_equal(at, end, sizeof end);
    assert_string_equal((const char *)at + sizeof end, "XZP1 0");
    bytes_free(&out);
    pakfile_free(&pakfile);
}

static void test_same_name_is_replaced(void **state)
{
    (void)state;
    struct pakfile pakfile = {0};
    pakfile_put(&pakfile, "materials/a.vmt", "old", 3);
    pakfile_put(&pakfile, "materials/b.vmt", "", 0);
    pakfile_put(&pakfile, "Materials\\A.VMT", "newer", 5);
    struct bytes out = {0};
    encode(&pakfile, ZIP_STORED, &out);
    size_t records = 2 * (30 + 46 + 2 * 15);
    assert_int_equal(out.size, records + 5 + 22 + 32);
    assert_memory_equal(out.data + 30 + 15, "newer", 5);
    bytes_free(&out);
    pakfile_free(&pakfile);
}

static void test_empty(void **state)
{
    (void)state;
    struct pakfile pakfile = {0}, again;
    struct bytes out = {0}, nothing = {0};
    decode(&nothing, &pakfile);
    assert_null(pakfile_find(&pakfile, "a"));
    assert_false(pakfile_remove(&pakfile, "a"));
    encode(&pakfile, ZIP_STORED, &out);
    assert_int_equal(out.size, 54);
    assert_memory_equal(out.data, "PK\5\6", 4);
    decode(&out, &again);
    assert_int_equal(arrlen(again.files), 0);
    pakfile_free(&again);
    pakfile_free(&pakfile);
    bytes_free(&out);
}

static void add(struct zip_writer *writer, const char *name, const char *text, uint16_t method)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct zip_packing packing = {
        .method = method, .made_by = 788, .version_needed = 20, .time = 0x58b6a123};
    assert_int_equal(zip_add(writer, name, text, strlen(text), &packing, NULL, diag), STATUS_OK);
    diag_free(diag);
}

/* An archive as another tool may have written it. */
static struct bytes foreign(void)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct zip_writer writer = {0};
    struct bytes out = {0};
    add(&writer, "One.txt", "one one one one one one one one one", ZIP_DEFLATED);
    add(&writer, "maps\\Two.txt", "first two", ZIP_STORED);
    add(&writer, "three.txt", "three three three three three three", ZIP_LZMA);
    add(&writer, "MAPS/two.TXT", "second two", ZIP_STORED);
    assert_int_equal(zip_finish(&writer, "theirs", 6, NULL, diag, &out), STATUS_OK);
    diag_free(diag);
    return out;
}

static void test_unchanged_archive_keeps_its_bytes(void **state)
{
    (void)state;
    struct bytes lump = foreign(), out = {0};
    struct pakfile pakfile;
    decode(&lump, &pakfile);
    holds(&pakfile, "one.TXT", "one one one one one one one one one");
    holds(&pakfile, "three.txt", "three three three three three three");
    holds(&pakfile, "maps/two.txt", "second two");
    assert_null(pakfile_find(&pakfile, "two.txt"));
    encode(&pakfile, ZIP_LZMA, &out);
    assert_int_equal(out.size, lump.size);
    assert_memory_equal(out.data, lump.data, lump.size);
    pakfile_free(&pakfile);
    bytes_free(&lump);
    bytes_free(&out);
}

static void test_changes_leave_the_others_alone(void **state)
{
    (void)state;
    struct bytes lump = foreign(), out = {0};
    struct pakfile pakfile, again;
    decode(&lump, &pakfile);
    pakfile_put(&pakfile, "maps/two.txt", "third two", 9);
    pakfile_put(&pakfile, "new.txt", "new new new new new", 19);
    assert_true(pakfile_remove(&pakfile, "ONE.txt"));
    assert_false(pakfile_remove(&pakfile, "one.txt"));
    encode(&pakfile, ZIP_LZMA, &out);
    decode(&out, &again);
    assert_int_equal(arrlen(again.files), 3);
    assert_string_equal(again.files[0].name, "three.txt");
    assert_int_equal(again.files[0].member->time, 0x58b6a123);
    holds(&again, "three.txt", "three three three three three three");
    assert_string_equal(again.files[1].name, "maps/two.txt");
    holds(&again, "maps/two.txt", "third two");
    holds(&again, "new.txt", "new new new new new");
    assert_int_equal(again.files[2].member->method, ZIP_LZMA);
    assert_int_equal(again.files[2].member->version_needed, 63);
    assert_int_equal(again.files[2].member->made_by, 20);
    assert_int_equal(again.files[2].member->time, 0);
    assert_int_equal(again.zip.comment.size, 6);
    pakfile_free(&again);
    pakfile_free(&pakfile);
    bytes_free(&lump);
    bytes_free(&out);
}

static void test_remove_takes_all_of_the_name(void **state)
{
    (void)state;
    struct bytes lump = foreign();
    struct pakfile pakfile;
    decode(&lump, &pakfile);
    assert_true(pakfile_remove(&pakfile, "maps/two.txt"));
    assert_int_equal(arrlen(pakfile.files), 2);
    assert_null(pakfile_find(&pakfile, "maps\\two.txt"));
    pakfile_free(&pakfile);
    bytes_free(&lump);
}

static void test_damage_is_told(void **state)
{
    (void)state;
    struct bytes lump = foreign();
    struct diag *diag = diag_new(NULL, NULL);
    struct pakfile pakfile;
    lump.size -= 10;
    assert_int_equal(pakfile_decode(&lump, NULL, diag, &pakfile), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_ZIP_DAMAGED), 1);
    assert_null(pakfile.files);
    diag_free(diag);
    bytes_free(&lump);
}

static void test_name_too_long_is_told(void **state)
{
    (void)state;
    struct pakfile pakfile = {0};
    struct bytes name = {0}, out = {0};
    struct diag *diag = diag_new(NULL, NULL);
    bytes_fill(&name, 'a', 65536);
    bytes_u8(&name, 0);
    pakfile_put(&pakfile, (const char *)name.data, "", 0);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, diag, &out), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_ZIP_LIMIT), 1);
    assert_int_equal(out.size, 0);
    diag_free(diag);
    bytes_free(&name);
    pakfile_free(&pakfile);
}

/* The pakfile of a map gives the same bytes, and each of its files unpacks. The map's version need
 * not be supported: the lump directory has not moved, except in branches that order its numbers
 * differently. */
static void corpus_file(void *context, const char *path, const struct bytes *file)
{
    enum { ENTRY = 8 + 16 * LUMP_PAKFILE };
    int *found = context;
    if (file->size < ENTRY + 16 || memcmp(file->data, "VBSP", 4) != 0)
        return;
    size_t at = load_u32(file->data + ENTRY), size = load_u32(file->data + ENTRY + 4);
    if (at > file->size || size > file->size - at || size < 4 || file->data[at] != 'P')
        return;
    struct bytes lump = {.data = file->data + at, .size = size, .capacity = size}, out = {0};
    struct pakfile pakfile;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    print_message("%s\n", path);
    decode(&lump, &pakfile);
    for (size_t i = 0; i < arrlenu(pakfile.files); i++) {
        struct bytes data = {0};
        assert_int_equal(pakfile_extract(&pakfile.files[i], NULL, diag, &data), STATUS_OK);
        bytes_free(&data);
    }
    encode(&pakfile, ZIP_STORED, &out);
    assert_int_equal(out.size, lump.size);
    assert_memory_equal(out.data, lump.data, lump.size);
    pakfile_free(&pakfile);
    bytes_free(&out);
    diag_free(diag);
    ++*found;
}

static void test_corpus_comes_back_the_same(void **state)
{
    (void)state;
    int found = 0;
    bsp_files_visit(SHARED_DIR "/corpus/vbsp", corpus_file, &found);
    for (int i = 0; i < BSP_CORPUS; i++)
        bsp_files_visit(bsp_corpus[i], corpus_file, &found);
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
}

SUITE(test_pakfile)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_file),
        cmocka_unit_test(test_same_name_is_replaced),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_unchanged_archive_keeps_its_bytes),
        cmocka_unit_test(test_changes_leave_the_others_alone),
        cmocka_unit_test(test_remove_takes_all_of_the_name),
        cmocka_unit_test(test_damage_is_told),
        cmocka_unit_test(test_name_too_long_is_told),
        cmocka_unit_test(test_corpus_comes_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
