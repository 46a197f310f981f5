/* Every table of records, and every kind of field, comes back from its JSON with the bytes that it
 * had. */
#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/json/json_fields.h"
#include "common/bsp/json/lump_json.h"
#include "common/core/array.h"
#include "common/core/random.h"
#include "common/diag/codes/sidecars.def"
#include "common/io/fs.h"

#define SEEDS MAPS_DIR "/../tests/fuzz/seeds/bsp/"

enum { RECORDS = 40, KINDS = FIELD_PAD + 1, VERSIONS = 4 };

/* Which kinds the tables of the test had. */
static bool seen[KINDS];

struct all {
    float number;
    int32_t whole, half, word, low, high, wide_low, wide_high, down, up;
    uint16_t id[2], wide_id;
    unsigned char bytes[3];
    char text[TEXT_BYTES];
    bool flag, wide_flag;
};

static const struct record_field all_fields[] = {
    RECORD_FIELD(F32, all, number),
    RECORD_FIELD(I32, all, whole),
    RECORD_FIELD(I16, all, half),
    RECORD_FIELD(U16, all, word),
    RECORD_ARRAY(ID16, all, id, 2),
    RECORD_ARRAY(U8, all, bytes, 3),
    RECORD_PAD(1),
    RECORD_ARRAY(U8, all, text, TEXT_BYTES),
    RECORD_ARRAY(BITS, all, low, 6),
    RECORD_FIELD(FLAG, all, flag),
    RECORD_ARRAY(BITS, all, high, 9),
    RECORD_ARRAY(WIDE_BITS, all, wide_low, 20),
    RECORD_FIELD(WIDE_FLAG, all, wide_flag),
    RECORD_ARRAY(WIDE_BITS, all, wide_high, 11),
    RECORD_FIELD(ID32, all, wide_id),
    RECORD_FIELD(FLOOR, all, down),
    RECORD_FIELD(CEIL, all, up),
};

static const struct record all_record = RECORD("all", struct all, 70, all_fields);

static struct bytes random_bytes(size_t size, uint64_t item)
{
    struct bytes out = {0};
    for (size_t i = 0; i < size; i++)
        bytes_u8(&out, (uint8_t)(hash_pair(item, i) >> 24));
    return out;
}

static struct bytes encoded(const struct record *record, const void *array, size_t count)
{
    struct bytes out = {0};
    struct record_range_error range_error;
    assert_true(record_encode(record, array, count, &out, &range_error));
    return out;
}

static void expect_same(const struct record *record, uint64_t item)
{
    void *array = NULL;
    const struct lump_records records = {record, &array};
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = random_bytes(RECORDS * record->file_size, item), text = {0}, again = {0};
    record_decode(record, ORDER_LITTLE, file.data, RECORDS,
                  array_make(&array, RECORDS, record->memory_size));
    struct bytes before = encoded(record, array, RECORDS);
    records_to_json(&records, &text);
    if (records_from_json(&records, &text, "records", diag) != STATUS_OK)
        fail_msg("%s: %s", record->name, diag_entry(diag, 0)->message);
    assert_int_equal(array_length(&array), RECORDS);
    struct bytes after = encoded(record, array, RECORDS);
    if (!bytes_equal(&before, &after))
        fail_msg("%s: other bytes", record->name);
    records_to_json(&records, &again);
    assert_true(bytes_equal(&text, &again));
    for (size_t k = 0; k < record->field_count; k++)
        seen[record->fields[k].kind] = true;
    struct bytes *const all[] = {&file, &text, &again, &before, &after};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(all[i]);
    array_drop(&array);
    diag_free(diag);
}

