#include "tests/support/suite.h"

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/verify/verify.h"
#include "common/bsp/worldlight.h"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/verify.def"
#include "tests/support/bsp_files.h"

static struct bsp *read_own(struct diag *diag)
{
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_read_file(&env, OWN_BSP, &bsp), STATUS_OK);
    return bsp;
}

static void own_map_has_no_fault(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bsp *bsp = read_own(diag);
    assert_int_equal(bsp_verify(bsp, "map", diag), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    bsp_free(bsp);
    diag_free(diag);
}

static void verify_map(void *context, const char *path, const struct bytes *file)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    (void)context;
    assert_int_equal(bsp_decode(file->data, file->size, path, diag, &bsp), STATUS_OK);
    enum status status = bsp_verify(bsp, path, diag);
    for (size_t i = 0; i < diag_entries(diag); i++)
        if (diag_entry(diag, i)->severity == DIAG_ERROR)
            bsp_print_entry(NULL, diag_entry(diag, i));
    /* The console's map has one face with an odd corner, and no other fault. */
    bool odd = bsp->encoding.order == ORDER_BIG && diag_count_code(diag, DIAG_VERIFY_FACE) == 1 &&
               diag_count(diag, DIAG_ERROR) == 1;
    assert_true(status == STATUS_OK || odd);
    bsp_free(bsp);
    diag_free(diag);
}

static void maps_of_the_corpus_have_no_errors(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < BSP_CORPUS; i++)
        found += bsp_files_visit(bsp_corpus[i], verify_map, NULL);
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
}

/* Each damages a valid map in one way. */
typedef void harm(struct bsp *bsp);

static void tilt_a_plane(struct bsp *bsp)
{
    bsp->planes[3].dist += 1;
}

static void stretch_a_normal(struct bsp *bsp)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            bsp->planes[i].normal[k] *= 1.5f;
}

static void mistype_a_plane(struct bsp *bsp)
{
    bsp->planes[0].type = (bsp->planes[0].type + 1) % 3;
}

static void drop_a_plane(struct bsp *bsp)
{
    struct bsp_plane plane = bsp->planes[0];
    arrput(bsp->planes, plane);
}

static void join_an_edge(struct bsp *bsp)
{
    bsp->edges[5].v[1] = bsp->edges[5].v[0];
}

static void name_edge_zero(struct bsp *bsp)
{
    bsp->surfedges[0] = 0;
}

static void add_an_unused_edge(struct bsp *bsp)
{
    struct bsp_edge edge = {{0, 1}};
    arrput(bsp->edges, edge);
}

static void turn_a_face_round(struct bsp *bsp)
{
    struct bsp_face *face = &bsp->faces[0];
    face->plane ^= 1;
    face->side ^= 1;
}

static void lift_a_vertex(struct bsp *bsp)
{
    int vertex = bsp_face_vertex(bsp, &bsp->faces[0], 0);
    for (int k = 0; k < 3; k++)
        bsp->vertices[vertex].p[k] += 3;
}

static void lift_a_vertex_a_little(struct bsp *bsp)
{
    int vertex = bsp_face_vertex(bsp, &bsp->faces[0], 0);
    const float *normal = bsp->planes[bsp->faces[0].plane].normal;
    for (int k = 0; k < 3; k++)
        bsp->vertices[vertex].p[k] += 0.3f * normal[k];
}

static void open_a_ring(struct bsp *bsp)
{
    bsp->surfedges[bsp->faces[0].first_edge] = -bsp->surfedges[bsp->faces[0].first_edge];
}

static void shrink_a_lightmap(struct bsp *bsp)
{
    bsp->faces[0].lightmap_size[0]--;
}

static void overrate_an_area(struct bsp *bsp)
{
    bsp->faces[0].area *= 1.5f;
}

static void part_the_hdr_face(struct bsp *bsp)
{
    bsp->faces_hdr[0].edge_count--;
}

static void move_a_node_face(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++) {
        if (bsp->nodes[i].face_count) {
            bsp->nodes[i].plane = (bsp->nodes[i].plane + 2) % (int)arrlen(bsp->planes);
            return;
        }
    }
}

static void forget_a_node_face(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++) {
        if (bsp->nodes[i].face_count) {
            bsp->nodes[i].face_count--;
            return;
        }
    }
}

