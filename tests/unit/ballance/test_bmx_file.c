#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/bm_archives.def"
#include "common/diag/codes/bm_contents.def"
#include "common/diag/codes/bm_dumps.def"
#include "tests/support/bmx_files.h"

enum { CENTRAL_FLAGS = 8, LOCAL_FLAGS = 6 };

static void load(const char *name, struct bytes *out)
{
    char path[512];
    snprintf(path, sizeof path, BMX_SEEDS "%s.bmx", name);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, out), 0);
}

static void encode(const struct bmx *bmx, struct bytes *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(bmx_encode(bmx, "made", diag, out), STATUS_OK);
    diag_free(diag);
}

/* Returns the `number`-th occurrence of a signature. */
static unsigned char *record(const struct bytes *file, const char *signature, int number)
{
    for (size_t i = 0; i + 4 <= file->size; i++)
        if (memcmp(file->data + i, signature, 4) == 0 && number-- == 0)
            return file->data + i;
    fail_msg("no such record");
    return NULL;
}

static void assert_only(const struct bmx_findings *findings, int code)
{
    for (int i = diag_next(0); i; i = diag_next(i))
        assert_int_equal(bmx_finding_count(findings, i) != 0, i == code);
}

static void made_level_has_no_findings(void **state)
{
    (void)state;
    struct bmx *bmx = bmx_level();
    struct bytes file = {0}, again = {0};
    struct bmx_findings findings = {0};
    encode(bmx, &file);
    encode(bmx, &again);
    assert_int_equal(file.size, again.size);
    assert_memory_equal(file.data, again.data, file.size);
    struct bmx *read = bmx_look(file.data, file.size, &findings);
    assert_non_null(read);
    assert_null(findings.list);
    assert_int_equal(arrlenu(read->members), 6);
    assert_string_equal(read->members[0].name, "index.bm");
    assert_int_equal(read->members[0].role, BMX_ROLE_INDEX);
    assert_string_equal(read->members[5].name, "Texture/stone.png");
    bmx_free(read);
    bmx_free(bmx);
    bmx_findings_free(&findings);
    bytes_free(&file);
    bytes_free(&again);
}

/* Flags 0x0802, version 2.0, deflate, 1980-01-01, no extra fields, in both headers. */
static void headers_are_as_the_standard_wants_them(void **state)
{
    (void)state;
    static const unsigned char wanted[] = {20, 0, 0x02, 0x08, 8, 0, 0, 0, 0x21, 0};
    struct bmx *bmx = bmx_level();
    struct bytes file = {0};
    encode(bmx, &file);
    for (int i = 0; i < 6; i++) {
        const unsigned char *local = record(&file, "PK\3\4", i);
        const unsigned char *central = record(&file, "PK\1\2", i);
        assert_memory_equal(local + 4, wanted, sizeof wanted);
        assert_memory_equal(central + 6, wanted, sizeof wanted);
        assert_int_equal(load_u16(local + 28), 0);
        assert_int_equal(load_u16(central + 30), 0);
        assert_memory_equal(local + 14, central + 16,
                            12); /* no data descriptor: sizes are in the header */
    }
    const unsigned char *end = record(&file, "PK\5\6", 0);
    assert_int_equal(load_u16(end + 20), strlen(BMX_COMMENT));
    assert_memory_equal(end + 22, BMX_COMMENT, strlen(BMX_COMMENT));
    bytes_free(&file);
    bmx_free(bmx);
}

/* Numbers that arithmetic would change: NaNs with payloads, -0, denormals, odd flags. */
static void put_odd_bits(struct bmx *bmx)
{
    const uint32_t odd[] = {0x7fa00001, 0xffc12345, 0x80000000, 1, 0x7f800000, 0xff800000};
    for (int i = 0; i < 6; i++)
        memcpy(&bmx->objects[0].matrix[i], &odd[i], sizeof odd[i]);
    memcpy(bmx->meshes[0].positions[0].xyz, odd, 12);
    memcpy(bmx->meshes[0].uvs[1].uv, odd, 8);
    memcpy(bmx->meshes[0].normals[0].xyz, odd, 12);
    memcpy(&bmx->materials[0].power, odd, 4);
    bmx->objects[0].is_hidden = 7;
    bmx->meshes[0].faces[0].use_material = 255;
    bmx->meshes[0].faces[0].material = 0xdeadbeef;
    bmx->textures[0].is_external = 2;
    arrput(bmx->textures[0].file_name.points, 0xd800);
    arrput(bmx->meshes[0].name.points, 0xffffffff);
}

