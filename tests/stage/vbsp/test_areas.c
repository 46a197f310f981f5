/* Areas, areaportals, occluders and shared clusters: compiled in memory, probed by position. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/areas.def"
#include "common/diag/codes/solid_entities.def"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/files.h"

#define PORTAL "tools/toolsareaportal"

/* Two rooms, west and east, with a wall of 16 units between them from x = 256 on, and a doorway in
 * it of 64 x 96. A player stands in the west. */
static void put_rooms(struct text_map *map)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(528, 256, 128));
    text_map_box(map, vec3(256, 0, 0), vec3(272, 96, 128), "wall");
    text_map_box(map, vec3(256, 160, 0), vec3(272, 256, 128), "wall");
    text_map_box(map, vec3(256, 96, 96), vec3(272, 160, 128), "wall");
}

static void put_player(struct text_map *map)
{
    text_map_entity(map, "info_player_start", "origin \"64 128 16\"");
}

static const struct bsp_leaf *leaf_at(const struct text_map *map, struct vec3 point)
{
    return &map->bsp->leaves[bsp_leaf_at(map->bsp, 0, point)];
}

static double clip_area(const struct bsp *bsp, const struct bsp_area_portal *portal)
{
    struct vec3 sum = vec3(0, 0, 0), points[16];
    assert_in_range(portal->clip_vertex_count, 3, 16);
    for (int i = 0; i < portal->clip_vertex_count; i++) {
        const float *p = bsp->clip_portal_vertices[portal->first_clip_vertex + i].p;
        points[i] = vec3((double)p[0], (double)p[1], (double)p[2]);
    }
    for (int i = 2; i < portal->clip_vertex_count; i++)
        sum = vec3_add(
            sum, vec3_cross(vec3_sub(points[i - 1], points[0]), vec3_sub(points[i], points[0])));
    return vec3_length(sum) / 2;
}

static const struct diag_entry *find_report(const struct text_map *map, int code)
{
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == code)
            return diag_entry(map->diag, i);
    return NULL;
}

static bool lump_has(const struct bsp *bsp, const char *text)
{
    struct bytes copy = {0};
    bytes_append(&copy, bsp->entities, arrlenu(bsp->entities));
    bytes_append(&copy, "", 1);
    bool found = strstr((const char *)copy.data, text) != NULL;
    bytes_free(&copy);
    return found;
}

static void an_areaportal_parts_two_areas(void **state)
{
    (void)state;
    static const char *const classes[] = {"func_areaportal", "func_areaportalwindow"};
    for (int i = 0; i < 2; i++) {
        struct text_map map;
        put_rooms(&map);
        text_map_entity(&map, classes[i], "StartOpen 1");
        text_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), PORTAL);
        put_player(&map);
        text_map_compile(&map, STATUS_OK);
        const struct bsp *bsp = map.bsp;
        int west = leaf_at(&map, vec3(100, 100, 64))->area;
        int east = leaf_at(&map, vec3(400, 100, 64))->area;
        int door = leaf_at(&map, vec3(264, 128, 64))->area;
        assert_true(west > 0 && east > 0 && west != east);
        assert_true(door == 1 && (west == 1 || east == 1));
        assert_int_equal(arrlen(bsp->areas), 3);
        assert_int_equal(arrlen(bsp->area_portals), 3);
        for (int area = 1; area < 3; area++) {
            assert_int_equal(bsp->areas[area].portal_count, 1);
            const struct bsp_area_portal *portal =
                &bsp->area_portals[bsp->areas[area].first_portal];
            assert_int_equal(portal->key, 1);
            assert_int_equal(portal->other_area, 3 - area);
            assert_float_equal((float)clip_area(bsp, portal), 6144.0F, 0.1F);
            /* It looks into the area whose record it is. */
            assert_float_equal(bsp->planes[portal->plane].normal[0], (area == east ? 1.0F : -1.0F),
                               1e-6F);
        }
        assert_true(lump_has(bsp, "\"portalnumber\" \"1\""));
        assert_null(map.out.area_leak);
        text_map_free(&map);
    }
}