static void part_the_models(struct bsp *bsp)
{
    bsp->models[1].first_face++;
    bsp->models[1].face_count--;
}

static void shrink_a_model(struct bsp *bsp)
{
    bsp->models[1].maxs[2] -= 5;
}

static void share_a_leaf(struct bsp *bsp)
{
    for (size_t i = 1; i < arrlenu(bsp->nodes); i++) {
        if (bsp->nodes[i].children[0] < 0 && bsp->nodes[i].children[1] < 0) {
            bsp->nodes[i].children[0] = bsp->nodes[i].children[1];
            return;
        }
    }
}

static void shrink_a_node(struct bsp *bsp)
{
    bsp->nodes[0].maxs[1] -= 5;
}

static void turn_a_box(struct bsp *bsp)
{
    bsp->leaves[5].mins[0] = bsp->leaves[5].maxs[0] + 1;
}

static void open_the_first_leaf(struct bsp *bsp)
{
    bsp->leaves[0].contents = 0;
}

static void list_a_face_twice(struct bsp *bsp)
{
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        if (leaf->face_count > 1) {
            bsp->leaf_faces[leaf->first_face] = bsp->leaf_faces[leaf->first_face + 1];
            return;
        }
    }
}

static void hide_a_face(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        bsp->leaves[i].face_count = 0;
}

static int open_leaf(const struct bsp *bsp)
{
    for (int i = 1; i < arrlen(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= 0)
            return i;
    return 0;
}

static void take_a_cluster(struct bsp *bsp)
{
    bsp->leaves[open_leaf(bsp)].cluster = -1;
}

static void fill_an_open_leaf(struct bsp *bsp)
{
    bsp->leaves[open_leaf(bsp)].contents = CONTENTS_SOLID;
}

static void unbound_a_brush(struct bsp *bsp)
{
    for (int i = 1; i < bsp->brushes[0].side_count; i++)
        bsp->brush_sides[bsp->brushes[0].first_side + i].plane = bsp->brush_sides[0].plane;
}

static void make_bevels_of_sides(struct bsp *bsp)
{
    for (int i = 0; i < bsp->brushes[0].side_count; i++)
        bsp->brush_sides[bsp->brushes[0].first_side + i].bevel = i >= 3;
}

static void skip_a_brush_side(struct bsp *bsp)
{
    bsp->brushes[1].first_side++;
    bsp->brushes[1].side_count--;
}

static void lead_a_portal_away(struct bsp *bsp)
{
    bsp->area_portals[1].key = 99;
}

static void fill_the_empty_portal(struct bsp *bsp)
{
    bsp->area_portals[0].key = 1;
}

static void mistype_a_primitive(struct bsp *bsp)
{
    bsp->primitives[0].type = 7;
}

static void overpower_a_displacement(struct bsp *bsp)
{
    bsp->displacements[0].power = 9;
}

static void cut_the_displacement_vertices(struct bsp *bsp)
{
    arrsetlen(bsp->disp_vertices, arrlenu(bsp->disp_vertices) - 1);
}

static void lose_an_overlay_fade(struct bsp *bsp)
{
    arrsetlen(bsp_rare(bsp)->overlay_fades, arrlenu(bsp_rare(bsp)->overlay_fades) - 1);
}

static int lit_face(const struct bsp *bsp)
{
    for (int i = 0; i < arrlen(bsp->faces); i++)
        if (bsp->faces[i].light_offset > 0)
            return i;
    return 0;
}

static void repeat_a_style(struct bsp *bsp)
{
    struct bsp_face *face = &bsp->faces[lit_face(bsp)];
    face->light_offset += 4000; /* room for the average of other styles before it */
    face->styles[1] = face->styles[2] = 5;
}

static void share_luxels(struct bsp *bsp)
{
    bsp->faces[lit_face(bsp)].light_offset += 4;
}

static void mistype_a_light(struct bsp *bsp)
{
    bsp->ldr.worldlights[0].type = 17;
}

static unsigned char *first_row(struct bsp *bsp)
{
    return bsp->visibility.data + load_u32(bsp->visibility.data + 4);
}

static void blind_a_cluster(struct bsp *bsp)
{
    unsigned char *row = first_row(bsp);
    assert_true(row[0] & 1);
    row[0] = (unsigned char)(row[0] & ~1u);
}

static void run_past_a_row(struct bsp *bsp)
{
    first_row(bsp)[0] = 0;
    first_row(bsp)[1] = 200;
}

static void see_one_way(struct bsp *bsp)
{
    int clusters = bsp_vis_clusters(bsp);
    for (int i = 1; i < 8 && i < clusters; i++) {
        if (bsp_vis_sees(bsp, 0, i)) {
            first_row(bsp)[0] = (unsigned char)(first_row(bsp)[0] & ~(1u << i));
            return;
        }
    }
    fail();
}

static void miscount_clusters(struct bsp *bsp)
{
    bsp->leaves[open_leaf(bsp)].cluster = 0;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster == bsp_vis_clusters(bsp) - 1)
            bsp->leaves[i].cluster--;
}

