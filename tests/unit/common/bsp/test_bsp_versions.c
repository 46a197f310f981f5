#include "tests/support/suite.h"

#include "common/bsp/convert/convert.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/diag/codes/bsp_files.def"
#include "tests/support/bsp_files.h"

#define SEEDS MAPS_DIR "/../tests/fuzz/seeds/bsp/"

/* One small room in every form that can be read. */
static const struct {
    const char *file, *target;
    bool compressed, big, lit;
} rooms[] = {
    {SEEDS "room.bsp", "sdk2013", false, false, true},
    {SEEDS "room_17.bsp", "vampire", false, false, false},
    {SEEDS "room_18.bsp", "beta", false, false, true},
    {SEEDS "room_css19.bsp", "css19", false, false, true},
    {SEEDS "room_source2007.bsp", "source2007", false, false, true},
    {SEEDS "room_portal2.bsp", "portal2", false, false, true},
    {SEEDS "room_l4d2.bsp", "l4d2", false, false, true},
    {SEEDS "room_25.bsp", "strata", false, false, true},
    {SEEDS "room_packed.bsp", "sdk2013", true, false, true},
    {SEEDS "room_console.bsp", "sdk2013", true, true, true},
    {SEEDS "room_big19.bsp", "css19", false, true, true},
};

enum { ROOMS = sizeof rooms / sizeof *rooms };

static struct bsp *read_room(int room, struct bytes *file, struct diag *diag)
{
    struct bsp *bsp = NULL;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), rooms[room].file, file), 0);
    assert_int_equal(bsp_decode(file->data, file->size, "room", diag, &bsp), STATUS_OK);
    return bsp;
}

static void same_list(const void *a, const void *b, size_t size)
{
    if (size)
        assert_memory_equal(a, b, size);
}

#define SAME_LIST(a, b)                                                                            \
    do {                                                                                           \
        assert_int_equal(arrlen(a), arrlen(b));                                                    \
        same_list(a, b, arrlenu(a) * sizeof *(a));                                                 \
    } while (0)

static void same_room(const struct bsp *a, const struct bsp *b)
{
    SAME_LIST(a->planes, b->planes);
    SAME_LIST(a->vertices, b->vertices);
    SAME_LIST(a->edges, b->edges);
    SAME_LIST(a->surfedges, b->surfedges);
    SAME_LIST(a->nodes, b->nodes);
    SAME_LIST(a->leaves, b->leaves);
    SAME_LIST(a->brushes, b->brushes);
    SAME_LIST(a->texinfo, b->texinfo);
    SAME_LIST(a->texdata, b->texdata);
    SAME_LIST(a->entities, b->entities);
    SAME_LIST(a->models, b->models);
    assert_int_equal(arrlen(a->faces), arrlen(b->faces));
    for (int i = 0; i < arrlen(a->faces); i++) {
        assert_int_equal(a->faces[i].plane, b->faces[i].plane);
        assert_int_equal(a->faces[i].first_edge, b->faces[i].first_edge);
        assert_int_equal(a->faces[i].edge_count, b->faces[i].edge_count);
        assert_int_equal(a->faces[i].texinfo, b->faces[i].texinfo);
    }
    assert_int_equal(bsp_vis_clusters(a), bsp_vis_clusters(b));
    assert_int_equal(bsp_leaf_at(a, 0, vec3(64, 64, 32)), bsp_leaf_at(b, 0, vec3(64, 64, 32)));
}

static void every_form_says_the_same(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes first_file = {0};
    struct bsp *first = read_room(0, &first_file, diag);
    for (int i = 0; i < ROOMS; i++) {
        struct bytes file = {0};
        struct bsp *bsp = read_room(i, &file, diag);
        assert_string_equal(bsp->format->target, rooms[i].target);
        assert_int_equal(bsp->encoding.compressed, rooms[i].compressed);
        assert_int_equal(bsp->encoding.order == ORDER_BIG, rooms[i].big);
        same_room(bsp, first);
        if (rooms[i].lit)
            assert_int_equal(bsp->faces[0].light_offset, first->faces[0].light_offset);
        else
            assert_int_equal(bsp->faces[0].light_offset, -1);
        bsp_free(bsp);
        bytes_free(&file);
    }
    assert_int_equal(diag_entries(diag), 0);
    bsp_free(first);
    bytes_free(&first_file);
    diag_free(diag);
}

/* Nobody would miss them before the map is seen in the game. */
static void unknown_records_of_version_25_are_refused(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = {0};
    struct bsp *bsp = NULL;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), SEEDS "room_25_primitives.bsp", &file), 0);
    assert_int_equal(bsp_decode(file.data, file.size, "room", diag, &bsp), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_FORMAT), 1);
    assert_non_null(strstr(diag_entry(diag, 0)->message, "lump 37 (primitives)"));
    bytes_free(&file);
    diag_free(diag);
}

