#include "tests/support/suite.h"

#include "common/core/random.h"
#include "common/diag/codes/bsp_files.def"
#include "common/diag/codes/bsp_records.def"
#include "tests/support/bsp_exercise.h"
#include "tests/support/bsp_files.h"

enum { CUT_STEP = 97, FLIPS = 1500 };

struct fixture {
    struct bytes file;
    struct diag *diag;
    int64_t offset[BSP_LUMPS], length[BSP_LUMPS];
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    struct bsp *bsp = NULL;
    fixture->diag = diag_new(NULL, NULL);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), OWN_BSP, &fixture->file), 0);
    assert_int_equal(bsp_decode(fixture->file.data, fixture->file.size, "map", fixture->diag, &bsp),
                     STATUS_OK);
    memcpy(fixture->offset, bsp->layout.offset, sizeof fixture->offset);
    memcpy(fixture->length, bsp->layout.length, sizeof fixture->length);
    bsp_free(bsp);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    bytes_free(&fixture->file);
    diag_free(fixture->diag);
    memory_free(fixture);
    return 0;
}

static unsigned char *in_lump(struct fixture *fixture, int lump, size_t at)
{
    assert_true((int64_t)at < fixture->length[lump]);
    return fixture->file.data + fixture->offset[lump] + at;
}

static unsigned char *in_directory(struct fixture *fixture, int lump, size_t at)
{
    return fixture->file.data + 8 + 16 * (size_t)lump + at;
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

/* The changed file must be refused with the code. */
static void refused(struct fixture *fixture, int code)
{
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_decode(fixture->file.data, fixture->file.size, "map", fixture->diag, &bsp),
                     STATUS_FAILED);
    assert_null(bsp);
    assert_true(diag_count_code(fixture->diag, code) > 0);
    assert_string_equal(diag_entry(fixture->diag, 0)->where.file, "map");
}

static void cut_files_are_refused(void **state)
{
    struct fixture *fixture = *state;
    /* The last bytes are padding, without which the file is still complete. */
    size_t end = (size_t)(fixture->offset[LUMP_PAKFILE] + fixture->length[LUMP_PAKFILE]);
    for (size_t size = 0; size < end; size += CUT_STEP) {
        struct bsp *bsp = NULL;
        unsigned char *copy = memory_alloc(size);
        memcpy(copy, fixture->file.data, size);
        assert_int_equal(bsp_decode(copy, size, "map", fixture->diag, &bsp), STATUS_FAILED);
        memory_free(copy);
    }
    assert_true(diag_count_code(fixture->diag, DIAG_BSP_TRUNCATED) >= end / CUT_STEP);
}

/* Chooses lumps with equal probability, whatever their length, and the directory as often as a
 * lump. */
static size_t place_to_hit(const struct fixture *fixture, uint64_t hash)
{
    int lump = (int)(hash % (BSP_LUMPS + 1));
    if (lump == BSP_LUMPS || !fixture->length[lump])
        return (size_t)(hash >> 16) % 1036;
    return (size_t)fixture->offset[lump] + (size_t)(hash >> 16) % (size_t)fixture->length[lump];
}

static void flipped_bytes_do_no_harm(void **state)
{
    struct fixture *fixture = *state;
    for (uint64_t i = 0; i < FLIPS; i++) {
        unsigned char old[4];
        size_t at[4];
        for (uint64_t k = 0; k <= i % 4; k++) {
            uint64_t hash = hash_pair(i, k);
            at[k] = place_to_hit(fixture, hash);
            old[k] = fixture->file.data[at[k]];
            fixture->file.data[at[k]] ^= (unsigned char)(hash >> 56);
        }
        assert_true(bsp_exercise(fixture->file.data, fixture->file.size));
        for (uint64_t k = i % 4 + 1; k-- > 0;)
            fixture->file.data[at[k]] = old[k];
    }
}

static void other_versions_are_refused_by_name(void **state)
{
    static const struct {
        const char *magic;
        int version;
        const char *said;
    } others[] = {{"VBSP", 16, "VBSP 16"},
                  {"VBSP", 27, "VBSP 27"},
                  {"VBSP", 23, "VBSP 23 (Dota 2)"},
                  {"VBSP", 100, "VBSP 100 (Counter-Strike Online 2)"},
                  {"PK\3\4", 20, "VBSP"}};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        memcpy(fixture->file.data, others[i].magic, 4);
        put_u32(fixture->file.data + 4, (uint32_t)others[i].version);
        refused(fixture, DIAG_BSP_FORMAT);
        assert_int_equal(diag_entries(fixture->diag), i + 1);
        assert_non_null(strstr(diag_entry(fixture->diag, i)->message, others[i].said));
    }
}