static void every_bit_survives(void **state)
{
    (void)state;
    struct bmx *bmx = bmx_level();
    struct bytes file = {0}, part = {0};
    struct bmx_findings findings = {0};
    put_odd_bits(bmx);
    encode(bmx, &file);
    struct bmx *read = bmx_look(file.data, file.size, &findings);
    assert_non_null(read);
    for (int role = 0; role < BMX_ROLE_FILE; role++) {
        struct bytes other = {0};
        part.size = 0;
        bmx_encode_role(bmx, (enum bmx_role)role, &part);
        bmx_encode_role(read, (enum bmx_role)role, &other);
        assert_int_equal(part.size, other.size);
        assert_memory_equal(part.data, other.data, part.size);
        bytes_free(&other);
    }
    assert_memory_equal(&read->objects[0].matrix, &bmx->objects[0].matrix, 64);
    assert_true(bmx_finding_count(&findings, DIAG_BMX_W_BOOL) &&
                bmx_finding_count(&findings, DIAG_BMX_E_NAN) &&
                bmx_finding_count(&findings, DIAG_BMX_E_MATRIX_NAN) &&
                bmx_finding_count(&findings, DIAG_BMX_E_STRING));
    bmx_free(read);
    bmx_free(bmx);
    bmx_findings_free(&findings);
    bytes_free(&file);
    bytes_free(&part);
}

/* A truncated file is always refused, and never without a report. */
static void cut_files_are_refused(void **state)
{
    (void)state;
    struct bytes file = {0};
    load("triangle", &file);
    for (size_t size = 0; size < file.size; size++) {
        struct bmx_findings findings = {0};
        unsigned char *copy = memory_alloc(size); /* of the exact size, for the sanitizers */
        memcpy(copy, file.data, size);
        assert_null(bmx_look(copy, size, &findings));
        assert_true(findings.by_severity[DIAG_ERROR] > 0);
        memory_free(copy);
        bmx_findings_free(&findings);
    }
    bytes_free(&file);
}

static void flipped_bits_do_no_harm(void **state)
{
    (void)state;
    struct bytes file = {0};
    load("triangle", &file);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        struct bmx_findings findings = {0};
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        struct bmx *bmx = bmx_look(file.data, file.size, &findings);
        assert_true(bmx || findings.by_severity[DIAG_ERROR] > 0);
        bmx_free(bmx);
        bmx_findings_free(&findings);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bytes_free(&file);
}

static void expect_after(const char *name, int code, const char *signature, size_t at,
                         unsigned char flip)
{
    struct bytes file = {0};
    load(name, &file);
    record(&file, signature, 0)[at] ^= flip;
    assert_true(bmx_finds(&file, code));
    bytes_free(&file);
}

/* The same change in both headers of the first member. */
static void expect_after_both(int code, size_t local, size_t central, unsigned char flip)
{
    struct bytes file = {0};
    load("triangle", &file);
    record(&file, "PK\3\4", 0)[local] ^= flip;
    record(&file, "PK\1\2", 0)[central] ^= flip;
    assert_true(bmx_finds(&file, code));
    bytes_free(&file);
}

static void archives_are_checked(void **state)
{
    (void)state;
    expect_after("triangle", DIAG_BMX_E_ZIP_ENCRYPTED, "PK\1\2", CENTRAL_FLAGS, 1);
    expect_after("triangle", DIAG_BMX_E_ZIP_UTF8FLAG, "PK\1\2", CENTRAL_FLAGS + 1, 8);
    expect_after("triangle", DIAG_BMX_W_ZIP_UTF8FLAG_LOCAL, "PK\3\4", LOCAL_FLAGS + 1, 8);
    expect_after("triangle", DIAG_BMX_W_ZIP_LEVEL, "PK\1\2", CENTRAL_FLAGS, 2);
    expect_after("triangle", DIAG_BMX_E_ZIP64, "PK\1\2", 6, 20 ^ 45);
    expect_after("triangle", DIAG_BMX_E_ZIP_CORRUPT, "PK\1\2", 16, 1);     /* CRC */
    expect_after("triangle", DIAG_BMX_E_ZIP_CORRUPT, "PK\3\4", 30, 1);     /* the local name */
    expect_after("triangle", DIAG_BMX_E_ZIP_BOMB, "PK\1\2", 24 + 3, 0x7f); /* the size */
    expect_after("triangle", DIAG_BMX_E_ZIP_MAGIC, "PK\3\4", 0, 1);
    expect_after_both(DIAG_BMX_E_ZIP_METHOD, 8, 10, 8 ^ 12);
    expect_after_both(DIAG_BMX_E_MISSING, 30, 46, 1); /* the name */
    expect_after_both(DIAG_BMX_W_EXTRA_MEMBER, 30, 46, 1);
    expect_after("zip_slip", DIAG_BMX_E_ZIP_PATH, "PK\3\4", 10, 0);
    expect_after("dup_member", DIAG_BMX_E_ZIP_DUP, "PK\3\4", 10, 0);
    expect_after("stored", DIAG_BMX_E_ZIP_STORED, "PK\3\4", 10, 0);
    expect_after("zip64", DIAG_BMX_E_ZIP64, "PK\3\4", 10, 0);
    expect_after("index_order", DIAG_BMX_E_INDEX_ORDER, "PK\3\4", 10, 0);
    expect_after("index_type9", DIAG_BMX_E_INDEX_TYPE, "PK\3\4", 10, 0);
}

