#include "tests/support/suite.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/core/status.h"
#include "common/diag/codes/lzma.def"
#include "common/io/fs.h"
#include "common/io/lzma.h"

enum { UNITS = 3000 };

/* Older versions write an end mark after the data, which no reader uses. */
#ifdef LZMA_FILTER_LZMA1EXT
enum { TELLS_THE_END = 1 };
#else
enum { TELLS_THE_END = 0 };
#endif

/* Text that packs well, so that it has matches of all kinds. */
static struct bytes sample(size_t size)
{
    struct bytes data = {0};
    for (uint64_t i = 0; data.size < size; i++)
        bytes_append_text(&data, "line %d, ", (int)(hash_pair(size, i) % UNITS));
    data.size = size;
    return data;
}

static struct bytes noise(size_t size)
{
    struct bytes data = {0};
    for (uint64_t i = 0; i < size; i++)
        bytes_u8(&data, (uint8_t)hash_pair(size, i));
    return data;
}

/* Unpacks from a block of the exact size, so that a sanitizer detects a read past the end. */
static bool unpack(const unsigned char *properties, const unsigned char *packed, size_t packed_size,
                   size_t size, struct bytes *out)
{
    unsigned char *copy = malloc(packed_size ? packed_size : 1);
    assert_non_null(copy);
    if (packed_size)
        memcpy(copy, packed, packed_size);
    bool done = lzma_unpack(properties, copy, packed_size, size, out);
    free(copy);
    return done;
}

static void comes_back(struct bytes data)
{
    unsigned char properties[LZMA_PROPERTIES];
    struct bytes packed = {0}, out = {0};
    bytes_append(&out, "before", 6);
    assert_true(lzma_pack(data.data, data.size, properties, &packed));
    assert_int_equal(properties[0], 0x5d); /* lc 3, lp 0, pb 2 */
    assert_true(unpack(properties, packed.data, packed.size, data.size, &out));
    assert_int_equal(out.size, 6 + data.size);
    assert_memory_equal(out.data, "before", 6);
    if (data.size)
        assert_memory_equal(out.data + 6, data.data, data.size);
    bytes_free(&packed);
    bytes_free(&out);
    bytes_free(&data);
}

static void data_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 65535, 65536, 65537, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        comes_back(sample(sizes[i]));
        comes_back(noise(sizes[i]));
    }
}

static void dictionary_fits_the_data(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        uint32_t dictionary;
    } cases[] = {{0, 65536}, {65536, 65536}, {65537, 131072}, {17 << 20, 16 << 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes data = {0}, packed = {0};
        unsigned char properties[LZMA_PROPERTIES];
        bytes_fill(&data, 0, cases[i].size);
        assert_true(lzma_pack(data.data, data.size, properties, &packed));
        assert_int_equal(load_u32(properties + 1), cases[i].dictionary);
        bytes_free(&data);
        bytes_free(&packed);
    }
}

static void stream_has_no_end_mark(void **state)
{
    (void)state;
#ifdef LZMA_FILTER_LZMA1EXT
    unsigned char properties[LZMA_PROPERTIES];
    struct bytes packed = {0};
    assert_true(lzma_pack("", 0, properties, &packed));
    assert_int_equal(packed.size, 5); /* the range coder's own */
    bytes_free(&packed);
#else
    skip();
#endif
}

/* "abcabcabc...", 60 bytes, from another program's liblzma, with an end mark. */
static void end_mark_is_taken(void **state)
{
    (void)state;
    static const unsigned char properties[] = {0x5d, 0, 0, 0x80, 0};
    static const unsigned char packed[] = {0x00, 0x30, 0x98, 0x88, 0xab, 0x44, 0x23, 0x1d,
                                           0x1e, 0xff, 0xff, 0xfd, 0xac, 0x10, 0x00};
    struct bytes out = {0};
    assert_true(unpack(properties, packed, sizeof packed, 60, &out));
    assert_int_equal(out.size, 60);
    for (size_t i = 0; i < 60; i++)
        assert_int_equal(out.data[i], "abc"[i % 3]);
#ifdef LZMA_FILTER_LZMA1EXT
    assert_false(unpack(properties, packed, sizeof packed, 61, &out));
    assert_false(unpack(properties, packed, sizeof packed, 59, &out));
#endif
    assert_int_equal(out.size, 60);
    bytes_free(&out);
}

