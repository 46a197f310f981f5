#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/diag/codes/bsp_conversion.def"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/files.def"
#include "tests/support/bsp_files.h"
#include "tests/support/room_bsp.h"

struct fixture {
    struct diag *diag;
    struct bsp *bsp;
    struct bytes out;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->diag = diag_new(NULL, NULL);
    fixture->bsp = room_new(vec3(256, 128, 64), 0.5, NULL);
    room_set_entities(fixture->bsp, "");
    arrput(fixture->bsp->areas, (struct bsp_area){0});
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    bsp_free(fixture->bsp);
    bytes_free(&fixture->out);
    diag_free(fixture->diag);
    memory_free(fixture);
    return 0;
}

static enum status write_as(struct fixture *fixture, const char *target)
{
    const struct bsp_format *format = target ? bsp_format_find(target) : NULL;
    return bsp_encode(fixture->bsp, format, "room", fixture->diag, &fixture->out);
}

static struct bsp *written(struct fixture *fixture, const char *target)
{
    struct bsp *again = NULL;
    assert_int_equal(write_as(fixture, target), STATUS_OK);
    assert_int_equal(
        bsp_decode(fixture->out.data, fixture->out.size, "room", fixture->diag, &again), STATUS_OK);
    assert_int_equal(diag_entries(fixture->diag), 0);
    return again;
}

static void targets_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(bsp_format_at(0)->target, "sdk2013");
    assert_int_equal(bsp_format_find("sdk2013")->static_prop_version, 10);
    assert_int_equal(bsp_format_find("TF2")->static_prop_version, 10);
    assert_int_equal(bsp_format_find("sdk2013sp")->static_prop_version, 6);
    assert_null(bsp_format_find("quake"));
    for (size_t i = 0; bsp_format_at(i); i++) {
        assert_ptr_equal(bsp_format_find(bsp_format_at(i)->target), bsp_format_at(i));
        assert_true(bsp_format_at(i)->limit_count > 5);
    }
}

/* A new map has the directory of Valve's tools: order, alignment, versions. */
static void lumps_lie_in_the_order_of_the_sdk(void **state)
{
    static const int order[] = {1,  10, 56, 52, 51, 55, 3,  5,  6,  2,  26, 33, 48, 34,
                                47, 37, 38, 39, 7,  11, 27, 18, 19, 16, 17, 13, 12, 14,
                                20, 21, 8,  53, 4,  0,  15, 54, 36, 9,  59, 41, 42, 43,
                                44, 45, 50, 60, 29, 28, 30, 31, 46, 35, 40};
    struct fixture *fixture = *state;
    struct bsp *again = written(fixture, "sdk2013");
    int64_t end = 1036;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        int64_t offset = again->layout.offset[order[i]];
        assert_in_range(offset, end, end + 3);
        assert_int_equal(offset % 4, 0);
        end = offset + again->layout.length[order[i]];
    }
    assert_in_range(fixture->out.size, end, end + 3);
    assert_int_equal(fixture->out.size % 4, 0);
    assert_false(again->carried[LUMP_FACES_HDR].present);
    assert_false(again->carried[LUMP_FACEBRUSHES].present);
    bsp_free(again);
}

static void lumps_have_the_usual_versions(void **state)
{
    static const int first[] = {LUMP_FACES,        LUMP_LIGHTING,        LUMP_LEAFS,
                                LUMP_LIGHTING_HDR, LUMP_LEAFAMBIENT_HDR, LUMP_LEAFAMBIENT};
    struct fixture *fixture = *state;
    struct bsp *again = written(fixture, NULL);
    for (int lump = 0; lump < BSP_LUMPS; lump++) {
        int version = lump == LUMP_OCCLUSION ? 2 : 0;
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            if (first[i] == lump)
                version = 1;
        assert_int_equal(again->carried[lump].version, version);
        assert_int_equal(load_u32(again->carried[lump].four_cc), 0);
    }
    bsp_free(again);
}