static void break_the_entities(struct bsp *bsp)
{
    arrsetlen(bsp->entities, arrlenu(bsp->entities) - 2);
}

static void rename_the_world(struct bsp *bsp)
{
    for (size_t i = 0; i + 10 < arrlenu(bsp->entities); i++)
        if (!memcmp(bsp->entities + i, "worldspawn", 10))
            bsp->entities[i] = 'x';
}

static void lead_a_model_away(struct bsp *bsp)
{
    for (size_t i = 0; i + 3 < arrlenu(bsp->entities); i++)
        if (!memcmp(bsp->entities + i, "\"*1\"", 4))
            bsp->entities[i + 2] = '8';
}

static void leave_a_model_alone(struct bsp *bsp)
{
    for (size_t i = 0; i + 3 < arrlenu(bsp->entities); i++)
        if (!memcmp(bsp->entities + i, "\"*1\"", 4))
            bsp->entities[i + 2] = '2';
}

static void flatten_a_texture(struct bsp *bsp)
{
    bsp->texdata[0].width = 0;
}

static void empty_a_name(struct bsp *bsp)
{
    bsp->texture_names[1][0] = '\0';
}

static void repeat_a_name(struct bsp *bsp)
{
    memory_free(bsp->texture_names[1]);
    bsp->texture_names[1] = memory_zalloc(strlen(bsp->texture_names[0]) + 1, 1);
    strcpy(bsp->texture_names[1], bsp->texture_names[0]);
}

static void cut_the_pakfile(struct bsp *bsp)
{
    bsp->pakfile.size--;
}

static void count_too_many_packed_files(struct bsp *bsp)
{
    bsp->pakfile.data[10] = 3;
}

static void flag_light_that_is_not_packed(struct bsp *bsp)
{
    bsp->map_flags |= MAP_FLAG_PROPS_HDR;
}

static void pack_light_without_a_flag(struct bsp *bsp)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct pakfile pakfile;
    struct bytes lump = {0};
    assert_int_equal(pakfile_decode(&bsp->pakfile, NULL, diag, &pakfile), STATUS_OK);
    pakfile_put(&pakfile, "sp_7.vhv", "light", 5);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, diag, &lump), STATUS_OK);
    pakfile_free(&pakfile);
    bytes_free(&bsp->pakfile);
    bsp->pakfile = lump;
    diag_free(diag);
}

static void drop_the_distances_to_water(struct bsp *bsp)
{
    arrfree(bsp->leaf_min_dist_to_water);
}

static void lead_an_index_away(struct bsp *bsp)
{
    bsp->nodes[0].children[1] = 100000;
}

