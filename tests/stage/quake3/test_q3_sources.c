/* Quake 3 BSPs from VMFs, with updated entities, and with their portal file. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/bsp/engine.h"
#include "common/bsp/flags.h"
#include "common/diag/codes/quake3_levels.def"
#include "common/diag/codes/updates.def"
#include "tests/support/near.h"
#include "tests/support/vbsp/q3_map.h"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"
#include "vbsp/vbsp.h"

static void a_vmf_becomes_a_map_of_quake_3(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes file = {0};
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "wall");
    text_map_box(&map, vec3(128, 64, 0), vec3(160, 96, 32), "tools/toolsplayerclip");
    text_map_entity(&map, "info_player_start", "origin \"32 32 16\"");
    bytes_append_text(&map.text, "}\n");
    map.options.engine = &engine_quake3;
    text_map_run(&map, &(struct assets_options){0}, vmf_parse, "maps/test.vmf", STATUS_OK);
    q3_map_encode(&map, &file);
    const struct bsp *bsp = map.bsp;
    /* Detail of the world, and no entity; the clip is one. */
    assert_int_equal(bsp->models[0].brush_count, 8);
    assert_false(q3_lump_has(bsp, "func_detail"));
    assert_int_equal(map.out.prt.cluster_count, 1);
    bool clip = false, named = false;
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++) {
        clip |= (bsp->shaders[i].contents & Q3_CONTENTS_PLAYERCLIP) != 0;
        named |= strcmp(bsp->shaders[i].name, "textures/wall") == 0;
    }
    assert_true(clip && named);
    bytes_free(&file);
    text_map_free(&map);
}

static void put_room(struct text_map *map, const char *message, bool door)
{
    q3_map_init(map);
    bytes_append_text(&map->text, "\"message\" \"%s\"\n", message);
    q3_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_entity(map, "func_door", "");
    q3_map_box(map, vec3(64, 64, 0), vec3(96, 96, 32), "test/wall");
    if (door)
        q3_map_box(map, vec3(164, 64, 0), vec3(196, 96, 32), "test/wall");
    q3_map_player(map, "32 32 32");
}

static void entities_are_replaced_where_models_fit(void **state)
{
    (void)state;
    for (int door = 0; door < 2; door++) {
        struct text_map first, second;
        put_room(&first, "old", false);
        q3_map_compile(&first, STATUS_OK);
        put_room(&second, "new", door);
        q3_map_compile(&second, STATUS_OK);
        first.bsp->format = bsp_format_find("quake3");
        enum status status = vbsp_update_entities(&second.env, &second.options, second.assets,
                                                  &second.level, first.bsp);
        assert_int_equal(status, door ? STATUS_FAILED : STATUS_OK);
        assert_int_equal(q3_lump_has(first.bsp, "\"message\" \"new\""), !door);
        assert_true(q3_lump_has(first.bsp, "\"model\" \"*1\""));
        assert_int_equal(q3_report(&second, DIAG_UPDATE_MISMATCH) != NULL, door);
        assert_int_equal(vbsp_update_props(&second.env, &second.options, second.assets,
                                           &second.level, first.bsp),
                         STATUS_FAILED);
        text_map_free(&first);
        text_map_free(&second);
    }
}

