#include "tests/support/suite.h"

#include "common/bsp/convert/convert.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/water_overlay_records.h"
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
    {SEEDS "room_25_primitives.bsp", "strata", false, false, true},
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

/* Lists that the room does not have, with numbers that 16 bits do not hold. */
static void put_wide_lists(struct bsp *bsp)
{
    struct bsp_displacement displacement;
    struct bsp_overlay overlay = {.id = 7, .texinfo = 70000, .face_count = 2, .render_order = 3};
    struct bsp_water_overlay water = {.face_count = 200, .render_order = 1};
    memset(&displacement, 0, sizeof displacement); /* its padding as well, which is compared */
    displacement.power = 2;
    displacement.face = 70000;
    displacement.lightmap_sample = 9;
    displacement.edges[3][1].displacement = 70000;
    displacement.edges[3][1].orientation = displacement.edges[3][1].neighbour_span = 1;
    displacement.edges[3][1].span = 2;
    displacement.edges[0][0].displacement = UINT16_MAX;
    displacement.corners[2].displacements[0] = 1;
    displacement.corners[2].displacements[1] = 70001;
    displacement.corners[2].displacements[2] = UINT16_MAX;
    displacement.corners[2].displacements[3] = UINT16_MAX;
    displacement.corners[2].count = 2;
    displacement.allowed[9] = 0x80000001;
    overlay.faces[1] = 70000;
    overlay.corners[3][2] = 1;
    water.faces[199] = 70000;
    arrput(bsp->displacements, displacement);
    arrput(bsp->overlays, overlay);
    arrput(bsp->water_overlays, water);
    arrput(bsp->leaf_water, ((struct bsp_leaf_water){64, -8, 70000}));
    arrput(bsp->primitives, ((struct bsp_primitive){1, 70000, 70001, 70002, 70003}));
    arrput(bsp->primitive_indices, 70000);
    arrput(bsp->face_brush_list, 70000);
    arrput(bsp->disp_triangles, 9);
    bytes_free(&bsp->displacement_physics);
    bytes_append(&bsp->displacement_physics,
                 "\2\0\3\0\xff\xff"
                 "abc",
                 9);
}

static void same_wide_lists(const struct bsp *a, const struct bsp *b)
{
    SAME_LIST(a->displacements, b->displacements);
    SAME_LIST(a->overlays, b->overlays);
    SAME_LIST(a->water_overlays, b->water_overlays);
    SAME_LIST(a->leaf_water, b->leaf_water);
    SAME_LIST(a->primitives, b->primitives);
    SAME_LIST(a->primitive_indices, b->primitive_indices);
    SAME_LIST(a->face_brush_list, b->face_brush_list);
    SAME_LIST(a->disp_triangles, b->disp_triangles);
    assert_int_equal(a->displacement_physics.size, b->displacement_physics.size);
    assert_memory_equal(a->displacement_physics.data, b->displacement_physics.data, 9);
}

static const struct {
    int lump;
    int32_t version;
    int64_t length;
} wide_lumps[] = {
    {LUMP_FACEBRUSHES, 1, 4}, {LUMP_DISPINFO, 1, 232},       {LUMP_PHYSDISP, 2, 15},
    {LUMP_DISPTRIS, 0, 2},    {LUMP_PRIMITIVES, 1, 20},      {LUMP_PRIMINDICES, 1, 4},
    {LUMP_OVERLAYS, 1, 356},  {LUMP_WATEROVERLAYS, 1, 1124}, {LUMP_LEAFWATERDATA, 1, 12},
};

static uint64_t bits_of_wide_lumps(void)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof wide_lumps / sizeof *wide_lumps; i++)
        bits |= UINT64_C(1) << wide_lumps[i].lump;
    return bits;
}

static void version_25_has_every_list(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes file = {0}, out = {0};
    struct bsp *bsp = NULL, *again = NULL;
    assert_int_equal(fs_disk()->ops->read(fs_disk(), SEEDS "room_25.bsp", &file), 0);
    assert_int_equal(bsp_decode(file.data, file.size, "room", diag, &bsp), STATUS_OK);
    put_wide_lists(bsp);
    for (size_t i = 0; i < sizeof wide_lumps / sizeof *wide_lumps; i++)
        bsp->carried[wide_lumps[i].lump].version = wide_lumps[i].version;
    assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &out), STATUS_OK);
    assert_int_equal(bsp_decode_part(&out, bits_of_wide_lumps(), "room", diag, &again), STATUS_OK);
    same_wide_lists(bsp, again);
    for (size_t i = 0; i < sizeof wide_lumps / sizeof *wide_lumps; i++) {
        assert_int_equal(again->layout.length[wide_lumps[i].lump], wide_lumps[i].length);
        assert_int_equal(again->carried[wide_lumps[i].lump].version, wide_lumps[i].version);
    }
    bsp_free(bsp);
    bsp_free(again);
    bytes_free(&file);
    diag_free(diag);
}

/* Overlays have a tint from version 2 of their lump on; a newer form is carried as it is. */
static void version_25_keeps_tints(void **state)
{
    (void)state;
    static const int32_t versions[] = {2, 3};
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    for (size_t i = 0; i < 2; i++) {
        struct bytes file = {0}, out = {0}, once_more = {0}, copy = {0};
        struct bsp *bsp = NULL, *again = NULL;
        assert_int_equal(fs_disk()->ops->read(fs_disk(), SEEDS "room_25.bsp", &file), 0);
        assert_int_equal(bsp_decode(file.data, file.size, "room", diag, &bsp), STATUS_OK);
        arrput(bsp->overlays, ((struct bsp_overlay){.id = 7, .face_count = 1}));
        arrput(bsp_rare(bsp)->overlay_tints, ((struct bsp_overlay_tint){{1, 2, 3, 4}}));
        bytes_append(&bsp->carried[LUMP_OVERLAYS].data, "newer form..", 12);
        bsp->carried[LUMP_OVERLAYS].version = versions[i];
        assert_int_equal(bsp_encode(bsp, NULL, "room", diag, &out), STATUS_OK);
        bytes_append(&copy, out.data, out.size);
        assert_int_equal(bsp_decode_file(&out, "room", diag, &again), STATUS_OK);
        assert_int_equal(arrlen(again->overlays), versions[i] == 2);
        assert_int_equal(again->layout.length[LUMP_OVERLAYS], versions[i] == 2 ? 360 : 12);
        if (versions[i] == 2)
            assert_memory_equal(bsp_rare(again)->overlay_tints[0].rgba, "\1\2\3\4", 4);
        assert_int_equal(bsp_encode(again, NULL, "room", diag, &once_more), STATUS_OK);
        assert_int_equal(once_more.size, copy.size);
        assert_memory_equal(once_more.data, copy.data, copy.size);
        bytes_free(&copy);
        bytes_free(&once_more);
        bsp_free(bsp);
        bsp_free(again);
        bytes_free(&file);
    }
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
        cmocka_unit_test(version_25_has_every_list),
        cmocka_unit_test(version_25_keeps_tints),
        cmocka_unit_test(version_25_keeps_wide_numbers),
        cmocka_unit_test(every_form_comes_back_the_same),
        cmocka_unit_test(every_form_converts),
        cmocka_unit_test(lumps_are_counted_without_decoding_them),
        cmocka_unit_test(every_cut_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