/* Both have the hull of both on their common plane. */
static void openings_of_two_areas_share_a_hull(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(260, 96, 0), vec3(268, 128, 96), PORTAL);
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(260, 128, 0), vec3(268, 160, 96), PORTAL);
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(arrlen(map.bsp->area_portals), 5);
    for (int i = 1; i < 5; i++) {
        assert_int_equal(map.bsp->area_portals[i].key, 2 - i % 2);
        assert_float_equal((float)clip_area(map.bsp, &map.bsp->area_portals[i]), 6144.0F, 0.1F);
    }
    text_map_free(&map);
}

static void put_gap(struct text_map *map)
{
    put_rooms(map);
    text_map_entity(map, "func_areaportal", "");
    text_map_box(map, vec3(260, 96, 0), vec3(268, 160, 80), PORTAL);
    put_player(map);
}

static void a_way_around_an_areaportal_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    put_gap(&map);
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_AREAPORTAL_LEAK), 1);
    const struct diag_where *where = &find_report(&map, DIAG_AREAPORTAL_LEAK)->where;
    assert_true(where->entity_id > 0 && where->solid_id > 0 && where->has_point);
    assert_true(where->point[2] > 80 && where->point[2] < 96);
    assert_int_equal(leaf_at(&map, vec3(100, 100, 64))->area,
                     leaf_at(&map, vec3(400, 100, 64))->area);
    assert_int_equal(arrlen(map.bsp->area_portals), 1);
    const struct vec3 *path = map.out.area_leak;
    assert_true(arrlen(path) >= 3);
    double ends[2] = {path[0].x, arrlast(path).x};
    assert_true(fmin(ends[0], ends[1]) <= 260 && fmax(ends[0], ends[1]) >= 268);
    assert_true(arrlen(map.out.prt.portals) > 0);
    /* Portals and line are both written. */
    const struct vbsp_files files = {
        .level = "map.vmf", .bsp = "map.bsp", .prt = "map.prt", .lin = "map.lin"};
    const struct bsp_format *format = bsp_format_find("sdk2013");
    assert_int_equal(vbsp_write_output(&map.env, &files, format, &map.out), STATUS_OK);
    assert_int_equal(map.fs->ops->kind(map.fs, "map.lin"), FS_FILE);
    assert_int_equal(map.fs->ops->kind(map.fs, "map.prt"), FS_FILE);
    text_map_free(&map);
}

static void leaktest_stops_at_an_areaportal(void **state)
{
    (void)state;
    struct text_map map;
    put_gap(&map);
    text_map_compile(&map, STATUS_OK);
    vbsp_output_free(&map.out);
    map.options.leak_test = true;
    assert_int_equal(vbsp_run(&map.env, &map.options, map.assets, &map.level, NULL, &map.out),
                     STATUS_LEAK);
    assert_null(map.out.bsp);
    assert_non_null(map.out.area_leak);
    text_map_free(&map);
}

static void idle_areaportals_are_reported(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_entity(&map, "func_areaportal", ""); /* in the wall */
    text_map_box(&map, vec3(258, 16, 16), vec3(270, 64, 64), PORTAL);
    text_map_entity(&map, "func_areaportal", ""); /* in front of a wall */
    text_map_box(&map, vec3(512, 0, 0), vec3(528, 256, 128), PORTAL);
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_AREAPORTAL_UNUSED), 2);
    assert_int_equal(diag_count_code(map.diag, DIAG_AREAPORTAL_LEAK), 0);
    assert_int_equal(arrlen(map.bsp->area_portals), 1);
    text_map_free(&map);
}

/* The brush reaches far into the east, which a wall cuts in two. */
static void an_areaportal_between_three_areas_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_box(&map, vec3(272, 96, 96), vec3(400, 160, 128), "wall");
    text_map_box(&map, vec3(400, 96, 0), vec3(528, 160, 128), "wall");
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(256, 96, 0), vec3(400, 160, 96), PORTAL);
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_AREAPORTAL_MANY_AREAS), 1);
    assert_int_equal(arrlen(map.bsp->areas), 4);
    assert_int_equal(arrlen(map.bsp->area_portals), 3);
    text_map_free(&map);
}