static size_t update_world(struct text_map *first, const char *keys)
{
    struct text_map second;
    q3_map_init(&second);
    bytes_append_text(&second.text, "%s\n", keys);
    q3_map_room(&second, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_player(&second, "32 32 32");
    q3_map_compile(&second, STATUS_OK);
    first->bsp->format = bsp_format_find("quake3");
    assert_int_equal(vbsp_update_entities(&second.env, &second.options, second.assets,
                                          &second.level, first->bsp),
                     STATUS_OK);
    size_t notes = diag_count_code(second.diag, DIAG_UPDATE_KEYS);
    text_map_free(&second);
    return notes;
}

/* How the light is stored is as it was when it was written; nothing is kept twice. */
static void keys_of_compilers_are_kept(void **state)
{
    (void)state;
    static const char written[] = "\"gridsize\" \"32 32 64\"\n\"deluxeMaps\" \"1\"\n"
                                  "\"_q3map2_version\" \"2.5.17\"\n"
                                  "\"_q3map2_cmdline\" \"-meta; -vis; -light\"\n";
    static const struct {
        const char *old, *keys;
        bool lit;
        size_t notes;
        const char *has[3], *lacks[3];
    } cases[] = {
        {written,
         "\"message\" \"a\"",
         true,
         0,
         {"\"gridsize\" \"32 32 64\"", "\"deluxeMaps\" \"1\"",
          "\"_q3map2_cmdline\" \"-meta; -vis; -light\""},
         {NULL}},
        {written,
         "\"gridsize\" \"128 128 128\"\n\"_q3map2_version\" \"other\"",
         true,
         1,
         {"\"gridsize\" \"32 32 64\"", "\"_q3map2_version\" \"other\""},
         {"128 128 128", "2.5.17"}},
        {written,
         "\"gridsize\" \"128 128 128\"",
         false,
         0,
         {"\"gridsize\" \"128 128 128\""},
         {"32 32 64", "deluxeMaps"}},
        {"",
         "\"gridsize\" \"128 128 128\"\n\"deluxeMaps\" \"1\"",
         true,
         2,
         {NULL},
         {"gridsize", "deluxeMaps", "_q3map2"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        q3_map_init(&map);
        bytes_append_text(&map.text, "%s", cases[i].old);
        q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        q3_map_player(&map, "32 32 32");
        q3_map_compile(&map, STATUS_OK);
        if (cases[i].lit)
            arrput(map.bsp->light_grid, ((struct bsp_grid_point){.styles = {0}}));
        assert_int_equal(update_world(&map, cases[i].keys), cases[i].notes);
        for (int k = 0; k < 3; k++) {
            assert_true(!cases[i].has[k] || q3_lump_has(map.bsp, cases[i].has[k]));
            assert_false(cases[i].lacks[k] && q3_lump_has(map.bsp, cases[i].lacks[k]));
        }
        text_map_free(&map);
    }
}

/* Each wall faces the cluster that it belongs to; the file round-trips. */
static void portals_have_the_walls_of_clusters(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes text = {0};
    struct prt read;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(528, 256, 128));
    q3_map_box(&map, vec3(256, 0, 0), vec3(272, 96, 128), "test/wall");
    q3_map_box(&map, vec3(256, 160, 0), vec3(272, 256, 128), "test/wall");
    q3_map_player(&map, "64 128 32");
    q3_map_compile(&map, STATUS_OK);
    const struct prt *prt = &map.out.prt;
    assert_true(arrlen(prt->quake3.faces) > 10);
    assert_int_equal(arrlen(prt->quake3.flags), arrlen(prt->portals));
    for (size_t i = 0; i < arrlenu(prt->quake3.faces); i++) {
        const struct prt_face *face = &prt->quake3.faces[i];
        struct plane plane;
        assert_true(winding_plane(face->winding, &plane));
        struct vec3 middle = winding_center(face->winding);
        assert_int_equal(q3_leaf_at(&map, vec3_mad(middle, plane.normal, 1))->cluster,
                         face->cluster);
        assert_int_equal(q3_leaf_at(&map, vec3_mad(middle, plane.normal, -1))->cluster, -1);
    }
    prt_format(prt, &text);
    assert_int_equal(prt_parse((const char *)text.data, text.size, "test.prt", map.diag, &read),
                     STATUS_OK);
    assert_int_equal(read.cluster_count, prt->cluster_count);
    assert_int_equal(arrlen(read.portals), arrlen(prt->portals));
    prt_free(&read);
    bytes_free(&text);
    text_map_free(&map);
}

static const char curve[] = "{\npatchDef2\n{\ntest/wall\n( 3 3 0 0 0 )\n(\n"
                            "( ( 8 8 8 0 0 ) ( 8 8 32 0 1 ) ( 8 8 64 0 2 ) )\n"
                            "( ( 64 64 8 1 0 ) ( 64 64 32 1 1 ) ( 64 64 64 1 2 ) )\n"
                            "( ( 128 8 8 2 0 ) ( 128 8 32 2 1 ) ( 128 8 64 2 2 ) )\n)\n}\n}\n";

static int count_type(const struct bsp *bsp, enum surface_type type)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        count += bsp->surfaces[i].type == (int32_t)type;
    return count;
}

static void options_change_surfaces(void **state)
{
    (void)state;
    struct text_map maps[2];
    for (int i = 0; i < 2; i++) {
        struct text_map *map = &maps[i];
        q3_map_init(map);
        q3_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
        bytes_append_text(&map->text, "%s", curve);
        /* Two halves of a plate that are merged. */
        q3_map_detail_box(map, vec3(100, 100, 0), vec3(150, 200, 8), "test/banner");
        q3_map_detail_box(map, vec3(150, 100, 0), vec3(200, 200, 8), "test/banner");
        q3_map_player(map, "32 200 32");
        map->options.surfaces = &(struct surface_options){
            .no_curves = i == 1, .no_meta = i == 1, .shade_angle = i == 1 ? 100 : 0};
        map->options.sample_size = i == 1 ? 4 : 0;
        q3_map_compile(map, STATUS_OK);
        assert_int_equal(count_type(map->bsp, SURFACE_PATCH), !i);
    }
    int joined, apart;
    (void)q3_area(&maps[0], 0, "test/banner", &joined);
    (void)q3_area(&maps[1], 0, "test/banner", &apart);
    assert_true(joined < apart);
    for (int i = 0; i < 2; i++) {
        const struct bsp *bsp = maps[i].bsp;
        const struct bsp_surface *wall = q3_surface_at(&maps[i], vec3(0, 100, 100), vec3(1, 0, 0));
        assert_non_null(wall);
        const struct surface_note *note = &maps[i].out.notes.items[wall - bsp->surfaces];
        assert_float_equal(note->sample_size, (i ? 4.0F : 16.0F), 0.0F);
        /* Round corners: the normal is that of the corner, not of the wall. */
        float along = bsp->draw_vertices[wall->first_vertex].normal[0];
        assert_true(i ? along < 0.9F : along == 1.0F);
        text_map_free(&maps[i]);
    }
}

static void clones_share_a_model(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    q3_map_entity(&map, "func_static", "\"_clonename\" \"box\"");
    q3_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "test/wall");
    q3_map_box(&map, vec3(78, 78, 14), vec3(82, 82, 18), "common/origin");
    q3_map_entity(&map, "func_rotating", "\"_clone\" \"BOX\"\n\"origin\" \"160 160 16\"");
    q3_map_player(&map, "32 32 32");
    q3_map_entity(&map, "func_static", "\"_clone\" \"ball\"\n\"origin\" \"160 160 16\"");
    q3_map_compile(&map, STATUS_OK);
    assert_int_equal(arrlen(map.bsp->models), 2);
    assert_true(q3_lump_has(map.bsp, "\"model\" \"*1\"\n\"classname\" \"func_rotating\""));
    const struct diag_entry *report = q3_report(&map, DIAG_Q3_CLONE);
    assert_non_null(report);
    assert_non_null(strstr(report->message, "ball"));
    text_map_free(&map);
}