static void tiny_files_are_refused(void **state)
{
    struct fixture *fixture = *state;
    fixture->file.size = 0;
    refused(fixture, DIAG_BSP_TRUNCATED);
    assert_string_equal(diag_entry(fixture->diag, 0)->message, "empty file");
    fixture->file.size = 7;
    refused(fixture, DIAG_BSP_TRUNCATED);
}

static void leaves_of_another_version_are_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_directory(fixture, LUMP_LEAFS, 8), 0);
    refused(fixture, DIAG_BSP_LUMP);
}

static void compressed_lumps_are_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_directory(fixture, LUMP_FACES, 12), 4000);
    refused(fixture, DIAG_BSP_COMPRESSED);
}

static void compressed_game_lumps_are_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u16(in_lump(fixture, LUMP_GAMELUMP, 8), 1);
    refused(fixture, DIAG_BSP_COMPRESSED);
}

/* Their total unpacked size exceeds any memory. */
static void bombs_of_game_lumps_are_refused(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 2; i++) {
        put_u16(in_lump(fixture, LUMP_GAMELUMP, 8 + 16 * i), 1);
        put_u32(in_lump(fixture, LUMP_GAMELUMP, 16 + 16 * i), 100u << 20);
    }
    refused(fixture, DIAG_BSP_COMPRESSED);
    assert_non_null(strstr(diag_entry(fixture->diag, 0)->message, "209715200"));
}

static void lump_in_the_header_is_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_directory(fixture, LUMP_PLANES, 0), 16);
    refused(fixture, DIAG_BSP_TRUNCATED);
}

static void lump_of_half_a_record_is_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_directory(fixture, LUMP_FACES, 4), (uint32_t)fixture->length[LUMP_FACES] - 1);
    refused(fixture, DIAG_BSP_LUMP);
}

static void list_of_another_length_is_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_directory(fixture, LUMP_FACEIDS, 4), (uint32_t)fixture->length[LUMP_FACEIDS] - 2);
    refused(fixture, DIAG_BSP_LUMP);
}

/* A field of a record and an out-of-range number for it. */
struct damage {
    int lump;
    size_t at;
    uint32_t value;
    size_t size;
};

static const struct damage indices[] = {
    {LUMP_TEXDATA, 12, 12, 4},
    {LUMP_TEXINFO, 68, 12, 4},
    {LUMP_EDGES, 4, 449, 2},
    {LUMP_SURFEDGES, 0, 1077, 4},
    {LUMP_SURFEDGES, 4, 1u << 31, 4},
    {LUMP_FACES, 0, 346, 2},
    {LUMP_FACES, 4, 1862, 4},
    {LUMP_FACES, 8, 30000, 2},
    {LUMP_FACES, 10, 57, 2},
    {LUMP_FACES, 12, 1, 2},
    {LUMP_FACES, 20, 88544, 4},
    {LUMP_FACES, 28, 1u << 31, 4},
    {LUMP_FACES, 36, 1u << 31, 4},
    {LUMP_FACES, 44, 152, 4},
    {LUMP_FACES, 48, 18, 2},
    {LUMP_FACES_HDR, 20, 88544, 4},
    {LUMP_NODES, 0, 346, 4},
    {LUMP_NODES, 4, 162, 4},
    {LUMP_NODES, 8, ~171u, 4},
    {LUMP_NODES, 26, 269, 2},
    {LUMP_NODES, 28, 5, 2},
    {LUMP_LEAFS, 36, 60, 2},
    {LUMP_LEAFS, 38, 0x1ff, 2},
    {LUMP_LEAFS, 54, 325, 2},
    {LUMP_LEAFS, 58, 71, 2},
    {LUMP_LEAFS, 60, 0, 2},
    {LUMP_LEAFFACES, 0, 268, 2},
    {LUMP_LEAFBRUSHES, 0, 57, 2},
    {LUMP_MODELS, 36, 162, 4},
    {LUMP_MODELS, 44, 269, 4},
    {LUMP_BRUSHES, 0, 356, 4},
    {LUMP_BRUSHES, 4, 1u << 31, 4},
    {LUMP_BRUSHSIDES, 0, 346, 2},
    {LUMP_BRUSHSIDES, 2, 57, 2},
    {LUMP_AREAS, 8, 10, 4},
    {LUMP_AREAPORTALS, 14, 5, 2},
    {LUMP_AREAPORTALS, 16, 33, 2},
    {LUMP_AREAPORTALS, 20, 346, 4},
    {LUMP_PRIMITIVES, 4, 307, 2},
    {LUMP_PRIMITIVES, 8, 1, 2},
    {LUMP_PRIMINDICES, 0, 99, 2},
    {LUMP_VERTNORMALINDICES, 0, 14, 2},
    {LUMP_LEAFAMBIENTINDEX, 4, 691, 2},
    {LUMP_LEAFAMBIENTINDEX_HDR, 2, 171, 2},
    {LUMP_WORLDLIGHTS, 36, 1u << 20, 4},
    {LUMP_WORLDLIGHTS, 44, 256, 4},
    {LUMP_TEXDATASTRINGTABLE, 0, 151, 4},
    {LUMP_GAMELUMP, 12, 0, 4},
};

