#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/core/array.h"
#include "common/diag/codes/zip.def"
#include "common/io/fs.h"
#include "common/io/zip.h"

#define SEEDS MAPS_DIR "/../tests/fuzz/seeds/zip/"

enum { MAX = 1 << 20, CENTRAL = 46, END = 22 };

/* Archives by another program: the contents of their files in text/. */
static struct bytes seed_text(void)
{
    struct bytes text = {0};
    for (int i = 0; i < 40; i++)
        bytes_append_text(&text, "line %d of a text that packs well\n", i);
    return text;
}

static struct bytes seed(const char *name)
{
    char path[1024];
    struct bytes file = {0};
    snprintf(path, sizeof path, "%s%s", SEEDS, name);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    return file;
}

static void put_u16(unsigned char *to, unsigned value)
{
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
}

static void put_u32(unsigned char *to, uint32_t value)
{
    put_u16(to, value & 0xffff);
    put_u16(to + 2, value >> 16);
}

static void add(struct zip_writer *writer, const char *name, const void *data, size_t size,
                const struct zip_packing *packing)
{
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(zip_add(writer, name, data, size, packing, NULL, diag), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

static struct bytes finish(struct zip_writer *writer, const char *comment)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes out = {0};
    assert_int_equal(zip_finish(writer, comment, strlen(comment), NULL, diag, &out), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    return out;
}

/* An archive of one stored file "a.txt" that says "hello". */
static struct bytes small(void)
{
    const struct zip_packing packing = {.method = ZIP_STORED, .version_needed = 10};
    struct zip_writer writer = {0};
    add(&writer, "a.txt", "hello", 5, &packing);
    return finish(&writer, "");
}

enum { SMALL_CENTRAL = 30 + 5 + 5, SMALL_END = SMALL_CENTRAL + CENTRAL + 5 };

static struct zip read_whole(const struct bytes *file)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct zip zip;
    assert_int_equal(zip_read(file->data, file->size, NULL, diag, &zip), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    return zip;
}

static void is_damaged(const struct bytes *file)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct zip zip;
    assert_int_equal(zip_read(file->data, file->size, NULL, diag, &zip), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_ZIP_DAMAGED), 1);
    zip_free(&zip);
    diag_free(diag);
}

static void unpacks_to(const struct zip_member *member, const void *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes out = {0};
    bytes_append(&out, "before", 6);
    assert_int_equal(zip_unpack(member, size, NULL, diag, &out), STATUS_OK);
    assert_int_equal(out.size, 6 + size);
    assert_memory_equal(out.data, "before", 6);
    if (size)
        assert_memory_equal(out.data + 6, data, size);
    bytes_free(&out);
    diag_free(diag);
}

static void is_refused(const struct zip_member *member, uint64_t max, int code)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes out = {0};
    assert_int_equal(zip_unpack(member, max, NULL, diag, &out), STATUS_FAILED);
    assert_int_equal(diag_entries(diag), 1);
    assert_int_equal(diag_count_code(diag, code), 1);
    assert_int_equal(out.size, 0);
    bytes_free(&out);
    diag_free(diag);
}

static void does_not_unpack(const struct zip_member *member)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes out = {0};
    assert_int_equal(zip_unpack(member, MAX, NULL, diag, &out), STATUS_FAILED);
    assert_int_equal(diag_entries(diag), 1);
    assert_int_equal(out.size, 0);
    bytes_free(&out);
    diag_free(diag);
}

static void written_archive_reads_back(void **state)
{
    (void)state;
    static const uint16_t methods[] = {ZIP_STORED, ZIP_DEFLATED, ZIP_LZMA};
    struct bytes text = seed_text();
    struct zip_writer writer = {0};
    for (size_t i = 0; i < 3; i++) {
        struct zip_packing packing = {.method = methods[i],
                                      .flags = ZIP_UTF8,
                                      .made_by = 20,
                                      .version_needed = 63,
                                      .time = 0x58b6a123};
        char name[] = {'0', (char)('a' + i), '\0'};
        add(&writer, name, text.data, text.size, &packing);
        name[0] = '1';
        add(&writer, name, NULL, 0, &packing);
    }
    struct bytes file = finish(&writer, "comment");
    struct zip zip = read_whole(&file);
    assert_int_equal(arrlen(zip.members), 6);
    assert_false(zip.zip64);
    assert_int_equal(zip.comment.size, 7);
    for (size_t i = 0; i < 6; i++) {
        const struct zip_member *member = &zip.members[i];
        assert_int_equal(member->method, methods[i / 2]);
        assert_int_equal(member->flags, ZIP_UTF8);
        assert_int_equal(member->local_flags, ZIP_UTF8);
        assert_int_equal(member->made_by, 20);
        assert_int_equal(member->version_needed, 63);
        assert_int_equal(member->time, 0x58b6a123);
        assert_false(member->zip64);
        assert_true(i < 2 || i % 2 || member->packed_size < text.size / 4);
        unpacks_to(member, text.data, i % 2 ? 0 : text.size);
    }
    zip_free(&zip);
    bytes_free(&file);
    bytes_free(&text);
}