static const struct {
    harm *harm;
    int code;
} harms[] = {
    {tilt_a_plane, DIAG_VERIFY_PLANE},
    {stretch_a_normal, DIAG_VERIFY_PLANE},
    {mistype_a_plane, DIAG_VERIFY_PLANE},
    {drop_a_plane, DIAG_VERIFY_PLANE},
    {join_an_edge, DIAG_VERIFY_EDGE},
    {name_edge_zero, DIAG_VERIFY_EDGE},
    {add_an_unused_edge, DIAG_VERIFY_EDGE_USE},
    {turn_a_face_round, DIAG_VERIFY_FACE},
    {lift_a_vertex, DIAG_VERIFY_FACE},
    {lift_a_vertex_a_little, DIAG_VERIFY_FACE_SHAPE},
    {open_a_ring, DIAG_VERIFY_FACE},
    {shrink_a_lightmap, DIAG_VERIFY_FACE},
    {overrate_an_area, DIAG_VERIFY_FACE_SHAPE},
    {part_the_hdr_face, DIAG_VERIFY_FACE},
    {move_a_node_face, DIAG_VERIFY_NODE_FACE},
    {forget_a_node_face, DIAG_VERIFY_TREE},
    {part_the_models, DIAG_VERIFY_MODEL},
    {shrink_a_model, DIAG_VERIFY_MODEL},
    {share_a_leaf, DIAG_VERIFY_TREE},
    {shrink_a_node, DIAG_VERIFY_BOX},
    {turn_a_box, DIAG_VERIFY_BOX},
    {open_the_first_leaf, DIAG_VERIFY_LEAF},
    {list_a_face_twice, DIAG_VERIFY_LEAF},
    {hide_a_face, DIAG_VERIFY_UNSEEN},
    {take_a_cluster, DIAG_VERIFY_CLUSTER},
    {fill_an_open_leaf, DIAG_VERIFY_CLUSTER},
    {unbound_a_brush, DIAG_VERIFY_BRUSH},
    {make_bevels_of_sides, DIAG_VERIFY_BRUSH},
    {skip_a_brush_side, DIAG_VERIFY_LIST},
    {lead_a_portal_away, DIAG_VERIFY_AREA},
    {fill_the_empty_portal, DIAG_VERIFY_AREA},
    {mistype_a_primitive, DIAG_VERIFY_PRIMITIVE},
    {overpower_a_displacement, DIAG_VERIFY_DISPLACEMENT},
    {cut_the_displacement_vertices, DIAG_VERIFY_DISPLACEMENT},
    {lose_an_overlay_fade, DIAG_VERIFY_LIST},
    {repeat_a_style, DIAG_VERIFY_LIGHT},
    {share_luxels, DIAG_VERIFY_LIGHT},
    {mistype_a_light, DIAG_VERIFY_LIGHT},
    {blind_a_cluster, DIAG_VERIFY_VIS},
    {run_past_a_row, DIAG_VERIFY_VIS},
    {see_one_way, DIAG_VERIFY_VIS_ONE_WAY},
    {miscount_clusters, DIAG_VERIFY_VIS},
    {break_the_entities, DIAG_VERIFY_ENTITIES},
    {rename_the_world, DIAG_VERIFY_ENTITIES},
    {lead_a_model_away, DIAG_VERIFY_ENTITIES},
    {leave_a_model_alone, DIAG_VERIFY_MODEL_USE},
    {flatten_a_texture, DIAG_VERIFY_TEXTURE},
    {empty_a_name, DIAG_VERIFY_TEXTURE},
    {repeat_a_name, DIAG_VERIFY_TEXTURE_TWICE},
    {cut_the_pakfile, DIAG_VERIFY_PAKFILE},
    {count_too_many_packed_files, DIAG_VERIFY_PAKFILE},
    {flag_light_that_is_not_packed, DIAG_VERIFY_MAP_FLAGS},
    {pack_light_without_a_flag, DIAG_VERIFY_MAP_FLAGS},
    {drop_the_distances_to_water, DIAG_VERIFY_LIST},
    {lead_an_index_away, DIAG_BSP_RANGE},
};

static void every_harm_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bsp *bsp = read_own(diag);
        harms[i].harm(bsp);
        enum status status = bsp_verify(bsp, "map", diag);
        if (!diag_count_code(diag, harms[i].code))
            fail_msg("harm %zu is not told as %s", i, diag_info(harms[i].code)->code);
        bool error = diag_info(harms[i].code)->severity == DIAG_ERROR;
        assert_true(!error || status == STATUS_FAILED);
        assert_int_equal(status == STATUS_FAILED, diag_count(diag, DIAG_ERROR) > 0);
        bsp_free(bsp);
        diag_free(diag);
    }
}

/* Every fault is one message; the console prints the first few, or all with -v. */
static void many_faults_are_counted(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = read_own(diag);
    for (int i = 0; i < 20; i++)
        bsp->texdata[i % 10].height = 0;
    assert_int_equal(bsp_verify(bsp, "map", diag), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_VERIFY_TEXTURE), 10);
    bsp_free(bsp);
    diag_free(diag);
}