static void what_is_missing_gets_its_empty_form(void **state)
{
    static const unsigned char zeros[12];
    struct fixture *fixture = *state;
    struct bsp *again = written(fixture, "sdk2013sp");
    assert_int_equal(arrlen(again->game_lumps), 2);
    assert_int_equal(again->game_lumps[0].id, 0x73707270);
    assert_int_equal(again->game_lumps[0].version, 6);
    assert_int_equal(again->game_lumps[1].id, 0x64707270);
    assert_int_equal(again->game_lumps[1].version, 4);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(again->game_lumps[i].data.size, 12);
        assert_memory_equal(again->game_lumps[i].data.data, zeros, 12);
    }
    assert_string_equal(again->format->target, "sdk2013sp");
    assert_int_equal(again->pakfile.size, 54);
    assert_memory_equal(again->pakfile.data, "PK\5\6", 4);
    assert_string_equal((const char *)again->pakfile.data + 22, "XZP1 0");
    assert_int_equal(again->layout.length[LUMP_OCCLUSION], 12);
    assert_memory_equal(fixture->out.data + again->layout.offset[LUMP_OCCLUSION], zeros, 12);
    assert_int_equal(again->displacement_physics.size, 2);
    assert_int_equal(again->layout.length[LUMP_MAPFLAGS], 4);
    bsp_free(again);
}

/* A client takes the distance to the next entry less one byte for the size of a packed game lump.
 */
static void packed_game_lumps_end_before_the_next(void **state)
{
    enum { LUMPS = 16, ENTRY = 16, HEADER = 17, COMPRESSED = 1, BYTES = 200 };
    struct fixture *fixture = *state;
    fixture->bsp->encoding.compressed = true;
    for (int i = 0; i < LUMPS; i++) {
        struct bsp_game_lump lump = {.id = (uint32_t)(0x61616161 + i)};
        for (int k = 0; k < BYTES; k++)
            bytes_u8(&lump.data, (uint8_t)(k < 2 * i ? 37 * k + i : 0));
        arrput(fixture->bsp->game_lumps, lump);
    }
    struct bsp *again = written(fixture, "sdk2013");
    const uint8_t *file = fixture->out.data;
    const uint8_t *entries = file + again->layout.offset[LUMP_GAMELUMP] + 4;
    assert_int_equal(load_u32(entries - 4), LUMPS + 1);
    for (int i = 0; i < LUMPS; i++, entries += ENTRY) {
        uint32_t at = load_u32(entries + 8), next = load_u32(entries + ENTRY + 8);
        assert_int_equal(load_u16(entries + 4), COMPRESSED);
        assert_int_equal(at % 4, 0);
        assert_true(next - 1 - at >= HEADER + load_u32(file + at + 8));
        assert_int_equal(again->game_lumps[i].data.size, BYTES);
        assert_memory_equal(again->game_lumps[i].data.data, fixture->bsp->game_lumps[i].data.data,
                            BYTES);
    }
    bsp_free(again);
}