static void every_index_is_checked(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        const struct damage *damage = &indices[i];
        unsigned char *place = in_lump(fixture, damage->lump, damage->at), old[4];
        size_t before = diag_count_code(fixture->diag, DIAG_BSP_RANGE);
        memcpy(old, place, damage->size);
        if (damage->size == 2)
            put_u16(place, damage->value);
        else
            put_u32(place, damage->value);
        refused(fixture, DIAG_BSP_RANGE);
        if (diag_count_code(fixture->diag, DIAG_BSP_RANGE) == before)
            fail_msg("damage %zu of lump %d is told otherwise", i, damage->lump);
        memcpy(place, old, damage->size);
    }
}

static void visibility_outside_of_its_lump_is_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_lump(fixture, LUMP_VISIBILITY, 0), 0x7fffffff);
    refused(fixture, DIAG_BSP_LUMP);
    put_u32(in_lump(fixture, LUMP_VISIBILITY, 0), 60);
    put_u32(in_lump(fixture, LUMP_VISIBILITY, 4), 1503);
    refused(fixture, DIAG_BSP_LUMP);
}

static void numbers_must_be_finite(void **state)
{
    static const struct damage damages[] = {
        {LUMP_PLANES, 12, 0x7fc00000, 4},  {LUMP_VERTEXES, 4, 0x7f800000, 4},
        {LUMP_TEXINFO, 40, 0xff800000, 4}, {LUMP_MODELS, 0, 0x7f800001, 4},
        {LUMP_FACES, 24, 0x7fc00000, 4},   {LUMP_WORLDLIGHTS, 0, 0x7fc00000, 4},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        unsigned char *place = in_lump(fixture, damages[i].lump, damages[i].at), old[4];
        memcpy(old, place, 4);
        put_u32(place, damages[i].value);
        refused(fixture, DIAG_BSP_NUMBER);
        assert_int_equal(diag_count_code(fixture->diag, DIAG_BSP_NUMBER), i + 1);
        memcpy(place, old, 4);
    }
}

/* Node 1 below itself; then as a child of two nodes. */
static void trees_that_loop_are_refused(void **state)
{
    struct fixture *fixture = *state;
    put_u32(in_lump(fixture, LUMP_NODES, 4), (uint32_t)-2);
    put_u32(in_lump(fixture, LUMP_NODES, 32 + 4), 1);
    refused(fixture, DIAG_BSP_TREE);
    put_u32(in_lump(fixture, LUMP_NODES, 4), 1);
    put_u32(in_lump(fixture, LUMP_NODES, 8), 1);
    refused(fixture, DIAG_BSP_TREE);
}

static void texture_name_without_an_end_is_refused(void **state)
{
    struct fixture *fixture = *state;
    memset(in_lump(fixture, LUMP_TEXDATASTRINGDATA, 0), 'x',
           (size_t)fixture->length[LUMP_TEXDATASTRINGDATA]);
    refused(fixture, DIAG_BSP_RANGE);
}

SUITE(test_bsp_damage)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(cut_files_are_refused),
        TEST(flipped_bytes_do_no_harm),
        TEST(other_versions_are_refused_by_name),
        TEST(tiny_files_are_refused),
        TEST(leaves_of_another_version_are_refused),
        TEST(compressed_lumps_are_refused),
        TEST(compressed_game_lumps_are_refused),
        TEST(bombs_of_game_lumps_are_refused),
        TEST(lump_in_the_header_is_refused),
        TEST(lump_of_half_a_record_is_refused),
        TEST(list_of_another_length_is_refused),
        TEST(every_index_is_checked),
        TEST(visibility_outside_of_its_lump_is_refused),
        TEST(numbers_must_be_finite),
        TEST(trees_that_loop_are_refused),
        TEST(texture_name_without_an_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