/* A face with two faults of its shape is one irregular face. */
static void a_face_is_counted_once(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = read_own(diag);
    struct bsp_face *face = &bsp->faces[0];
    face->area *= 2;
    int vertex = bsp_face_vertex(bsp, face, 0);
    for (int i = 0; i < 3; i++)
        bsp->vertices[vertex].p[i] += 0.4f * bsp->planes[face->plane].normal[i];
    enum status status = bsp_verify(bsp, "map", diag);
    assert_true(status == STATUS_OK || status == STATUS_FAILED);
    int of_face = 0;
    for (size_t i = 0; i < diag_entries(diag); i++)
        of_face += strncmp(diag_entry(diag, i)->message, "face 0: ", 8) == 0 &&
                   diag_entry(diag, i)->code == DIAG_VERIFY_FACE_SHAPE;
    assert_int_equal(of_face, 1);
    bsp_free(bsp);
    diag_free(diag);
}

/* Gives the first face an outline that it shares with no other. */
static void redraw_a_face(struct bsp *bsp, const struct vec3 *points, const int *order, int count)
{
    struct bsp_face *face = &bsp->faces[0];
    int first = (int)arrlen(bsp->vertices);
    for (int i = 0; i < count; i++) {
        struct bsp_vertex vertex;
        for (int k = 0; k < 3; k++)
            vertex.p[k] = (float)points[i].e[k];
        arrput(bsp->vertices, vertex);
    }
    face->first_edge = (int32_t)arrlen(bsp->surfedges);
    face->edge_count = count;
    for (int i = 0; i < count; i++) {
        struct bsp_edge edge = {{first + order[i], first + order[(i + 1) % count]}};
        arrput(bsp->surfedges, (int32_t)arrlen(bsp->edges));
        arrput(bsp->edges, edge);
    }
}

/* Moves a corner of the first face across the line between its neighbours, by that distance. */
static void dents_are_told_by_their_depth(void **state)
{
    (void)state;
    static const struct {
        double depth;
        int repeat;
        int code;
        const char *message;
    } cases[] = {
        {0.02, 0, DIAG_VERIFY_FACE_SHAPE, NULL},
        {0.3, 0, DIAG_VERIFY_FACE_SHAPE, "face 0: not convex by 0.3 units"},
        {2, 0, DIAG_VERIFY_FACE, "face 0: not convex by 2 units"},
        {0, 1, DIAG_VERIFY_FACE_SHAPE, "face 0: vertex "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bsp *bsp = read_own(diag);
        struct vec3 p[6];
        for (int k = 0; k < 4; k++)
            p[k] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, &bsp->faces[0], k));
        /* A point within the last edge: a nearly straight corner of a wide face. */
        struct vec3 inward = vec3_normalize(vec3_sub(p[2], p[3]));
        p[4] = vec3_mad(vec3_lerp(p[3], p[0], 0.5), inward, cases[i].depth);
        p[5] = p[4];
        const int once[] = {0, 1, 2, 3, 4}, twice[] = {0, 1, 2, 3, 4, 4};
        redraw_a_face(bsp, p, cases[i].repeat ? twice : once, 5 + cases[i].repeat);
        assert_int_equal(bsp_verify(bsp, "map", diag), STATUS_FAILED);
        bool told = false;
        for (size_t k = 0; k < diag_entries(diag); k++) {
            const struct diag_entry *entry = diag_entry(diag, k);
            if (!strstr(entry->message, "not convex") && !strstr(entry->message, "occurs twice"))
                continue;
            assert_non_null(cases[i].message);
            assert_int_equal(entry->code, cases[i].code);
            told |= !strncmp(entry->message, cases[i].message, strlen(cases[i].message));
        }
        assert_int_equal(told, cases[i].message != NULL);
        bsp_free(bsp);
        diag_free(diag);
    }
}

SUITE(test_bsp_verify)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_map_has_no_fault),
        cmocka_unit_test(maps_of_the_corpus_have_no_errors),
        cmocka_unit_test(every_harm_is_found),
        cmocka_unit_test(many_faults_are_counted),
        cmocka_unit_test(a_face_is_counted_once),
        cmocka_unit_test(dents_are_told_by_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