static void empty_archive_reads_back(void **state)
{
    (void)state;
    struct zip_writer writer = {0};
    struct bytes file = finish(&writer, "");
    assert_int_equal(file.size, END);
    struct zip zip = read_whole(&file);
    assert_int_equal(arrlen(zip.members), 0);
    zip_free(&zip);
    bytes_free(&file);
}

static void stored_data_are_aligned(void **state)
{
    (void)state;
    struct zip_packing packing = {.method = ZIP_STORED};
    struct zip_writer writer = {0};
    static const size_t alignments[] = {0, 4, 4, 16, 512, 4, 2048, 32768, 1};
    enum { FILES = sizeof alignments / sizeof *alignments };
    char name[FILES + 1] = {0};
    for (size_t i = 0; i < FILES; i++) {
        name[i] = 'n';
        packing.alignment = alignments[i];
        add(&writer, name, "hello", 5, &packing);
    }
    struct bytes file = finish(&writer, "");
    struct zip zip = read_whole(&file);
    for (size_t i = 0; i < FILES; i++) {
        size_t at = (size_t)(zip.members[i].packed - file.data);
        assert_int_equal(alignments[i] ? at % alignments[i] : 0, 0);
        assert_true(zip.members[i].local_extra.size < alignments[i] + 6);
        unpacks_to(&zip.members[i], "hello", 5);
    }
    zip_free(&zip);
    bytes_free(&file);
}

/* Archives of consoles pad their directory to a sector, and its entries have the length of extra
 * fields that only the local headers contain. */
static void directory_of_a_console_is_read(void **state)
{
    (void)state;
    const struct zip_packing packing = {.method = ZIP_STORED, .alignment = 2048};
    struct zip_writer writer = {0};
    add(&writer, "a.txt", "hello", 5, &packing);
    add(&writer, "b/c.txt", "hello", 5, &packing);
    struct bytes file = finish(&writer, "XZP2 2048"), sector = {0};
    size_t end = file.size - 22 - 9;
    size_t directory = load_u32(file.data + end + 16), size = load_u32(file.data + end + 12);
    bytes_append(&sector, file.data, directory);
    for (size_t at = directory; at < end;) {
        size_t name = load_u16(file.data + at + 28), extra = load_u16(file.data + at + 30);
        bytes_append(&sector, file.data + at, 46 + name);
        put_u16(sector.data + sector.size - name - 46 + 30, 1997);
        at += 46 + name + extra;
    }
    bytes_fill(&sector, 0, 2048 - (sector.size - directory));
    bytes_append(&sector, file.data + end, file.size - end);
    put_u32(sector.data + directory + 2048 + 12, 2048);
    assert_true(size < 2048);
    struct zip zip = read_whole(&sector);
    assert_int_equal(arrlen(zip.members), 2);
    assert_string_equal(zip.members[1].name, "b/c.txt");
    unpacks_to(&zip.members[1], "hello", 5);
    zip_free(&zip);
    bytes_free(&file);
    bytes_free(&sector);
}

static struct bytes copy_of(const struct zip *zip)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct zip_writer writer = {0};
    struct bytes out = {0};
    for (size_t i = 0; i < arrlenu(zip->members); i++)
        assert_int_equal(zip_copy(&writer, &zip->members[i], NULL, diag), STATUS_OK);
    assert_int_equal(zip_finish(&writer, zip->comment.data, zip->comment.size, NULL, diag, &out),
                     STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    return out;
}

static void texts_unpack(const struct zip *zip)
{
    struct bytes text = seed_text();
    static const char *const names[] = {"text/stored.txt", "Text\\DEFLATED.txt", "text/lzma.txt"};
    for (size_t i = 0; i < 3; i++) {
        const struct zip_member *member = zip_find(zip, names[i]);
        assert_non_null(member);
        unpacks_to(member, text.data, text.size);
    }
    bytes_free(&text);
}

