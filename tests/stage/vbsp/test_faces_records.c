/* Records of faces, edges and texinfo, on maps of the corpus and of our own. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "common/core/random.h"
#include "tests/support/vbsp/text_map.h"

/* Compiles a map of the corpus with its game folder; false when it is not there. */
static bool compile_reference(struct text_map *map, const char *name, struct bsp **reference)
{
    char path[512];
    snprintf(path, sizeof path, SHARED_DIR "/corpus/%s.vmf", name);
    if (fs_disk()->ops->kind(fs_disk(), path) != FS_FILE) {
        print_message("skipped: %s is not there\n", path);
        return false;
    }
    text_map_start(map, "");
    map->env.fs = fs_disk();
    assert_int_equal(fs_load(fs_disk(), map->diag, path, &map->text), STATUS_OK);
    text_map_run(map, &(struct assets_options){.game = SHARED_DIR "/corpus/generated/game"},
                 vmf_parse, path, STATUS_OK);
    snprintf(path, sizeof path, SHARED_DIR "/corpus/%s.bsp", name);
    assert_int_equal(bsp_read_file(&map->env, path, reference), STATUS_OK);
    return true;
}

/* A hash of a face: its material, its direction, and the set of its corners to half a unit. */
static uint64_t face_print(const struct bsp *bsp, const struct bsp_face *face)
{
    uint64_t corners = 0;
    for (int i = 0; i < face->edge_count; i++) {
        struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        uint64_t place = 0;
        for (int j = 0; j < 3; j++)
            place = hash_pair(place, (uint64_t)(int64_t)floor(p.e[j] * 2 + 0.5));
        corners += place;
    }
    const float *normal = bsp->planes[face->plane].normal;
    uint64_t print = corners;
    for (int i = 0; i < 3; i++)
        print = hash_pair(print, (uint64_t)(int64_t)floorf(normal[i] * 100 + 0.5f));
    const char *material = bsp_texinfo_name(bsp, face->texinfo);
    for (; *material; material++)
        print = hash_pair(print, (uint64_t)(*material | 32));
    return print;
}

static int compare_prints(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t *face_prints(const struct bsp *bsp)
{
    uint64_t *prints = NULL;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        arrput(prints, face_print(bsp, &bsp->faces[i]));
    qsort(prints, arrlenu(prints), sizeof *prints, compare_prints);
    return prints;
}

static size_t count_common(const uint64_t *a, const uint64_t *b)
{
    size_t common = 0, i = 0, j = 0;
    while (i < arrlenu(a) && j < arrlenu(b)) {
        common += a[i] == b[j];
        bool next_a = a[i] <= b[j], next_b = b[j] <= a[i];
        i += next_a;
        j += next_b;
    }
    return common;
}

/* Compares with Valve's compile: the same faces, and the same counts of dependent records. */
static void expect_like_reference(const char *name, double min)
{
    struct text_map map;
    struct bsp *reference;
    if (!compile_reference(&map, name, &reference)) {
        skip();
        return;
    }
    uint64_t *ours = face_prints(map.bsp), *theirs = face_prints(reference);
    double common = (double)count_common(ours, theirs);
    if (common < min * (double)arrlenu(theirs))
        print_message("%s: %g of %zu faces\n", name, common, arrlenu(theirs));
    assert_true(common >= min * (double)arrlenu(theirs));
    assert_int_equal(arrlen(map.bsp->faces), arrlen(reference->faces));
    assert_int_equal(arrlen(map.bsp->models), arrlen(reference->models));
    /* The tools keep vertices and original faces of sides that are not drawn. */
    assert_in_range(arrlen(map.bsp->vertices), arrlen(reference->vertices) * 95 / 100,
                    arrlen(reference->vertices));
    assert_in_range(arrlen(map.bsp->edges), arrlen(reference->edges) * 95 / 100,
                    arrlen(reference->edges));
    assert_in_range(arrlen(map.bsp->primitives), arrlen(reference->primitives) - 2,
                    arrlen(reference->primitives));
    arrfree(ours);
    arrfree(theirs);
    bsp_free(reference);
    text_map_free(&map);
}

static void test_like_reference(void **state)
{
    (void)state;
    expect_like_reference("refs/plain", 1);
    expect_like_reference("refs/texlight", 1);
    expect_like_reference("refs/water", 1);
    expect_like_reference("generated/mid", 0.999);
}

static void test_edges_are_shared_by_two_at_most(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        struct text_map map;
        text_map_init(&map);
        map.options.no_share = apart;
        text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        text_map_entity(&map, "info_player_start", "origin \"20 20 32\"");
        text_map_compile(&map, STATUS_OK);
        const struct bsp *bsp = map.bsp;
        int *uses = NULL, shared = 0;
        for (size_t i = 0; i < arrlenu(bsp->edges); i++)
            arrput(uses, 0);
        for (size_t i = 0; i < arrlenu(bsp->surfedges); i++)
            uses[abs(bsp->surfedges[i])]++;
        assert_int_equal(uses[0], 0);
        for (size_t i = 1; i < arrlenu(uses); i++) {
            assert_in_range(uses[i], 1, 2);
            shared += uses[i] == 2;
        }
        /* Each of the room's twelve edges lies in two faces, and originals have some of them too.
         */
        assert_in_range(shared, apart ? 0 : 12, apart ? 0 : 24);
        arrfree(uses);
        text_map_free(&map);
    }
}