static void names_of_members_are_utf8(void **state)
{
    (void)state;
    struct bmx *bmx = bmx_level();
    struct bytes file = {0};
    bmx_add_file(bmx, "Texture/\xff.png", "x", 1);
    encode(bmx, &file);
    assert_true(bmx_finds(&file, DIAG_BMX_E_ZIP_CORRUPT));
    bytes_free(&file);
    bmx_free(bmx);
}

static void little_is_spent_on_bombs(void **state)
{
    (void)state;
    static const struct bmx_limits small = {1000, 1500}, total = {2000, 1500};
    struct bmx *bmx = bmx_new();
    struct bytes file = {0}, zeros = {0};
    bytes_fill(&zeros, 0, 1100);
    bmx_add_file(bmx, "Texture/a", zeros.data, zeros.size);
    encode(bmx, &file);
    const struct bmx_limits *limits[] = {&small, &total, NULL};
    for (int i = 0; i < 3; i++) {
        struct bmx_findings findings = {0};
        bmx_free(bmx_read(file.data, file.size, limits[i], &findings));
        assert_int_equal(bmx_finding_count(&findings, DIAG_BMX_E_ZIP_BOMB), i == 0);
        bmx_findings_free(&findings);
    }
    bytes_free(&zeros);
    bytes_free(&file);
    bmx_free(bmx);
}

static void find_in_model(struct bmx *bmx, int code)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    bmx_check_model(bmx, &findings, &stats);
    assert_true(bmx_finding_count(&findings, code) > 0);
    bmx_findings_free(&findings);
    bmx_free(bmx);
}

static void models_are_checked(void **state)
{
    (void)state;
    struct bmx *bmx = bmx_level();
    bmx->objects[0].mesh = 1;
    find_in_model(bmx, DIAG_BMX_E_MESH_INDEX);
    bmx = bmx_level();
    bmx->objects[0].is_component = 1;
    bmx->objects[0].mesh = 27;
    find_in_model(bmx, DIAG_BMX_E_COMPONENT_ID);
    bmx = bmx_level();
    bmx->objects[0].matrix[15] = 2;
    find_in_model(bmx, DIAG_BMX_W_MATRIX_PROJ);
    bmx = bmx_level();
    bmx->objects[0].matrix[0] = 0;
    find_in_model(bmx, DIAG_BMX_W_MATRIX_SINGULAR);
    bmx = bmx_level();
    arrput(bmx->objects[0].groups, ((struct bmx_text){0}));
    find_in_model(bmx, DIAG_BMX_W_GROUP_EMPTY);
    bmx = bmx_level();
    bmx->meshes[0].faces[0].corners[2].normal = 1;
    find_in_model(bmx, DIAG_BMX_E_FACE_INDEX);
    bmx = bmx_level();
    bmx->meshes[0].positions[1] = bmx->meshes[0].positions[0];
    find_in_model(bmx, DIAG_BMX_W_ZERO_AREA);
    bmx = bmx_level();
    bmx->meshes[0].normals[0].xyz[1] = 2;
    find_in_model(bmx, DIAG_BMX_W_NORMAL_LEN);
    bmx = bmx_level();
    bmx->materials[0].power = float_of(0x7fc00000);
    find_in_model(bmx, DIAG_BMX_E_NAN);
    bmx = bmx_level();
    bmx->textures[0].is_external = 1;
    find_in_model(bmx, DIAG_BMX_W_TEXTURE_ORPHAN);
}