static bool is_solid(const struct text_map *map, double x, double y, double z)
{
    return q3_leaf_has(map, vec3(x, y, z), CONTENTS_SOLID);
}

static const char banner[] = "{\npatchDef2\n{\ntest/banner\n( 3 3 0 0 0 )\n(\n"
                             "( ( 64 64 48 0 0 ) ( 64 80 48 0 1 ) ( 64 96 48 0 2 ) )\n"
                             "( ( 80 64 48 1 0 ) ( 80 80 56 1 1 ) ( 80 96 48 1 2 ) )\n"
                             "( ( 96 64 48 2 0 ) ( 96 80 48 2 1 ) ( 96 96 48 2 2 ) )\n)\n}\n}\n";

/* Coordinates of vertices that lie `by` apart differ by whole images. */
static void check_textures(const struct text_map *map, const struct bsp_surface *a,
                           const struct bsp_surface *b, struct vec3 by)
{
    const struct bsp_draw_vertex *vertices = map->bsp->draw_vertices;
    int pairs = 0;
    for (int i = 0; i < a->vertex_count; i++)
        for (int k = 0; k < b->vertex_count; k++) {
            const struct bsp_draw_vertex *p = &vertices[a->first_vertex + i],
                                         *q = &vertices[b->first_vertex + k];
            struct vec3 moved = vec3_sub(vec3_from_floats(q->p), vec3_from_floats(p->p));
            if (vec3_distance(moved, by) > 0.1)
                continue;
            pairs++;
            for (int axis = 0; axis < 2; axis++) {
                double shift = (double)(q->texture[axis] - p->texture[axis]);
                assert_near(shift - rint(shift), 0, 1e-4);
            }
        }
    assert_int_equal(pairs, 4);
}