static void damage_is_told(void **state)
{
    (void)state;
    unsigned char properties[LZMA_PROPERTIES];
    struct bytes data = sample(2000), packed = {0}, out = {0};
    assert_true(lzma_pack(data.data, data.size, properties, &packed));
    for (size_t cut = 0; cut + 8 < packed.size; cut++)
        assert_false(unpack(properties, packed.data, cut, data.size, &out));
    assert_int_equal(out.size, 0);
    for (size_t bit = 0; bit < 8 * packed.size; bit++) {
        packed.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (unpack(properties, packed.data, packed.size, data.size, &out))
            assert_true(out.size == data.size &&
                        (!TELLS_THE_END || memcmp(out.data, data.data, data.size) != 0));
        else
            assert_int_equal(out.size, 0);
        out.size = 0;
        packed.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    properties[0] = 225; /* the first invalid value */
    assert_false(unpack(properties, packed.data, packed.size, data.size, &out));
    bytes_free(&data);
    bytes_free(&packed);
    bytes_free(&out);
}

/* 4 GiB of dictionary for a few bytes. */
static void large_dictionary_costs_nothing(void **state)
{
    (void)state;
    unsigned char properties[LZMA_PROPERTIES];
    struct bytes data = sample(2000), packed = {0}, out = {0};
    assert_true(lzma_pack(data.data, data.size, properties, &packed));
    memset(properties + 1, 0xff, 4);
    assert_true(unpack(properties, packed.data, packed.size, data.size, &out));
    assert_int_equal(out.size, data.size);
    assert_memory_equal(out.data, data.data, data.size);
    bytes_free(&data);
    bytes_free(&packed);
    bytes_free(&out);
}

static void zeros_pack_no_better_than_the_bound(void **state)
{
    (void)state;
    unsigned char properties[LZMA_PROPERTIES];
    struct bytes data = {0}, packed = {0}, out = {0};
    bytes_fill(&data, 0, 8 << 20);
    assert_true(lzma_pack(data.data, data.size, properties, &packed));
    assert_true(unpack(properties, packed.data, packed.size, data.size, &out));
    assert_int_equal(out.size, data.size);
    out.size = 0;
    assert_false(unpack(properties, packed.data, packed.size, (size_t)1 << 40, &out));
    bytes_free(&data);
    bytes_free(&packed);
    bytes_free(&out);
}

static void refused(struct diag *diag, const struct bytes *lump, size_t size, size_t max)
{
    struct bytes out = {0};
    size_t before = diag_count_code(diag, DIAG_LZMA_DAMAGED);
    assert_int_equal(lzma_unpack_lump(lump->data, size, max, NULL, diag, &out), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_LZMA_DAMAGED), before + 1);
    assert_int_equal(out.size, 0);
    bytes_free(&out);
}

static void lump_comes_back(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes data = sample(5000), lump = {0}, out = {0};
    assert_true(lzma_pack_lump(data.data, data.size, &lump));
    assert_true(lzma_is_lump(lump.data, lump.size));
    assert_false(lzma_is_lump(lump.data, LZMA_LUMP_HEADER - 1));
    assert_int_equal(lzma_lump_size(lump.data, lump.size), data.size);
    assert_int_equal(lzma_lump_size(data.data, data.size), 0);
    assert_int_equal(load_u32(lump.data + 8), lump.size - LZMA_LUMP_HEADER);
    assert_int_equal(lzma_unpack_lump(lump.data, lump.size, data.size, NULL, diag, &out),
                     STATUS_OK);
    assert_int_equal(out.size, data.size);
    assert_memory_equal(out.data, data.data, data.size);
    refused(diag, &lump, lump.size, data.size - 1);
    refused(diag, &lump, lump.size - 1, data.size);
    refused(diag, &lump, 5, data.size);
    refused(diag, &data, data.size, data.size);
    memset(lump.data + 4, 0xff, 4); /* claims 4 GiB */
    refused(diag, &lump, lump.size, SIZE_MAX);
    bytes_free(&data);
    bytes_free(&lump);
    bytes_free(&out);
    diag_free(diag);
}

enum { LUMPS = 64, LUMP_DIRECTORY = 8, LUMP_ENTRY = 16 };

static size_t big_endian(const unsigned char *p)
{
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

/* Every lump of a console map: written by Valve's tools, big-endian except for the LZMA headers. */
static void lumps_of_a_console_map_unpack(void **state)
{
    (void)state;
    struct bytes file = {0}, out = {0};
    if (fs_disk()->ops->read(fs_disk(), SHARED_DIR "/corpus/vbsp/shack.360.bsp", &file) != 0) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    struct diag *diag = diag_new(NULL, NULL);
    int found = 0;
    for (size_t i = 0; i < LUMPS; i++) {
        const unsigned char *entry = file.data + LUMP_DIRECTORY + LUMP_ENTRY * i;
        size_t at = big_endian(entry), size = big_endian(entry + 4);
        assert_true(at <= file.size && size <= file.size - at);
        const unsigned char *lump = file.data + at;
        if (!lzma_is_lump(lump, size))
            continue;
        out.size = 0;
        assert_int_equal(lzma_unpack_lump(lump, size, 1 << 20, NULL, diag, &out), STATUS_OK);
        assert_int_equal(out.size, lzma_lump_size(lump, size));
        found++;
    }
    assert_true(found > 30);
    bytes_free(&file);
    bytes_free(&out);
    diag_free(diag);
}

/* Without memory for the packer the data do not just stay as they are. */
static void a_lack_of_memory_ends_the_run(void **state)
{
    (void)state;
    struct bytes data = sample(200000), out = {0};
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        memory_set_limit(memory_used() + (1 << 20));
        _Exit(lzma_pack_lump(data.data, data.size, &out) ? STATUS_OK : STATUS_FAILED);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_BOUND);
    bytes_free(&data);
}

SUITE(test_lzma_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_come_back),
        cmocka_unit_test(dictionary_fits_the_data),
        cmocka_unit_test(stream_has_no_end_mark),
        cmocka_unit_test(end_mark_is_taken),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(large_dictionary_costs_nothing),
        cmocka_unit_test(zeros_pack_no_better_than_the_bound),
        cmocka_unit_test(lump_comes_back),
        cmocka_unit_test(a_lack_of_memory_ends_the_run),
        cmocka_unit_test(lumps_of_a_console_map_unpack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