static void water_goes_on_in_an_areaportal(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_box(&map, vec3(0, 0, 0), vec3(528, 256, 48), "water");
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), PORTAL);
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    const struct bsp_leaf *wet = leaf_at(&map, vec3(264, 128, 20));
    assert_true((wet->contents & CONTENTS_WATER) && (wet->contents & CONTENTS_AREAPORTAL));
    assert_int_equal(wet->brush_count, 1);
    assert_true(map.bsp->brushes[map.bsp->leaf_brushes[wet->first_brush]].contents &
                CONTENTS_WATER);
    assert_int_equal(leaf_at(&map, vec3(264, 128, 80))->contents, CONTENTS_AREAPORTAL);
    assert_true(text_map_face_at(&map, vec3(264, 128, 48), vec3(0, 0, 1)) >= 0);
    assert_int_equal(arrlen(map.bsp->areas), 3);
    text_map_free(&map);
}

static void put_occluder(struct text_map *map, struct vec3 low, struct vec3 high, const char *west)
{
    const char *const materials[BOX_SIDES] = {
        "tools/toolsnodraw", "tools/toolsnodraw", west,
        "tools/toolsnodraw", "tools/toolsnodraw", "tools/toolsnodraw"};
    text_map_box_of(map, low, high, materials);
}

static void occluders_are_polygons(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), PORTAL);
    text_map_entity(&map, "func_occluder", "StartActive 1");
    put_occluder(&map, vec3(400, 32, 0), vec3(408, 96, 64), "tools/toolsoccluder");
    text_map_entity(&map, "func_occluder", ""); /* covers the upper half of the first */
    put_occluder(&map, vec3(396, 32, 32), vec3(412, 96, 96), "tools/toolsoccluder");
    text_map_entity(&map, "func_occluder", "");
    put_occluder(&map, vec3(400, 200, 0), vec3(408, 240, 64), "tools/toolsnodraw");
    text_map_entity(&map, "func_occluder", ""); /* outside */
    put_occluder(&map, vec3(800, 200, 0), vec3(808, 240, 64), "tools/toolsoccluder");
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->occluders), 4);
    assert_int_equal(arrlen(bsp->occluder_polygons), 2);
    assert_int_equal(bsp->occluders[0].polygon_count, 1);
    assert_int_equal(bsp->occluders[0].area, leaf_at(&map, vec3(450, 64, 64))->area);
    assert_float_equal(bsp->occluders[0].maxs[2], 32.0F, 1e-4F);
    assert_float_equal(bsp->occluders[1].mins[2], 32.0F, 1e-4F);
    assert_float_equal(bsp->planes[bsp->occluder_polygons[0].plane].normal[0], -1.0F, 1e-6F);
    for (int i = 2; i < 4; i++) {
        assert_int_equal(bsp->occluders[i].polygon_count, 0);
        assert_int_equal(bsp->occluders[i].area, -1);
    }
    assert_int_equal(diag_count_code(map.diag, DIAG_OCCLUDER_EMPTY), 2);
    assert_int_equal(arrlen(bsp->models), 1);
    assert_true(lump_has(bsp, "\"occludernumber\" \"3\"\n\"model\" \"\"\n"));
    text_map_free(&map);
}

/* A slab of which only one side occludes. */
static void put_slab(struct text_map *map, struct vec3 low, struct vec3 high, int side)
{
    const char *materials[BOX_SIDES];
    for (int i = 0; i < BOX_SIDES; i++)
        materials[i] = i == side ? "tools/toolsoccluder" : "tools/toolsskip";
    text_map_box_of(map, low, high, materials);
}