/* Fields of each width, and the bits that two fields share. */
static void fields_survive(void **state)
{
    struct fixture *fixture = *state;
    struct bsp *bsp = fixture->bsp;
    bsp->revision = 77;
    bsp->map_flags = 0x80000003;
    bsp->leaves[1].area = 0;
    bsp->leaves[1].flags = 0x55;
    bsp->leaves[1].mins[0] = -32768;
    bsp->faces[2].no_dynamic_shadows = true;
    bsp->faces[2].smoothing_groups = 0xfedcba98;
    bsp->faces[2].area = 0.1f;
    bsp->brush_sides[3].bevel = 1;
    arrput(bsp->face_ids, 65535);
    for (int i = 1; i < 6; i++)
        arrput(bsp->face_ids, (uint16_t)i);
    arrput(bsp->cubemaps, ((struct bsp_cubemap){{-1, 2, -3}, 7}));
    arrput(bsp->ldr.ambient, ((struct bsp_ambient){.cube[5] = {1, 2, 3, -4}, .position = {9}}));
    arrput(bsp->ldr.ambient_index, ((struct bsp_ambient_index){0, 1}));
    arrput(bsp->ldr.ambient_index, ((struct bsp_ambient_index){1, 0}));
    struct bsp *again = written(fixture, NULL);
    assert_int_equal(again->revision, 77);
    assert_int_equal(again->map_flags, 0x80000003);
    assert_int_equal(again->leaves[1].flags, 0x55);
    assert_int_equal(again->leaves[1].mins[0], -32768);
    assert_true(again->faces[2].no_dynamic_shadows);
    assert_int_equal(again->faces[2].primitive_count, 0);
    assert_int_equal(again->faces[2].smoothing_groups, 0xfedcba98);
    assert_memory_equal(&again->faces[2].area, &bsp->faces[2].area, sizeof(float));
    assert_int_equal(again->brush_sides[3].bevel, 1);
    assert_int_equal(again->face_ids[0], 65535);
    assert_int_equal(again->cubemaps[0].origin[2], -3);
    assert_int_equal(again->ldr.ambient[0].cube[5].exponent, -4);
    assert_int_equal(again->ldr.ambient[0].position[0], 9);
    assert_string_equal(again->texture_names[0], "dev/a");
    assert_int_equal(arrlen(again->entities), arrlen(bsp->entities));
    bsp_free(again);
}

/* Without an index there is one cube per leaf, as in the tools of 2007. */
static void ambient_light_without_an_index_survives(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 2; i++)
        arrput(fixture->bsp->ldr.ambient, ((struct bsp_ambient){.cube[0] = {8, 8, 8, 8}}));
    struct bsp *again = written(fixture, NULL);
    assert_int_equal(again->layout.length[LUMP_LEAFAMBIENT], 48);
    assert_int_equal(arrlen(again->ldr.ambient), 2);
    assert_null(again->ldr.ambient_index);
    assert_int_equal(again->ldr.ambient[1].cube[0].r, 8);
    assert_int_equal(again->ldr.ambient[1].position[1], 128);
    bsp_free(again);
}

static void passed_limit_is_told_before_anything_is_written(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 1200; i++)
        arrput(fixture->bsp->cubemaps, (struct bsp_cubemap){0});
    bytes_append(&fixture->out, "kept", 4);
    assert_int_equal(write_as(fixture, NULL), STATUS_FAILED);
    assert_int_equal(fixture->out.size, 4);
    assert_int_equal(diag_count_code(fixture->diag, DIAG_BSP_LIMIT), 1);
    const char *message = diag_entry(fixture->diag, 0)->message;
    assert_non_null(strstr(message, "cubemaps: 1200"));
    assert_non_null(strstr(message, "1024"));
    assert_non_null(strstr(message, "176 too many"));
}

/* A file of another compiler, whose brush has more sides than ours allows: what it has is written
 * back; more than it has is not. */
static void limits_that_the_file_exceeds_are_warnings(void **state)
{
    struct fixture *fixture = *state;
    enum { SIDES = 298 };
    for (int i = 0; i < 2 * SIDES; i++)
        arrput(fixture->bsp->brush_sides, (struct bsp_brush_side){.texinfo = -1});
    struct bsp *bsp = written(fixture, "portal2");
    store_u32(ORDER_LITTLE, fixture->out.data + bsp->layout.offset[LUMP_BRUSHES] + 4, SIDES);
    bsp_free(bsp);
    assert_int_equal(bsp_decode(fixture->out.data, fixture->out.size, "room", fixture->diag, &bsp),
                     STATUS_OK);
    assert_int_equal(bsp->brushes[0].side_count, SIDES);
    struct bytes again = {0};
    assert_int_equal(bsp_encode(bsp, NULL, "room", fixture->diag, &again), STATUS_OK);
    assert_int_equal(again.size, fixture->out.size);
    assert_memory_equal(again.data, fixture->out.data, again.size);
    assert_int_equal(diag_count_code(fixture->diag, DIAG_BSP_LIMIT), 1);
    assert_int_equal(diag_count(fixture->diag, DIAG_ERROR), 0);
    bsp->brushes[0].side_count++;
    assert_int_equal(bsp_encode(bsp, NULL, "room", fixture->diag, &again), STATUS_FAILED);
    assert_int_equal(diag_count(fixture->diag, DIAG_ERROR), 1);
    bytes_free(&again);
    bsp_free(bsp);
}