static void every_table_comes_back(void **state)
{
    (void)state;
    const struct bsp_format *format;
    size_t tables = 0;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        for (int lump = 0; lump < format->codec->container->lump_count; lump++)
            for (int version = 0; version < VERSIONS; version++) {
                const struct lump_codec *codec = codec_find(format->codec, lump, version);
                if (codec && codec->record) {
                    expect_same(codec->record, tables);
                    tables++;
                }
            }
    assert_true(tables > 100);
    const struct record *const others[] = {
        &vbsp_ambient_record,  &vbsp_ambient_cube_record, &vbsp_leaf_record,
        &vbsp_occluder_record, &vbsp_occluder_v1_record,  &all_record,
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect_same(others[i], tables + i);
    for (int kind = 0; kind < KINDS; kind++)
        if (!seen[kind])
            fail_msg("no field of kind %d", kind);
}

static void expect_text(const char *wanted, const struct all *value)
{
    void *array = NULL;
    const struct lump_records records = {&all_record, &array};
    struct bytes text = {0};
    memcpy(array_make(&array, 1, sizeof *value), value, sizeof *value);
    records_to_json(&records, &text);
    bytes_u8(&text, 0);
    assert_string_equal((const char *)text.data, wanted);
    bytes_free(&text);
    array_drop(&array);
}

#define BEFORE                                                                                     \
    "[\n{\"number\": 0.5, \"whole\": -1, \"half\": -32768, \"word\": 65535, \"id\": [7, 65535], "  \
    "\"bytes\": [1, 2, 255], \"text\": \"a\", "
#define BITS                                                                                       \
    "\"low\": 63, \"flag\": true, \"high\": 511, \"wide_low\": 1048575, \"wide_flag\": false, "    \
    "\"wide_high\": 2047, "
#define AFTER "\"wide_id\": 9, \"down\": -3, \"up\": 4}\n]\n"

static const struct all example = {
    .number = 0.5F,
    .whole = -1,
    .half = -32768,
    .word = 65535,
    .low = 63,
    .high = 511,
    .wide_low = 1048575,
    .wide_high = 2047,
    .down = -3,
    .up = 4,
    .id = {7, 65535},
    .wide_id = 9,
    .bytes = {1, 2, 255},
    .text = "a",
    .flag = true,
};

static void each_kind_is_what_it_means(void **state)
{
    (void)state;
    expect_text(BEFORE BITS AFTER, &example);
}

static enum status read(const char *text, struct all *out, struct diag *diag)
{
    void *array = NULL;
    const struct lump_records records = {&all_record, &array};
    struct bytes bytes = {0};
    bytes_append_text(&bytes, "%s", text);
    enum status status = records_from_json(&records, &bytes, "records", diag);
    if (status == STATUS_OK)
        memcpy(out, array_data(&array), sizeof *out);
    bytes_free(&bytes);
    array_drop(&array);
    return status;
}

static void numbers_beyond_a_field_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"\"low\": 63", "\"low\": 64"},
        {"\"low\": 63", "\"low\": -1"},
        {"\"flag\": true", "\"flag\": 1"},
        {"\"high\": 511", "\"high\": 512"},
        {"\"word\": 65535", "\"word\": -1"},
        {"\"half\": -32768", "\"half\": -32769"},
        {"[7, 65535]", "[7, 65536]"},
        {"[7, 65535]", "[7]"},
        {"\"wide_id\": 9", "\"wide_id\": -9"},
        {"[1, 2, 255]", "[1, 2, 256]"},
        {"1048575", "1048576"},
        {"\"flag\": true", "\"flags\": true"},
        {"\"up\": 4", "\"up\": 4, \"padding\": 0"},
    };
    struct diag *diag = diag_new(NULL, NULL);
    struct all out;
    assert_int_equal(read(BEFORE BITS AFTER, &out, diag), STATUS_OK);
    assert_int_equal(out.high, 511);
    assert_int_equal(out.id[1], 65535);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *whole = BEFORE BITS AFTER, *at = strstr(whole, bad[i][0]);
        struct bytes text = {0};
        assert_non_null(at);
        bytes_append_text(&text, "%.*s%s%s", (int)(at - whole), whole, bad[i][1],
                          at + strlen(bad[i][0]));
        bytes_u8(&text, 0);
        if (read((const char *)text.data, &out, diag) != STATUS_FAILED)
            fail_msg("taken: %s", bad[i][1]);
        bytes_free(&text);
    }
    assert_int_equal(diag_count_code(diag, DIAG_LUMP_FILE), sizeof bad / sizeof *bad);
    diag_free(diag);
}

/* Lump 16 of Quake 3 is the visibility; of Source it is a list of numbers. */
static void lumps_of_source_are_records(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0}, before = {0}, again = {0};
    struct bsp *bsp = NULL;
    int count = 0;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), SEEDS "room.bsp", &file), 0);
    assert_int_equal(bsp_decode_file(&file, "room", diag, &bsp), STATUS_OK);
    assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &before), STATUS_OK);
    for (int lump = 0; lump < bsp_lump_numbers(bsp->format); lump++) {
        struct bytes text = {0};
        if (lump_to_json(bsp, lump, &text)) {
            assert_int_equal(lump_from_json(bsp, lump, &text, "lump", diag), STATUS_OK);
            count++;
        }
        bytes_free(&text);
    }
    assert_true(count > 20);
    assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &again), STATUS_OK);
    assert_true(bytes_equal(&before, &again));
    bytes_free(&before);
    bytes_free(&again);
    bsp_free(bsp);
    diag_free(diag);
}

SUITE(test_record_json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_comes_back),
        cmocka_unit_test(each_kind_is_what_it_means),
        cmocka_unit_test(numbers_beyond_a_field_are_refused),
        cmocka_unit_test(lumps_of_source_are_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