/* Its numbers are wider than those of version 21. */
static void version_25_keeps_wide_numbers(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes file = {0}, out = {0};
    struct bsp *bsp = NULL, *again = NULL;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), SEEDS "room_25.bsp", &file), 0);
    assert_int_equal(bsp_decode(file.data, file.size, "room", diag, &bsp), STATUS_OK);
    bsp->leaves[0].area = 0x1ffff;
    bsp->leaves[0].flags = 0x7fff;
    bsp->leaves[0].maxs[1] = 100000;
    bsp->faces[0].smoothing_groups = UINT32_C(1) << 31;
    bsp->faces[0].no_dynamic_shadows = !bsp->faces[0].no_dynamic_shadows;
    assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &out), STATUS_OK);
    assert_int_equal(bsp_decode_part(&out, UINT64_C(1) << LUMP_LEAFS | UINT64_C(1) << LUMP_FACES,
                                     "room", diag, &again),
                     STATUS_OK);
    SAME_LIST(bsp->leaves, again->leaves);
    SAME_LIST(bsp->faces, again->faces);
    bsp_free(bsp);
    bsp_free(again);
    bytes_free(&file);
    diag_free(diag);
}

static void every_form_comes_back_the_same(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    for (int i = 0; i < ROOMS; i++) {
        struct bytes file = {0}, out = {0};
        struct bsp *bsp = read_room(i, &file, diag);
        assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &out), STATUS_OK);
        assert_int_equal(out.size, file.size);
        assert_memory_equal(out.data, file.data, file.size);
        bsp_free(bsp);
        bytes_free(&file);
        bytes_free(&out);
    }
    diag_free(diag);
}

/* A map of 2004 can be converted to a current engine. */
static void every_form_converts(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    for (int i = 0; i < ROOMS; i++) {
        struct bytes file = {0}, out = {0};
        struct bsp *bsp = read_room(i, &file, diag), *again = NULL;
        const struct bsp_format *target = bsp_format_find("tf2");
        int losses;
        bsp->encoding = (struct bsp_encoding){0};
        assert_int_equal(bsp_convert(bsp, target, "room", diag, &losses), STATUS_OK);
        assert_int_equal(bsp_encode(bsp, target, "room", diag, &out), STATUS_OK);
        assert_int_equal(bsp_decode_file(&out, "room", diag, &again), STATUS_OK);
        assert_int_equal(again->format->version, 20);
        same_room(again, bsp);
        bsp_free(again);
        bsp_free(bsp);
        bytes_free(&file);
    }
    diag_free(diag);
}

/* A lump of which only the length was read is counted all the same. */
static void lumps_are_counted_without_decoding_them(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    for (int i = 0; i < ROOMS; i++) {
        struct bytes file = {0};
        struct bsp *whole = read_room(i, &file, diag), *part = NULL;
        assert_int_equal(bsp_decode_part(&file, UINT64_C(1) << LUMP_GAMELUMP, "room", diag, &part),
                         STATUS_OK);
        assert_null(part->planes);
        for (int lump = 0; lump < BSP_LUMPS; lump++)
            if (lump != LUMP_GAMELUMP)
                assert_int_equal(bsp_lump_count(part, lump), bsp_lump_count(whole, lump));
        bsp_free(part);
        bsp_free(whole);
    }
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
}

/* After the last lump there is only padding, without which the file is complete. */
static size_t end_of_lumps(const struct bsp *bsp)
{
    int64_t end = 0;
    for (int i = 0; i < BSP_LUMPS; i++)
        if (bsp->layout.length[i] && bsp->layout.offset[i] + bsp->layout.length[i] > end)
            end = bsp->layout.offset[i] + bsp->layout.length[i];
    return (size_t)end;
}

static void every_cut_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < ROOMS; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bytes file = {0};
        struct bsp *bsp = read_room(i, &file, diag);
        size_t end = end_of_lumps(bsp);
        bsp_free(bsp);
        for (size_t size = 0; size < end; size++) {
            size_t told = diag_count(diag, DIAG_ERROR);
            unsigned char *cut = memory_alloc(size + 1); /* of the exact size, for the sanitizers */
            memcpy(cut, file.data, size);
            assert_int_equal(bsp_decode(cut, size, "cut", diag, &bsp), STATUS_FAILED);
            assert_null(bsp);
            assert_int_equal(diag_count(diag, DIAG_ERROR), told + 1);
            memory_free(cut);
        }
        bytes_free(&file);
        diag_free(diag);
    }
}

SUITE(test_bsp_versions)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_says_the_same),
        cmocka_unit_test(unknown_records_of_version_25_are_refused),
        cmocka_unit_test(version_25_keeps_wide_numbers),
        cmocka_unit_test(every_form_comes_back_the_same),
        cmocka_unit_test(every_form_converts),
        cmocka_unit_test(lumps_are_counted_without_decoding_them),
        cmocka_unit_test(every_cut_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