/* The number of polygons of the occluder with this normal, and their area. */
static int polygons_along(const struct bsp *bsp, struct vec3 normal, double *area)
{
    int found = 0;
    *area = 0;
    for (size_t i = 0; i < arrlenu(bsp->occluder_polygons); i++) {
        const struct bsp_occluder_polygon *polygon = &bsp->occluder_polygons[i];
        struct vec3 sum = vec3(0, 0, 0), points[64];
        if (vec3_dot(vec3_from_floats(bsp->planes[polygon->plane].normal), normal) < 0.99)
            continue;
        assert_in_range(polygon->vertex_count, 3, 64);
        for (int k = 0; k < polygon->vertex_count; k++)
            points[k] = bsp_vertex_at(bsp, bsp->occluder_vertices[polygon->first_vertex + k]);
        for (int k = 2; k < polygon->vertex_count; k++)
            sum = vec3_add(sum, vec3_cross(vec3_sub(points[k - 1], points[0]),
                                           vec3_sub(points[k], points[0])));
        *area += vec3_length(sum) / 2;
        found++;
    }
    return found;
}

/* The polygon ends at the skip sides, though in the world such sides do not split. */
static void skip_sides_of_occluders(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), PORTAL);
    text_map_entity(&map, "func_occluder", "");
    put_slab(&map, vec3(400, 32, 0), vec3(408, 96, 64), 2);
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    double area;
    assert_int_equal(arrlen(map.bsp->occluder_polygons), 1);
    assert_int_equal(polygons_along(map.bsp, vec3(-1, 0, 0), &area), 1);
    assert_float_equal((float)area, 64.0F * 64, 1e-2F);
    text_map_free(&map);
}

/* Six slabs around a box of 64 x 128 x 96 that overlap at its edges. Of most the first side, which
 * gives a brush of the world its contents, is a skip one. */
static void all_sides_of_overlapping_occluders(void **state)
{
    (void)state;
    const double low[3] = {380, 32, 8}, high[3] = {444, 160, 104};
    const int side_of[3][2] = {{2, 3}, {5, 4}, {1, 0}}; /* of a box: by axis, low and high */
    struct text_map map;
    put_rooms(&map);
    text_map_entity(&map, "func_areaportal", "");
    text_map_box(&map, vec3(260, 96, 0), vec3(268, 160, 96), PORTAL);
    text_map_entity(&map, "func_occluder", "");
    for (int i = 0; i < 6; i++) {
        struct vec3 a = vec3(low[0], low[1], low[2]), b = vec3(high[0], high[1], high[2]);
        if (i % 2)
            a.e[i / 2] = b.e[i / 2] - 8;
        else
            b.e[i / 2] = a.e[i / 2] + 8;
        put_slab(&map, a, b, side_of[i / 2][i % 2]);
    }
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    for (int i = 0; i < 6; i++) {
        struct vec3 normal = vec3(0, 0, 0);
        double area, full = 1, within = 1;
        normal.e[i / 2] = i % 2 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            full *= k == i / 2 ? 1 : high[k] - low[k];
            within *= k == i / 2 ? 1 : high[k] - low[k] - 16;
        }
        assert_true(polygons_along(map.bsp, normal, &area) >= 1);
        assert_true(area > within - 1e-2 && area < full + 1e-2);
    }
    text_map_free(&map);
}

/* Most of the leaf of the doorway is in the second, so the first gets none. */
static void leaves_of_a_viscluster_share_a_cluster(void **state)
{
    (void)state;
    struct text_map map;
    put_rooms(&map);
    text_map_entity(&map, "func_viscluster", "");
    text_map_box(&map, vec3(256, 96, 0), vec3(260, 160, 96), "tools/toolstrigger");
    text_map_entity(&map, "func_viscluster", "");
    text_map_box(&map, vec3(260, 0, 0), vec3(528, 256, 128), "tools/toolstrigger");
    text_map_entity(&map, "func_viscluster", "");
    text_map_box(&map, vec3(0, 0, 0), vec3(8, 8, 8), "tools/toolstrigger");
    put_player(&map);
    text_map_compile(&map, STATUS_OK);
    int west = leaf_at(&map, vec3(100, 128, 64))->cluster;
    int door = leaf_at(&map, vec3(264, 128, 64))->cluster;
    int east = leaf_at(&map, vec3(400, 128, 64))->cluster;
    assert_true(west >= 0 && east >= 0 && west != east);
    assert_int_equal(door, east);
    assert_int_equal(diag_count_code(map.diag, DIAG_VISCLUSTER), 2);
    assert_false(lump_has(map.bsp, "func_viscluster"));
    text_map_free(&map);
}