static void use_of_each_limit_is_counted(void **state)
{
    struct fixture *fixture = *state;
    const struct bsp_format *format = bsp_format_at(0);
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used);
    bsp_limit_use(fixture->bsp, format, used);
    for (size_t i = 0; i < format->limit_count; i++) {
        const char *name = bsp_limit_at(format, i)->name;
        if (!strcmp(name, "faces") || !strcmp(name, "brushes") || !strcmp(name, "nodes"))
            assert_int_equal(used[i], 6);
        if (!strcmp(name, "brush sides"))
            assert_int_equal(used[i], 36);
        if (!strcmp(name, "sides of a brush") || !strcmp(name, "bytes of texture names"))
            assert_int_equal(used[i], 6);
        if (!strcmp(name, "entities") || !strcmp(name, "clusters") || !strcmp(name, "models"))
            assert_int_equal(used[i], 1);
    }
    memory_free(used);
}

static void number_too_wide_for_its_field_is_told(void **state)
{
    struct fixture *fixture = *state;
    fixture->bsp->leaves[1].maxs[2] = 32768;
    assert_int_equal(write_as(fixture, NULL), STATUS_FAILED);
    assert_int_equal(fixture->out.size, 0);
    assert_int_equal(diag_count_code(fixture->diag, DIAG_BSP_FIELD_RANGE), 1);
    assert_non_null(strstr(diag_entry(fixture->diag, 0)->message, "leaf 1: maxs is 32768"));
}

static void bit_field_too_wide_is_told(void **state)
{
    struct fixture *fixture = *state;
    fixture->bsp->leaves[1].area = 512;
    assert_int_equal(write_as(fixture, NULL), STATUS_FAILED);
    assert_non_null(strstr(diag_entry(fixture->diag, 0)->message, "area is 512"));
}

static void files_are_written_and_read(void **state)
{
    struct fixture *fixture = *state;
    struct fs *fs = fs_memory_new();
    struct env env = {.diag = fixture->diag, .fs = fs, .threads = 1};
    struct bsp *again = NULL;
    assert_int_equal(bsp_write_file(&env, fixture->bsp, NULL, "room.bsp"), STATUS_OK);
    assert_int_equal(bsp_read_file(&env, "room.bsp", &again), STATUS_OK);
    assert_int_equal(arrlen(again->faces), 6);
    bsp_free(again);
    fixture->bsp->leaves[1].maxs[2] = 32768;
    assert_int_equal(bsp_write_file(&env, fixture->bsp, NULL, "none.bsp"), STATUS_FAILED);
    assert_int_equal(fs->ops->kind(fs, "none.bsp"), FS_ABSENT);
    assert_int_equal(bsp_read_file(&env, "none.bsp", &again), STATUS_FAILED);
    assert_int_equal(diag_count_code(fixture->diag, DIAG_FILE_READ), 1);
    fs_memory_free(fs);
}

SUITE(test_bsp_write)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(targets_are_found_by_name),
        TEST(lumps_lie_in_the_order_of_the_sdk),
        TEST(lumps_have_the_usual_versions),
        TEST(what_is_missing_gets_its_empty_form),
        TEST(fields_survive),
        TEST(packed_game_lumps_end_before_the_next),
        TEST(ambient_light_without_an_index_survives),
        TEST(passed_limit_is_told_before_anything_is_written),
        TEST(limits_that_the_file_exceeds_are_warnings),
        TEST(use_of_each_limit_is_counted),
        TEST(number_too_wide_for_its_field_is_told),
        TEST(bit_field_too_wide_is_told),
        TEST(files_are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