/* Plain; with data descriptors; with bytes before and after; with zip64 fields. */
static void foreign_archives_read_and_copy(void **state)
{
    (void)state;
    static const char *const names[] = {"plain.zip", "streamed.zip", "around.zip", "zip64.zip"};
    for (size_t i = 0; i < 4; i++) {
        struct bytes file = seed(names[i]);
        struct zip zip = read_whole(&file);
        texts_unpack(&zip);
        struct bytes copied = copy_of(&zip);
        struct zip again = read_whole(&copied);
        texts_unpack(&again);
        assert_int_equal(arrlen(again.members), arrlen(zip.members));
        assert_int_equal(again.comment.size, zip.comment.size);
        for (size_t k = 0; k < arrlenu(zip.members); k++) {
            assert_int_equal(zip.members[k].zip64, i == 3 && zip.members[k].size > 0);
            assert_false(again.members[k].zip64);
            assert_int_equal(again.members[k].flags,
                             zip.members[k].flags & (unsigned)~ZIP_DESCRIPTOR);
            assert_int_equal(again.members[k].time, zip.members[k].time);
            assert_int_equal(again.members[k].external_attributes, 0100644u << 16);
        }
        zip_free(&again);
        zip_free(&zip);
        bytes_free(&copied);
        bytes_free(&file);
    }
}

static void copy_of_a_plain_archive_has_its_bytes(void **state)
{
    (void)state;
    struct bytes file = seed("plain.zip");
    struct zip zip = read_whole(&file);
    struct bytes copied = copy_of(&zip);
    assert_int_equal(zip.members[1].comment.size, 13);
    assert_int_equal(zip.members[1].extra.size, 8);
    assert_int_equal(zip.members[1].local_extra.size, 8);
    assert_int_equal(copied.size, file.size);
    assert_memory_equal(copied.data, file.data, file.size);
    zip_free(&zip);
    bytes_free(&copied);
    bytes_free(&file);
}

static void wide_numbers_are_read(void **state)
{
    (void)state;
    struct bytes file = seed("wide.zip");
    struct zip zip = read_whole(&file);
    assert_true(zip.zip64);
    assert_int_equal(arrlen(zip.members), 1);
    assert_true(zip.members[0].zip64);
    unpacks_to(&zip.members[0], "wide numbers", 12);
    zip_free(&zip);
    bytes_free(&file);
}

/* From a block of the exact size, so that a sanitizer detects a read past the end. */
static void read_and_unpack(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    struct diag *diag = diag_new(NULL, NULL);
    struct zip zip;
    if (zip_read(copy, size, NULL, diag, &zip) == STATUS_OK)
        for (size_t i = 0; i < arrlenu(zip.members); i++) {
            struct bytes out = {0};
            if (zip_unpack(&zip.members[i], MAX, NULL, diag, &out) == STATUS_OK)
                assert_int_equal(out.size, zip.members[i].size);
            bytes_free(&out);
        }
    else
        assert_int_equal(diag_count_code(diag, DIAG_ZIP_DAMAGED), 1);
    zip_free(&zip);
    diag_free(diag);
    free(copy);
}

static void any_cut_and_flip_is_survived(void **state)
{
    (void)state;
    static const char *const names[] = {"plain.zip", "streamed.zip", "zip64.zip", "wide.zip"};
    for (size_t i = 0; i < 4; i++) {
        struct bytes file = seed(names[i]);
        for (size_t cut = 0; cut < file.size; cut++) {
            struct bytes head = {.data = file.data, .size = cut, .capacity = cut};
            is_damaged(&head);
            read_and_unpack(file.data, cut);
            read_and_unpack(file.data + cut, file.size - cut);
        }
        for (size_t at = 0; at < file.size; at++) {
            static const unsigned char masks[] = {1, 0x80, 0xff};
            for (size_t k = 0; k < 3; k++) {
                file.data[at] ^= masks[k];
                read_and_unpack(file.data, file.size);
                file.data[at] ^= masks[k];
            }
        }
        bytes_free(&file);
    }
}