static void put_sky(struct text_map *map, const char *camera)
{
    put_rooms(map);
    text_map_room(map, vec3(0, 1000, 0), vec3(256, 1256, 256));
    text_map_box(map, vec3(96, 1096, 0), vec3(160, 1160, 64), "wall");
    put_player(map);
    text_map_entity(map, "sky_camera", camera);
    text_map_entity(map, "light", "origin \"32 1032 200\"");
}

static void compile_sky(struct text_map *map, const char *camera, bool own_clusters)
{
    put_sky(map, camera);
    map->options.force_sky_vis = own_clusters;
    text_map_compile(map, STATUS_OK);
}

static void leaves_of_a_3d_sky_share_a_cluster(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct text_map map;
        compile_sky(&map, "origin \"32 1032 128\"", own);
        int low = leaf_at(&map, vec3(32, 1128, 20))->cluster;
        int across = leaf_at(&map, vec3(200, 1128, 20))->cluster;
        assert_true(low >= 0 && across >= 0);
        assert_int_equal(low == across, !own);
        assert_int_not_equal(low, leaf_at(&map, vec3(100, 128, 64))->cluster);
        assert_int_equal(diag_count_code(map.diag, DIAG_SKY_CAMERA_SOLID), 0);
        assert_int_equal(diag_count_code(map.diag, DIAG_SKY_CAMERA_PLAYABLE), 0);
        text_map_free(&map);
    }
}

/* Neither was known to the tools of 2007: s04 and s07 of the corpus. */
static void targets_of_2007_have_no_shared_sky_and_no_ids(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        struct text_map map;
        put_sky(&map, "origin \"32 1032 128\"");
        map.options.of_2007 = old;
        text_map_compile(&map, STATUS_OK);
        int low = leaf_at(&map, vec3(32, 1128, 20))->cluster;
        int across = leaf_at(&map, vec3(200, 1128, 20))->cluster;
        assert_int_equal(low == across, !old);
        assert_int_equal(lump_has(map.bsp, "hammerid"), !old);
        assert_int_equal(lump_has(map.bsp, "mapversion"), !old);
        text_map_free(&map);
    }
}

static void sky_cameras_that_stand_badly_are_reported(void **state)
{
    (void)state;
    struct text_map map;
    compile_sky(&map, "origin \"264 32 32\"", false);
    assert_int_equal(diag_count_code(map.diag, DIAG_SKY_CAMERA_SOLID), 1);
    text_map_free(&map);
    compile_sky(&map, "origin \"400 128 32\"", false);
    assert_int_equal(diag_count_code(map.diag, DIAG_SKY_CAMERA_PLAYABLE), 1);
    text_map_free(&map);
}

SUITE(test_areas)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_areaportal_parts_two_areas),
        cmocka_unit_test(openings_of_two_areas_share_a_hull),
        cmocka_unit_test(a_way_around_an_areaportal_is_reported),
        cmocka_unit_test(leaktest_stops_at_an_areaportal),
        cmocka_unit_test(idle_areaportals_are_reported),
        cmocka_unit_test(an_areaportal_between_three_areas_is_reported),
        cmocka_unit_test(water_goes_on_in_an_areaportal),
        cmocka_unit_test(occluders_are_polygons),
        cmocka_unit_test(skip_sides_of_occluders),
        cmocka_unit_test(all_sides_of_overlapping_occluders),
        cmocka_unit_test(leaves_of_a_viscluster_share_a_cluster),
        cmocka_unit_test(leaves_of_a_3d_sky_share_a_cluster),
        cmocka_unit_test(targets_of_2007_have_no_shared_sky_and_no_ids),
        cmocka_unit_test(sky_cameras_that_stand_badly_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
