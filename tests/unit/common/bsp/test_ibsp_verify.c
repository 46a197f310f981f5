/* Reports on damaged Quake 3 maps, and maps that are refused. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/bsp/verify/verify.h"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/verify.def"
#include "common/diag/codes/verify_quake3.def"
#include "tests/support/ibsp_room.h"

static struct bsp *read_room(int pages)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *made = ibsp_room(pages), *bsp = NULL;
    struct bytes file = {0};
    assert_int_equal(bsp_encode(made, bsp_format_find("quake3"), "room", diag, &file), STATUS_OK);
    assert_int_equal(bsp_decode(file.data, file.size, "room", diag, &bsp), STATUS_OK);
    bytes_free(&file);
    bsp_free(made);
    diag_free(diag);
    return bsp;
}

static void print_entry(void *context, const struct diag_entry *entry)
{
    (void)context;
    printf("%s %s\n", diag_info(entry->code)->code, entry->message);
}

static void the_room_has_no_fault(void **state)
{
    (void)state;
    for (int pages = 0; pages < 3; pages += 2) {
        struct diag *diag = diag_new(print_entry, NULL);
        struct bsp *bsp = read_room(pages);
        assert_int_equal(bsp_verify(bsp, "room", diag), STATUS_OK);
        assert_int_equal(diag_entries(diag), 0);
        bsp_free(bsp);
        diag_free(diag);
    }
}

typedef void harm(struct bsp *bsp);

static void lead_a_shader_away(struct bsp *bsp)
{
    bsp->surfaces[1].shader = 2;
}
static void lead_a_side_away(struct bsp *bsp)
{
    bsp->brush_sides[3].texinfo = -1;
}
static void lead_a_brush_away(struct bsp *bsp)
{
    bsp->brushes[3].shader = 9;
}
static void lead_a_plane_away(struct bsp *bsp)
{
    bsp->nodes[3].plane = 30;
}
static void lead_a_child_away(struct bsp *bsp)
{
    bsp->nodes[3].children[0] = -11;
}
static void lead_a_leaf_surface_away(struct bsp *bsp)
{
    bsp->leaf_faces[3] = 10;
}
static void lead_a_leaf_brush_away(struct bsp *bsp)
{
    bsp->leaf_brushes[0] = 8;
}
static void lead_a_fog_away(struct bsp *bsp)
{
    bsp->effects[0].brush = 8;
}
static void lead_a_fog_side_away(struct bsp *bsp)
{
    bsp->effects[0].side = 6;
}
static void lead_vertices_away(struct bsp *bsp)
{
    bsp->surfaces[0].first_vertex = 1000;
}
static void lead_indices_away(struct bsp *bsp)
{
    bsp->surfaces[0].first_index = 1;
}
static void lead_an_index_away(struct bsp *bsp)
{
    bsp->draw_indices[5] = 4;
}
static void lead_a_model_away(struct bsp *bsp)
{
    bsp->models[1].brush_count = 2;
}
static void lead_a_head_away(struct bsp *bsp)
{
    bsp->models[1].head_node = 7;
}
static void lead_a_cluster_away(struct bsp *bsp)
{
    bsp->leaves[7].cluster = 2;
}
static void spread_a_leaf(struct bsp *bsp)
{
    bsp->leaves[7].maxs[2] = INT32_MAX;
}
static void bend_a_patch(struct bsp *bsp)
{
    bsp->surfaces[6].patch_size[1] = 4;
}
static void cut_the_rows(struct bsp *bsp)
{
    bsp->visibility.size--;
}
static void spread_a_vertex(struct bsp *bsp)
{
    bsp->draw_vertices[2].p[1] = NAN;
}
static void spread_a_plane(struct bsp *bsp)
{
    bsp->planes[2].dist = INFINITY;
}
static void knot_the_tree(struct bsp *bsp)
{
    bsp->nodes[6].children[0] = 3;
}

static void take_the_models(struct bsp *bsp)
{
    arrfree(bsp->models);
}
static void take_the_shaders(struct bsp *bsp)
{
    arrfree(bsp->shaders);
    arrfree(bsp->brushes);
    arrfree(bsp->brush_sides);
    arrfree(bsp->effects);
    arrfree(bsp->surfaces);
    bsp->models[0].face_count = bsp->models[0].brush_count = 0;
    arrsetlen(bsp->models, 1);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        bsp->leaves[i].face_count = bsp->leaves[i].brush_count = 0;
    arrfree(bsp->leaf_faces);
    arrfree(bsp->leaf_brushes);
}
static void tear_a_lightmap(struct bsp *bsp)
{
    bytes_fill(&bsp->ldr.lighting, 0, 100);
}
static void stretch_a_normal(struct bsp *bsp)
{
    bsp->planes[0].normal[0] = 1.5f;
}
static void move_a_plane(struct bsp *bsp)
{
    bsp->planes[4].dist += 1;
}
static void turn_a_pair(struct bsp *bsp)
{
    struct bsp_plane plane = bsp->planes[4];
    bsp->planes[4] = bsp->planes[5];
    bsp->planes[5] = plane;
}
static void turn_a_node(struct bsp *bsp)
{
    bsp->nodes[0].plane++;
}
static void share_a_leaf(struct bsp *bsp)
{
    bsp->nodes[6].children[0] = -1 - 8;
}
static void hang_the_dummy(struct bsp *bsp)
{
    bsp->nodes[6].children[0] = -1;
}
static void fill_the_dummy(struct bsp *bsp)
{
    bsp->leaves[0].brush_count = 1;
}
static void open_a_solid_leaf(struct bsp *bsp)
{
    bsp->leaves[2].area = 0;
}
static void dress_a_solid_leaf(struct bsp *bsp)
{
    bsp->leaves[2].face_count = 1;
}
static void list_the_door(struct bsp *bsp)
{
    bsp->leaf_faces[0] = 9;
}
static void strip_a_brush(struct bsp *bsp)
{
    bsp->brushes[7].side_count = 5;
}
static void reorder_a_brush(struct bsp *bsp)
{
    struct bsp_brush_side side = bsp->brush_sides[0];
    bsp->brush_sides[0] = bsp->brush_sides[1];
    bsp->brush_sides[1] = side;
}
static void part_the_models(struct bsp *bsp)
{
    bsp->models[1].first_face = 3;
}
static void mistype_a_surface(struct bsp *bsp)
{
    bsp->surfaces[0].type = 5;
}
static void tear_a_triangle(struct bsp *bsp)
{
    bsp->surfaces[0].index_count = 5;
}
static void grow_a_face(struct bsp *bsp)
{
    bsp->surfaces[0].vertex_count = 65;
    while (arrlen(bsp->draw_vertices) < 100)
        arrput(bsp->draw_vertices, bsp->draw_vertices[0]);
}
static void grow_a_patch(struct bsp *bsp)
{
    while (arrlen(bsp->draw_vertices) < 200)
        arrput(bsp->draw_vertices, bsp->draw_vertices[0]);
    bsp->surfaces[6].vertex_count = 33 * 3;
    bsp->surfaces[6].patch_size[0] = 33;
}
static void lose_a_page(struct bsp *bsp)
{
    bsp->surfaces[0].lightmap = 1;
}
static void misname_a_page(struct bsp *bsp)
{
    bsp->surfaces[0].lightmap = -5;
}
static void spread_a_lightmap(struct bsp *bsp)
{
    bsp->surfaces[0].lightmap = 0x1000;
    bsp->draw_vertices[0].lightmap[1] = 1.5f;
}
static void blur_a_lightmap(struct bsp *bsp)
{
    bsp->draw_vertices[0].lightmap[0] = NAN;
}
static void fog_the_map(struct bsp *bsp)
{
    bsp->effects[0].brush = -1;
}
static void lose_a_fog(struct bsp *bsp)
{
    bsp->surfaces[2].effect = 1;
}
static void lose_a_grid_point(struct bsp *bsp)
{
    arrsetlen(bsp->light_grid, ROOM_GRID - 1);
}
static void grow_the_world(struct bsp *bsp)
{
    bsp->models[0].maxs[0] = 3e38f;
}
static void shorten_the_rows(struct bsp *bsp)
{
    bytes_free(&bsp->visibility);
    bytes_fill(&bsp->visibility, 0xff, 9);
    bsp->visibility_clusters = 9;
    bsp->visibility_row = 1;
}
static void blind_a_cluster(struct bsp *bsp)
{
    bsp->visibility.data[0] = 2;
}
static void fill_a_name(struct bsp *bsp)
{
    memset(bsp->shaders[0].name, 'a', SHADER_NAME);
}
static void cut_the_text(struct bsp *bsp)
{
    bsp->entities[3] = '\0';
}
static void break_the_text(struct bsp *bsp)
{
    arrsetlen(bsp->entities, arrlenu(bsp->entities) - 2);
}
static void rename_the_world(struct bsp *bsp)
{
    bsp->entities[16] = 'x';
}
static void misname_a_model(struct bsp *bsp)
{
    for (size_t i = 0; i + 1 < arrlenu(bsp->entities); i++)
        if (bsp->entities[i] == '*')
            bsp->entities[i + 1] = '2';
}
static void misplace_a_lump(struct bsp *bsp)
{
    bsp->layout.offset[IBSP_PLANES]++;
}

static const struct {
    harm *harm;
    int code;
} harms[] = {
    {lead_a_shader_away, DIAG_BSP_RANGE},     {lead_a_side_away, DIAG_BSP_RANGE},
    {lead_a_brush_away, DIAG_BSP_RANGE},      {lead_a_plane_away, DIAG_BSP_RANGE},
    {lead_a_child_away, DIAG_BSP_RANGE},      {lead_a_leaf_surface_away, DIAG_BSP_RANGE},
    {lead_a_leaf_brush_away, DIAG_BSP_RANGE}, {lead_a_fog_away, DIAG_BSP_RANGE},
    {lead_a_fog_side_away, DIAG_BSP_RANGE},   {lead_vertices_away, DIAG_BSP_RANGE},
    {lead_indices_away, DIAG_BSP_RANGE},      {lead_an_index_away, DIAG_BSP_RANGE},
    {lead_a_model_away, DIAG_BSP_RANGE},      {lead_a_head_away, DIAG_BSP_RANGE},
    {lead_a_cluster_away, DIAG_BSP_RANGE},    {spread_a_leaf, DIAG_VERIFY_BOX},
    {bend_a_patch, DIAG_BSP_RANGE},           {cut_the_rows, DIAG_BSP_LUMP},
    {take_the_models, DIAG_BSP_LUMP},         {spread_a_vertex, DIAG_BSP_NUMBER},
    {spread_a_plane, DIAG_BSP_NUMBER},        {knot_the_tree, DIAG_BSP_TREE},
    {take_the_shaders, DIAG_IBSP_LIST},       {tear_a_lightmap, DIAG_IBSP_LIST},
    {stretch_a_normal, DIAG_IBSP_PLANE},      {move_a_plane, DIAG_IBSP_PLANE_PAIR},
    {turn_a_pair, DIAG_IBSP_PLANE_PAIR},      {turn_a_node, DIAG_IBSP_PLANE_PAIR},
    {share_a_leaf, DIAG_IBSP_TREE},           {hang_the_dummy, DIAG_IBSP_TREE},
    {fill_the_dummy, DIAG_IBSP_TREE},         {open_a_solid_leaf, DIAG_IBSP_LEAF},
    {dress_a_solid_leaf, DIAG_IBSP_LEAF},     {list_the_door, DIAG_IBSP_LEAF},
    {strip_a_brush, DIAG_IBSP_BRUSH},         {reorder_a_brush, DIAG_IBSP_BRUSH},
    {part_the_models, DIAG_IBSP_MODEL},       {mistype_a_surface, DIAG_IBSP_SURFACE},
    {tear_a_triangle, DIAG_IBSP_SURFACE},     {grow_a_face, DIAG_IBSP_SURFACE},
    {grow_a_patch, DIAG_IBSP_SURFACE},        {lose_a_page, DIAG_IBSP_LIGHTMAP},
    {misname_a_page, DIAG_IBSP_LIGHTMAP},     {spread_a_lightmap, DIAG_IBSP_LIGHTMAP},
    {blur_a_lightmap, DIAG_IBSP_VERTEX},      {fog_the_map, DIAG_IBSP_EFFECT},
    {lose_a_fog, DIAG_IBSP_EFFECT},           {lose_a_grid_point, DIAG_IBSP_GRID},
    {grow_the_world, DIAG_IBSP_GRID},         {shorten_the_rows, DIAG_IBSP_VIS},
    {blind_a_cluster, DIAG_IBSP_VIS_ODD},     {fill_a_name, DIAG_IBSP_TEXT},
    {cut_the_text, DIAG_IBSP_ENTITIES},       {break_the_text, DIAG_IBSP_ENTITIES},
    {rename_the_world, DIAG_IBSP_ENTITIES},   {misname_a_model, DIAG_IBSP_ENTITIES},
    {misplace_a_lump, DIAG_IBSP_PLACE},
};

static void every_harm_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bsp *bsp = read_room(0);
        harms[i].harm(bsp);
        enum status status = bsp_verify(bsp, "room", diag);
        if (!diag_count_code(diag, harms[i].code))
            fail_msg("harm %zu is not told as %s", i, diag_info(harms[i].code)->code);
        assert_int_equal(status == STATUS_FAILED, diag_count(diag, DIAG_ERROR) > 0);
        bool error = diag_info(harms[i].code)->severity == DIAG_ERROR;
        assert_true(!error || status == STATUS_FAILED);
        bsp_free(bsp);
        diag_free(diag);
    }
}

/* Only some lumps of a few bytes follow the page. */
static void a_single_page_needs_bytes_behind_it(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = read_room(1);
    assert_int_equal(bsp_verify(bsp, "room", diag), STATUS_OK);
    assert_int_equal(diag_count_code(diag, DIAG_IBSP_LIGHTMAP), 1);
    bsp_free(bsp);
    diag_free(diag);
}

SUITE(test_ibsp_verify)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_room_has_no_fault),
        cmocka_unit_test(every_harm_is_found),
        cmocka_unit_test(a_single_page_needs_bytes_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