static void bounds_are_those_of_the_corners(void **state)
{
    (void)state;
    struct bmx *bmx = bmx_level();
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    bmx_check_model(bmx, &findings, &stats);
    assert_true(stats.has_bounds && stats.mins[0] == 5 && stats.maxs[0] == 9 &&
                stats.mins[1] == 0 && stats.maxs[1] == 0 && stats.mins[2] == 7 &&
                stats.maxs[2] == 11);
    assert_int_equal(stats.with_normals, 1);
    bmx_findings_free(&findings);
    bmx_free(bmx);
}

/* Reads with reports to diag; a file with errors gives no model. */
static enum status decode(const struct bytes *file, const char *name, struct diag *diag,
                          struct bmx **out)
{
    struct bmx_findings findings = {0};
    *out = bmx_read(file->data, file->size, NULL, &findings);
    enum status status = bmx_report(&findings, name, diag);
    bmx_findings_free(&findings);
    if (status != STATUS_OK) {
        bmx_free(*out);
        *out = NULL;
    }
    return status;
}

static void findings_are_reported(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0};
    struct bmx *bmx;
    load("zip_slip", &file);
    assert_int_equal(decode(&file, "a.bmx", diag, &bmx), STATUS_FAILED);
    assert_null(bmx);
    assert_int_equal(diag_count_code(diag, DIAG_BMX_E_ZIP_PATH), 1);
    assert_string_equal(diag_entry(diag, 0)->where.file, "a.bmx");
    assert_string_equal(diag_entry(diag, 0)->message, "../evil.txt");
    file.size = 0;
    load("triangle", &file);
    assert_int_equal(decode(&file, "b.bmx", diag, &bmx), STATUS_OK);
    assert_int_equal(arrlenu(bmx->meshes[0].faces), 1);
    bmx_free(bmx);
    bytes_free(&file);
    diag_free(diag);
}

static void incomplete_files_are_not_written(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0}, out = {0};
    struct bmx_findings findings = {0};
    load("index_order", &file);
    struct bmx *bmx = bmx_look(file.data, file.size, &findings);
    assert_non_null(bmx);
    assert_int_equal(bmx_encode(bmx, "x", diag, &out), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BMX_INCOMPLETE), 1);
    assert_int_equal(out.size, 0);
    bmx_free(bmx);
    bmx_findings_free(&findings);
    bytes_free(&file);
    diag_free(diag);
}

static void findings_are_counted_beyond_those_kept(void **state)
{
    (void)state;
    struct bmx_findings findings = {0};
    struct diag *diag = diag_new(NULL, NULL);
    for (int i = 0; i < BMX_FINDINGS_KEPT + 5; i++)
        bmx_add_finding(&findings, DIAG_BMX_W_BOOL, "mesh a", "%d", i);
    assert_int_equal(bmx_finding_count(&findings, DIAG_BMX_W_BOOL), BMX_FINDINGS_KEPT + 5);
    assert_only(&findings, DIAG_BMX_W_BOOL);
    assert_int_equal(bmx_report(&findings, "f", diag), STATUS_OK);
    assert_int_equal(diag_entries(diag), BMX_FINDINGS_KEPT + 1);
    assert_string_equal(diag_entry(diag, BMX_FINDINGS_KEPT)->message, "5 more");
    bmx_findings_free(&findings);
    diag_free(diag);
}

static void texts_go_through_utf8(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "plain", "\xc3\xa9", "\xe8\xb4\xb4",
                                        "\xf0\x9f\x98\x80"};
    struct arena arena = {0};
    for (int i = 0; i < 5; i++) {
        struct bmx_text text = bmx_text_make(texts[i]);
        assert_string_equal(bmx_text_utf8(&text, &arena), texts[i]);
        bmx_text_free(&text);
    }
    static const char *const bad[] = {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                                      "\xc3"};
    for (int i = 0; i < 5; i++) {
        struct bmx_text text = bmx_text_make(bad[i]);
        assert_int_equal(text.points[0], 0xfffd);
        bmx_text_free(&text);
    }
    arena_free(&arena);
}

SUITE(test_bmx_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_level_has_no_findings),
        cmocka_unit_test(headers_are_as_the_standard_wants_them),
        cmocka_unit_test(every_bit_survives),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(flipped_bits_do_no_harm),
        cmocka_unit_test(archives_are_checked),
        cmocka_unit_test(names_of_members_are_utf8),
        cmocka_unit_test(little_is_spent_on_bombs),
        cmocka_unit_test(models_are_checked),
        cmocka_unit_test(bounds_are_those_of_the_corners),
        cmocka_unit_test(findings_are_reported),
        cmocka_unit_test(incomplete_files_are_not_written),
        cmocka_unit_test(findings_are_counted_beyond_those_kept),
        cmocka_unit_test(texts_go_through_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