/* The directory and the end record of small(), damaged one number at a time. */
static void damaged_directory_is_told(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        unsigned value;
    } cases[] = {
        {SMALL_END + 4, 1},                      /* number of this part */
        {SMALL_END + 8, 0},                      /* files in this part */
        {SMALL_END + 12, CENTRAL + 4},           /* size of the directory */
        {SMALL_END + 12, CENTRAL + 6},           /* into the preceding file */
        {SMALL_END + 16, SMALL_CENTRAL + 1},     /* its offset */
        {SMALL_CENTRAL + 10, ZIP_DEFLATED},      /* method, unlike the local one */
        {SMALL_CENTRAL + 20, 6},                 /* packed size, into the directory */
        {SMALL_CENTRAL + 22, 1},                 /* its upper half */
        {SMALL_CENTRAL + 28, 4},                 /* length of the name */
        {SMALL_CENTRAL + 30, 1},                 /* of the extra field */
        {SMALL_CENTRAL + 32, 65535},             /* of the comment */
        {SMALL_CENTRAL + 42, 1},                 /* offset of the local header */
        {SMALL_CENTRAL + 42, SMALL_CENTRAL},     /* in the directory */
        {SMALL_CENTRAL + 44, 0x8000},            /* far after the end */
        {SMALL_CENTRAL + CENTRAL, 'a'},          /* a name with a zero byte */
        {SMALL_CENTRAL + CENTRAL, 'b' | 0x2e00}, /* another name */
        {26, 6},                                 /* length of the local name */
        {28, 6},                                 /* of the local extra field */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes file = small();
        put_u16(file.data + cases[i].at, cases[i].value);
        is_damaged(&file);
        bytes_free(&file);
    }
}

/* The end record counts one more, or one fewer, than there are. */
static void count_must_be_right(void **state)
{
    (void)state;
    for (unsigned count = 0; count < 5; count++) {
        const struct zip_packing packing = {.method = ZIP_STORED};
        struct zip_writer writer = {0};
        add(&writer, "a", "a", 1, &packing);
        add(&writer, "b", "b", 1, &packing);
        struct bytes file = finish(&writer, "");
        put_u16(file.data + file.size - END + 8, count);
        put_u16(file.data + file.size - END + 10, count);
        if (count != 2)
            is_damaged(&file);
        bytes_free(&file);
    }
}

static void files_must_not_share_bytes(void **state)
{
    (void)state;
    const struct zip_packing packing = {.method = ZIP_STORED};
    struct zip_writer writer = {0};
    struct bytes data = small(), file;
    add(&writer, "outer", data.data, data.size, &packing);
    add(&writer, "a.txt", "hello", 5, &packing);
    file = finish(&writer, "");
    struct zip zip = read_whole(&file);
    zip_free(&zip);
    unsigned char *second = file.data + file.size - END - CENTRAL - 5;
    put_u32(second + 42, 30 + 5); /* the header in the first one's data */
    is_damaged(&file);
    bytes_free(&data);
    bytes_free(&file);
}

/* 60000 entries for the same megabyte: refused before it costs more than the directory. */
static void many_names_of_one_span_cost_little(void **state)
{
    (void)state;
    enum { ENTRIES = 60000, DATA = 1 << 20 };
    struct bytes data = {0}, entry = {0};
    bytes_fill(&data, 'x', DATA);
    const struct zip_packing packing = {.method = ZIP_STORED};
    struct zip_writer writer = {0};
    add(&writer, "a.txt", data.data, data.size, &packing);
    bytes_append(&entry, writer.directory.data, writer.directory.size);
    for (int i = 1; i < ENTRIES; i++)
        bytes_append(&writer.directory, entry.data, entry.size);
    writer.count = ENTRIES;
    struct bytes file = finish(&writer, "");
    clock_t begin = clock();
    is_damaged(&file);
    assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
    bytes_free(&data);
    bytes_free(&entry);
    bytes_free(&file);
}

static void bombs_are_refused(void **state)
{
    (void)state;
    static const uint16_t methods[] = {ZIP_DEFLATED, ZIP_LZMA};
    enum { DATA = 10 << 20 };
    struct bytes data = {0};
    bytes_fill(&data, 0, DATA);
    for (size_t i = 0; i < 2; i++) {
        struct zip_packing packing = {.method = methods[i]};
        struct zip_writer writer = {0};
        add(&writer, "zeros", data.data, data.size, &packing);
        struct bytes file = finish(&writer, "");
        struct zip zip = read_whole(&file);
        struct zip_member *member = &zip.members[0];
        assert_true(member->packed_size < DATA / 1000);
        unpacks_to(member, data.data, data.size);
        is_refused(member, DATA - 1, DIAG_ZIP_BOMB);
        member->size = DATA - 1;
        is_refused(member, MAX, DIAG_ZIP_BOMB);
        is_refused(member, DATA, i ? DIAG_ZIP_DAMAGED : DIAG_ZIP_BOMB);
        member->size = 10;
        is_refused(member, DATA, i ? DIAG_ZIP_DAMAGED : DIAG_ZIP_BOMB);
        member->size = DATA + 1;
        is_refused(member, UINT64_MAX, DIAG_ZIP_DAMAGED);
        member->size = UINT64_MAX;
        is_refused(member, UINT64_MAX, DIAG_ZIP_DAMAGED);
        zip_free(&zip);
        bytes_free(&file);
    }
    bytes_free(&data);
}