static void test_unseen_sides_share_texinfo(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    map.luxel = 4; /* a texinfo of its own, that no face shows: it lies in the wall */
    text_map_box(&map, vec3(-14, 10, 10), vec3(-2, 20, 20), "wall");
    map.luxel = 16;
    text_map_box(&map, vec3(0, 0, 120), vec3(256, 256, 128), "sky");
    text_map_entity(&map, "info_player_start", "origin \"20 20 32\"");
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    int skies = 0;
    for (size_t i = 0; i < arrlenu(bsp->texinfo); i++) {
        skies += (bsp->texinfo[i].flags & SURFACE_SKY) != 0;
        for (int j = 0; j < 3; j++)
            assert_true(fabsf(bsp->texinfo[i].lightmap[0][j]) <= 0.0626f);
    }
    assert_int_equal(skies, 1);
    assert_int_equal(arrlen(bsp->texdata), arrlen(bsp->texture_names));
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        assert_in_range(bsp->brush_sides[i].texinfo, 0, arrlen(bsp->texinfo) - 1);
    text_map_free(&map);
}

/* The wall of sky begins with its top, which cannot be seen. */
static void test_sky_is_that_of_a_side_that_is_seen(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_box(&map, vec3(0, 0, 0), vec3(8, 256, 128), "sky");
    text_map_entity(&map, "info_player_start", "origin \"20 20 32\"");
    text_map_compile(&map, STATUS_OK);
    int skies = 0;
    for (size_t i = 0; i < arrlenu(map.bsp->texinfo); i++) {
        const struct bsp_texinfo *texinfo = &map.bsp->texinfo[i];
        if (!(texinfo->flags & SURFACE_SKY))
            continue;
        skies++;
        assert_true(texinfo->texture[0][1] == 4.0f && texinfo->texture[1][2] == -4.0f);
    }
    assert_int_equal(skies, 1);
    text_map_free(&map);
}

static void test_normals_and_sentinels(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(&map, "info_player_start", "origin \"20 20 32\"");
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->vertex_normals), 6);
    int at = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        for (int j = 0; j < bsp->faces[i].edge_count; j++, at++)
            for (int k = 0; k < 3; k++)
                assert_true(bsp->vertex_normals[bsp->vertex_normal_indices[at]].p[k] ==
                            bsp->planes[bsp->faces[i].plane].normal[k]);
    assert_int_equal(at, arrlen(bsp->vertex_normal_indices));
    assert_int_equal(arrlen(bsp->leaf_min_dist_to_water), arrlen(bsp->leaves));
    assert_int_equal(bsp->leaf_min_dist_to_water[1], 0); /* until vvis knows */
    assert_int_equal(arrlen(bsp->face_macro_texture), arrlen(bsp->faces));
    assert_int_equal(bsp->face_macro_texture[0], 65535);
    assert_int_equal(bsp->leaves[0].contents, CONTENTS_SOLID);
    assert_int_equal(bsp->leaves[0].flags, 0);
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++)
        assert_int_equal(bsp->leaves[i].flags, LEAF_SKY);
    assert_int_equal(arrlen(bsp->areas), 2);
    assert_int_equal(bsp->areas[1].first_portal, 1);
    assert_int_equal(arrlen(bsp->area_portals), 1);
    text_map_free(&map);
}