/* A group has no model: its brushes are copied, with their textures in place. */
static void clones_of_groups_are_copies(void **state)
{
    (void)state;
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(512, 256, 128));
    q3_map_entity(&map, "func_group", "\"_clonename\" \"box\"\n\"origin\" \"80 80 0\"");
    q3_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "test/floor");
    bytes_append_text(&map.text, "%s", banner);
    q3_map_entity(&map, "func_group", "\"_clone\" \"Box\"\n\"origin\" \"208 85 3\"");
    q3_map_entity(&map, "func_group", "\"_ins\" \"rotor\"\n\"origin\" \"400 128 64\"");
    q3_map_entity(&map, "func_rotating", "\"targetname\" \"rotor\"");
    q3_map_box(&map, vec3(300, 200, 0), vec3(340, 240, 16), "test/wall");
    q3_map_box(&map, vec3(318, 218, 6), vec3(322, 222, 10), "common/origin");
    q3_map_entity(&map, "func_door", "\"_instance\" \"box\"\n\"origin\" \"80 208 0\"");
    q3_map_entity(&map, "func_group", "\"_clone\" \"nothing\"");
    q3_map_player(&map, "480 32 32");
    q3_map_compile(&map, STATUS_OK);
    assert_true(is_solid(&map, 80, 80, 16));
    assert_true(is_solid(&map, 193, 70, 4) && is_solid(&map, 223, 100, 34));
    assert_false(is_solid(&map, 191, 70, 4) || is_solid(&map, 193, 68, 4));
    assert_true(is_solid(&map, 381, 109, 57) && is_solid(&map, 419, 147, 71));
    assert_false(is_solid(&map, 400, 128, 55) || is_solid(&map, 400, 128, 73));
    assert_int_equal(arrlen(map.bsp->models), 3);
    assert_near((double)map.bsp->models[2].mins[1], -16, 1);
    const struct bsp_surface *first = q3_surface_at(&map, vec3(70, 70, 32), vec3(0, 0, 1));
    const struct bsp_surface *copy = q3_surface_at(&map, vec3(198, 75, 35), vec3(0, 0, 1));
    assert_non_null(first);
    assert_non_null(copy);
    check_textures(&map, first, copy, vec3(128, 5, 3));
    int patches = 0;
    for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++)
        patches += map.bsp->surfaces[i].type == SURFACE_PATCH;
    assert_int_equal(patches, 3);
    assert_int_equal(diag_count_code(map.diag, DIAG_Q3_CLONE), 1);
    assert_non_null(strstr(q3_report(&map, DIAG_Q3_CLONE)->message, "nothing"));
    text_map_free(&map);
}

/* Eight pyramids are scattered over a plate of 512 x 64 units. */
static void shaders_scatter_models(void **state)
{
    (void)state;
    static const char obj[] = "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nv 0 0 8\nusemtl test/banner\n"
                              "f 1 2 4\nf 2 3 4\nf 3 1 4\n";
    static const char script[] = "textures/test/meadow\n{\n"
                                 "q3map_surfaceModel models/cone.obj 64 1 1 1 0 0 0\n"
                                 "{\nmap $lightmap\n}\n}\n";
    struct text_map map;
    q3_map_init(&map);
    q3_map_room(&map, vec3(0, 0, 0), vec3(512, 256, 128));
    q3_map_box(&map, vec3(0, 0, 0), vec3(512, 64, 16), "test/meadow");
    q3_map_player(&map, "32 200 32");
    struct fs *fs = map.fs;
    assert_int_equal(fs->ops->write(fs, "game/models/cone.obj", obj, sizeof obj - 1), 0);
    assert_int_equal(fs->ops->write(fs, "game/scripts/meadow.shader", script, sizeof script - 1),
                     0);
    q3_map_compile(&map, STATUS_OK);
    int triangles = 0;
    for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++)
        if (map.bsp->surfaces[i].type == SURFACE_MESH)
            triangles += map.bsp->surfaces[i].index_count / 3;
    assert_true(triangles >= 3 * 8);
    assert_int_equal(triangles % 3, 0);
    text_map_free(&map);
}

SUITE(test_q3_sources)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vmf_becomes_a_map_of_quake_3),
        cmocka_unit_test(entities_are_replaced_where_models_fit),
        cmocka_unit_test(keys_of_compilers_are_kept),
        cmocka_unit_test(portals_have_the_walls_of_clusters),
        cmocka_unit_test(options_change_surfaces),
        cmocka_unit_test(clones_share_a_model),
        cmocka_unit_test(clones_of_groups_are_copies),
        cmocka_unit_test(shaders_scatter_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