static void damaged_data_are_told(void **state)
{
    (void)state;
    struct bytes file = seed("plain.zip");
    for (size_t i = 0; i < 3; i++) {
        struct zip zip = read_whole(&file);
        struct zip_member *member = &zip.members[i];
        unsigned char *middle = file.data + (member->packed - file.data) + member->packed_size / 2;
        *middle ^= 0x10;
        does_not_unpack(member);
        *middle ^= 0x10;
        member->crc ^= 1;
        is_refused(member, MAX, DIAG_ZIP_DAMAGED);
        member->crc ^= 1;
        member->packed_size -= 9;
        is_refused(member, MAX, DIAG_ZIP_DAMAGED);
        member->packed_size = 0;
        is_refused(member, MAX, DIAG_ZIP_DAMAGED);
        zip_free(&zip);
    }
    bytes_free(&file);
}

static void unknown_packing_is_told(void **state)
{
    (void)state;
    struct bytes file = small();
    put_u16(file.data + 8, 99);
    put_u16(file.data + SMALL_CENTRAL + 10, 99);
    struct zip zip = read_whole(&file);
    is_refused(&zip.members[0], MAX, DIAG_ZIP_METHOD);
    zip_free(&zip);
    bytes_free(&file);
    for (int i = 0; i < 2; i++) { /* in either header */
        file = small();
        file.data[i ? 6 : SMALL_CENTRAL + 8] |= ZIP_ENCRYPTED;
        zip = read_whole(&file);
        is_refused(&zip.members[0], MAX, DIAG_ZIP_METHOD);
        zip_free(&zip);
        bytes_free(&file);
    }
    struct diag *diag = diag_new(NULL, NULL);
    struct zip_writer writer = {0};
    const struct zip_packing packing = {.method = 12};
    assert_int_equal(zip_add(&writer, "a", "a", 1, &packing, NULL, diag), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_ZIP_METHOD), 1);
    diag_free(diag);
    zip_writer_free(&writer);
}

static void limits_are_told(void **state)
{
    (void)state;
    struct zip_packing packing = {.method = ZIP_STORED};
    struct zip_writer writer = {0};
    struct bytes text = {0}, out = {0};
    struct diag *diag = diag_new(NULL, NULL);
    bytes_fill(&text, 'n', 65536);
    bytes_u8(&text, 0);
    const char *name = (const char *)text.data;
    assert_int_equal(zip_add(&writer, name, "", 0, &packing, NULL, diag), STATUS_FAILED);
    add(&writer, name + 1, "", 0, &packing);
    packing.alignment = 65536;
    assert_int_equal(zip_add(&writer, "a", "", 0, &packing, NULL, diag), STATUS_FAILED);
    packing.alignment = 0;
    for (int i = 1; i < 65535; i++)
        assert_int_equal(zip_add(&writer, "a", "", 0, &packing, NULL, diag), STATUS_OK);
    assert_int_equal(zip_add(&writer, "a", "", 0, &packing, NULL, diag), STATUS_FAILED);
    assert_int_equal(zip_finish(&writer, name, 65536, NULL, diag, &out), STATUS_FAILED);
    assert_int_equal(out.size, 0);
    assert_int_equal(diag_count_code(diag, DIAG_ZIP_LIMIT), 4);
    assert_int_equal(zip_finish(&writer, name, 65535, NULL, diag, &out), STATUS_OK);
    struct zip zip = read_whole(&out);
    assert_int_equal(arrlen(zip.members), 65535);
    assert_int_equal(strlen(zip.members[0].name), 65535);
    assert_int_equal(zip.comment.size, 65535);
    zip_free(&zip);
    bytes_free(&text);
    bytes_free(&out);
    diag_free(diag);
}