static void test_no_dynamic_shadow(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    int id = map.ids + 2; /* the first side of the box: its top */
    text_map_box(&map, vec3(32, 32, 0), vec3(64, 64, 32), "wall");
    char keys[64];
    snprintf(keys, sizeof keys, "origin \"9 9 9\" sides \"77777 %d\"", id);
    text_map_entity(&map, "info_no_dynamic_shadow", keys);
    text_map_entity(&map, "info_player_start", "origin \"20 20 32\"");
    text_map_compile(&map, STATUS_OK);
    int top = text_map_face_at(&map, vec3(48, 48, 32), vec3(0, 0, 1)), count = 0;
    assert_true(top >= 0);
    for (size_t i = 0; i < arrlenu(map.bsp->faces); i++)
        count += map.bsp->faces[i].no_dynamic_shadows;
    assert_int_equal(count, 1);
    assert_true(map.bsp->faces[top].no_dynamic_shadows);
    text_map_free(&map);
}

/* No corner of the world's faces lies within an edge that does not have it as its point. */
static void expect_no_tjunctions(const struct bsp *bsp)
{
    bool *used = NULL;
    for (size_t i = 0; i < arrlenu(bsp->vertices); i++)
        arrput(used, false);
    int last = bsp->models[0].face_count;
    for (int i = 0; i < last; i++)
        for (int j = 0; j < bsp->faces[i].edge_count; j++)
            used[bsp_face_vertex(bsp, &bsp->faces[i], j)] = true;
    for (int i = 0; i < last; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        for (int j = 0; j < face->edge_count; j++) {
            int from = bsp_face_vertex(bsp, face, j);
            int to = bsp_face_vertex(bsp, face, (j + 1) % face->edge_count);
            struct vec3 a = bsp_vertex_at(bsp, from), line = vec3_sub(bsp_vertex_at(bsp, to), a);
            double length = vec3_length(line);
            assert_int_not_equal(from, to);
            line = vec3_normalize(line);
            for (size_t k = 1; k < arrlenu(used); k++) {
                struct vec3 off = vec3_sub(bsp_vertex_at(bsp, (int)k), a);
                double along = vec3_dot(off, line);
                if (!used[k] || along <= 0.1 || along >= length - 0.1)
                    continue;
                assert_true(vec3_length(vec3_mad(off, line, -along)) > 0.2);
            }
        }
    }
    arrfree(used);
}

static void test_no_tjunctions_are_left(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(600, 256, 128));
    for (int i = 0; i < 9; i++) {
        double x = 40 + 57 * i, y = 20 + 17 * i;
        text_map_box(&map, vec3(x, y, 0), vec3(x + 30, y + 40, i % 3 ? 128 : 60), "wall");
    }
    text_map_entity(&map, "info_player_start", "origin \"20 200 32\"");
    text_map_compile(&map, STATUS_OK);
    expect_no_tjunctions(map.bsp);
    text_map_free(&map);
}

SUITE(test_faces_records)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_are_shared_by_two_at_most),
        cmocka_unit_test(test_unseen_sides_share_texinfo),
        cmocka_unit_test(test_sky_is_that_of_a_side_that_is_seen),
        cmocka_unit_test(test_normals_and_sentinels),
        cmocka_unit_test(test_no_dynamic_shadow),
        cmocka_unit_test(test_no_tjunctions_are_left),
        cmocka_unit_test(test_like_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