static void last_of_equal_names_is_found(void **state)
{
    (void)state;
    const struct zip_packing packing = {.method = ZIP_STORED};
    struct zip_writer writer = {0};
    add(&writer, "folder/One.txt", "1", 1, &packing);
    add(&writer, "FOLDER\\one.TXT", "2", 1, &packing);
    add(&writer, "folder/one.tx", "3", 1, &packing);
    struct bytes file = finish(&writer, "");
    struct zip zip = read_whole(&file);
    assert_ptr_equal(zip_find(&zip, "folder/one.txt"), &zip.members[1]);
    assert_ptr_equal(zip_find(&zip, "folder\\ONE.tx"), &zip.members[2]);
    assert_null(zip_find(&zip, "folder/one.txt2"));
    assert_null(zip_find(&zip, ""));
    zip_free(&zip);
    bytes_free(&file);
}

static void names_that_the_engine_takes_for_one_are_equal(void **state)
{
    (void)state;
    static const char *const names[] = {"Folder/One.txt", "FOLDER\\one.TXT", "folder/one.tx", ""};
    assert_true(zip_name_equal(names[0], names[1]));
    assert_int_equal(zip_name_hash(names[0]), zip_name_hash(names[1]));
    assert_false(zip_name_equal(names[1], names[2]));
    assert_false(zip_name_equal(names[2], names[1]));
    assert_false(zip_name_equal(names[2], names[3]));
    assert_true(zip_name_equal(names[3], ""));
}

static void unsafe_names_are_known(void **state)
{
    (void)state;
    static const char *const safe[] = {"a",       "a/b.txt", "a/",       "..a", "a..",  "a/...",
                                       ".hidden", "a/.b/",   "\xc3\xa4", "a b", "a/..b"};
    static const char *const unsafe[] = {"",       "/",    "/a",    "..",     "../a",  "a/..",
                                         "a/../b", ".",    "./a",   "a/.",    "a/./b", "a//b",
                                         "a//",    "a\\b", "..\\a", "c:/a",   "a/c:b", "a\nb",
                                         "\x7f",   "../",  "a/../", "\x1b[2J"};
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
        assert_true(zip_name_is_safe(safe[i]));
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        assert_false(zip_name_is_safe(unsafe[i]));
}

/* Callers return at once when a reader fails. */
static void damaged_members_leave_no_memory(void **state)
{
    (void)state;
    static const unsigned char stored[] = "contents", broken[] = {0x07, 1, 2, 3, 4, 5, 6, 7};
    const struct zip_member members[] = {
        {.name = "a", .method = ZIP_STORED, .size = 8, .packed = stored, .packed_size = 8},
        {.name = "b", .method = ZIP_DEFLATED, .size = 8, .packed = broken, .packed_size = 8},
        {.name = "c", .method = ZIP_LZMA, .size = 99, .packed = broken, .packed_size = 8}};
    struct diag *diag = diag_new(NULL, NULL);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct bytes out = {.order = ORDER_BIG};
        assert_int_equal(zip_unpack(&members[i], 1000, NULL, diag, &out), STATUS_FAILED);
        assert_null(out.data);
        assert_int_equal(out.order, ORDER_BIG);
        bytes_append(&out, "kept", 4);
        assert_int_equal(zip_unpack(&members[i], 1000, NULL, diag, &out), STATUS_FAILED);
        assert_int_equal(out.size, 4);
        assert_memory_equal(out.data, "kept", 4);
        bytes_free(&out);
    }
    diag_free(diag);
}

SUITE(test_zip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_members_leave_no_memory),
        cmocka_unit_test(written_archive_reads_back),
        cmocka_unit_test(empty_archive_reads_back),
        cmocka_unit_test(stored_data_are_aligned),
        cmocka_unit_test(directory_of_a_console_is_read),
        cmocka_unit_test(foreign_archives_read_and_copy),
        cmocka_unit_test(copy_of_a_plain_archive_has_its_bytes),
        cmocka_unit_test(wide_numbers_are_read),
        cmocka_unit_test(any_cut_and_flip_is_survived),
        cmocka_unit_test(damaged_directory_is_told),
        cmocka_unit_test(count_must_be_right),
        cmocka_unit_test(files_must_not_share_bytes),
        cmocka_unit_test(many_names_of_one_span_cost_little),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(damaged_data_are_told),
        cmocka_unit_test(unknown_packing_is_told),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(last_of_equal_names_is_found),
        cmocka_unit_test(names_that_the_engine_takes_for_one_are_equal),
        cmocka_unit_test(unsafe_names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
