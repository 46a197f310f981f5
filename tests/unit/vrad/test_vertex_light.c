/* Vertex lighting files of static props. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/core/array.h"
#include "tests/support/model_files.h"
#include "vrad/props/vertex_light.h"
#include "vrad/props/vhv.h"

enum { HEADER = 40, MESH = 28, BLOCK = 512, BOX_LODS = 3 };

static void light_becomes_a_colour(void **state)
{
    (void)state;
    static const struct {
        float light[3];
        struct vhv_colour want;
    } cases[] = {
        {{0, 0, 0}, {0, 0, 0}},
        {{-3, 255, 0}, {0, 128, 0}},
        {{255 * 4.59479342f, 255, 0}, {255, 128, 0}},   /* 2^2.2: exactly the maximum */
        {{255 * 21.1121266f, 255, 255}, {255, 64, 64}}, /* twice that: the hue stays */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vhv_colour got = vhv_colour_of(cases[i].light);
        assert_int_equal(got.r, cases[i].want.r);
        assert_int_equal(got.g, cases[i].want.g);
        assert_int_equal(got.b, cases[i].want.b);
    }
}

/* A box of which LOD 1 keeps four vertices and LOD 2 two. */
struct box {
    struct diag *diag;
    struct arena arena;
    struct model model;
};

static void make_box(struct box *box)
{
    const double half[3] = {1, 2, 3};
    struct model_files files = model_files_box(48, MDL_STATIC_PROP, half);
    static const uint32_t counts[BOX_LODS] = {BOX_VERTICES, 4, 2};
    *box = (struct box){.diag = diag_new(NULL, NULL)};
    model_files_put(&files.vvd, 12, BOX_LODS);
    for (size_t i = 0; i < BOX_LODS; i++) {
        model_files_put(&files.vvd, 16 + 4 * i, counts[i]);
        model_files_put(&files.mdl, 644 + 52 + 4 * i, counts[i]);
    }
    struct model *model = &box->model;
    assert_int_equal(mdl_decode(&files.mdl, NULL, box->diag, &box->arena, &model->mdl), STATUS_OK);
    assert_int_equal(vvd_decode(&files.vvd, NULL, box->diag, &box->arena, &model->vvd), STATUS_OK);
    model_files_free(&files);
}

static void free_box(struct box *box)
{
    model_free(&box->model);
    arena_free(&box->arena);
    diag_free(box->diag);
}

static void every_lod_has_its_vertices(void **state)
{
    (void)state;
    struct box box;
    struct bytes file = {0};
    struct vhv_colour colours[BOX_VERTICES];
    make_box(&box);
    static const uint8_t coarsest[BOX_VERTICES] = {2, 2, 1, 1, 0, 0, 0, 0};
    assert_memory_equal(box.model.vvd.coarsest, coarsest, sizeof coarsest);
    /* As fixups may leave it: which ones a LOD keeps is any. */
    box.model.vvd.coarsest[0] = 0;
    box.model.vvd.coarsest[7] = 2;
    for (uint8_t i = 0; i < BOX_VERTICES; i++)
        colours[i] = (struct vhv_colour){i, (uint8_t)(10 + i), (uint8_t)(20 + i)};
    assert_true(vhv_encode(&box.model, colours, &file));
    assert_int_equal(load_u32(file.data + 16), 14);
    assert_int_equal(load_u32(file.data + 20), BOX_LODS);
    assert_int_equal(file.size, 2 * BLOCK);
    static const uint8_t want[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 7, 1, 7};
    static const uint32_t starts[BOX_LODS] = {BLOCK, BLOCK + 32, BLOCK + 48};
    for (uint32_t i = 0; i < BOX_LODS; i++) {
        const unsigned char *mesh = file.data + HEADER + MESH * (size_t)i;
        assert_int_equal(load_u32(mesh), i);
        assert_int_equal(load_u32(mesh + 8), starts[i]);
    }
    for (size_t i = 0; i < sizeof want; i++) {
        const unsigned char bytes[4] = {(unsigned char)(20 + want[i]),
                                        (unsigned char)(10 + want[i]), want[i], 255};
        assert_memory_equal(file.data + BLOCK + 4 * i, bytes, 4);
    }
    bytes_free(&file);
    free_box(&box);
}

static void meshes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct box box;
    struct bytes file = {0};
    const struct vhv_colour colours[BOX_VERTICES] = {{0, 0, 0}};
    make_box(&box);
    struct mdl_mesh *mesh = box.model.mdl.meshes;
    const struct mdl_mesh good = *mesh;
    mesh->first_vertex = 1;
    assert_false(vhv_encode(&box.model, colours, &file));
    *mesh = good;
    mesh->first_vertex = -1;
    assert_false(vhv_encode(&box.model, colours, &file));
    *mesh = good;
    mesh->vertex_count[2] = BOX_VERTICES + 1;
    assert_false(vhv_encode(&box.model, colours, &file));
    assert_int_equal(file.size, 0);
    free_box(&box);
}

/* Real models: the vertices of a mesh in a LOD are as many as in the MDL. */
static void lods_of_real_models_fit(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ac_fan",      "agrunt",      "arrow",  "button_top_reference",
        "cone_helper", "door01_left", "frame",  "male_07",
        "platform",    "pyramid",     "v_knife"};
    static const char *const folders[] = {SHARED_DIR "/corpus/assets"};
    const struct assets_options look_up = {.search_paths = folders, .search_path_count = 1};
    if (access(folders[0], R_OK) != 0) {
        print_message("skipped: %s is not here\n", folders[0]);
        skip();
    }
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk()};
    struct assets *assets;
    int more_lods = 0;
    assert_int_equal(assets_open(&env, &look_up, &assets), STATUS_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arena arena = {0};
        struct model model;
        char name[128];
        snprintf(name, sizeof name, "models/%s/%s.mdl", names[i], names[i]);
        assert_true(model_load(assets, name, &arena, env.diag, &model));
        for (int32_t m = 0; m < model.mdl.mesh_count; m++) {
            const struct mdl_mesh *mesh = &model.mdl.meshes[m];
            for (int32_t lod = 0; lod < model.vvd.lods; lod++) {
                int32_t kept = 0;
                for (int32_t v = 0; v < mesh->vertex_count[0]; v++)
                    kept += model.vvd.coarsest[mesh->first_vertex + v] >= lod;
                assert_int_equal(kept, mesh->vertex_count[lod]);
                more_lods += lod > 0;
            }
        }
        model_free(&model);
        arena_free(&arena);
    }
    assert_true(more_lods > 10);
    assets_free(assets);
    diag_free(env.diag);
}

/* Which vertices of a model have one light, and which are one piece of it. */

enum { VERTICES = 12 };

/* Two triangles that meet along a hard edge (0 1 2, 3 4 5: 1 = 3 and 2 = 4 but for their normals),
 * one apart (6 7 8), and one of a model that its part does not show, which lies in that (9 10 11).
 */
struct fixture {
    struct model_vertex vertices[VERTICES];
    struct mdl_mesh meshes[2];
    struct mdl_model models[2];
    struct mdl_part part;
    struct model model;
    struct mesh_vertices found;
};

static void put_triangle(struct fixture *f, int first, int32_t mesh, double x, double z)
{
    struct model_triangle triangle = {.mesh = mesh};
    for (int k = 0; k < 3; k++) {
        struct model_vertex *vertex = &f->vertices[first + k];
        vertex->p[0] = (float)x + (k == 2 ? 0 : (float)k);
        vertex->p[1] = k == 2;
        vertex->normal[2] = (float)z;
        triangle.vertices[k] = first + k;
    }
    arrput(f->model.vtx.triangles, triangle);
}

static void begin(struct fixture *f)
{
    *f = (struct fixture){
        .meshes = {{.first_vertex = 0, .vertex_count = {9}},
                   {.first_vertex = 9, .vertex_count = {3}}},
        .models = {{.first_mesh = 0, .mesh_count = 1}, {.first_mesh = 1, .mesh_count = 1}},
        .part = {.first_model = 0, .model_count = 2}};
    put_triangle(f, 0, 0, 0, 1);
    put_triangle(f, 3, 0, 0, -1);
    put_triangle(f, 6, 0, 100, 1);
    put_triangle(f, 9, 1, 100, 1);
    f->vertices[3] = f->vertices[1];
    f->vertices[4] = f->vertices[2];
    f->vertices[5].p[0] = 1;
    f->vertices[3].normal[2] = f->vertices[4].normal[2] = -1;
    f->model.mdl = (struct mdl){.parts = &f->part,
                                .models = f->models,
                                .meshes = f->meshes,
                                .part_count = 1,
                                .model_count = 2,
                                .mesh_count = 2};
    f->model.vvd = (struct vvd){.vertices = f->vertices, .count = VERTICES};
    mesh_vertices_find(&f->model, &f->found);
}

static void end(struct fixture *f)
{
    mesh_vertices_free(&f->found);
    arrfree(f->model.vtx.triangles);
}

static void pieces_meet_at_hard_edges(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int i = 0; i < VERTICES; i++)
        assert_int_equal(f.found.piece[i] == f.found.piece[0], i < 6);
    assert_int_equal(f.found.piece[6], f.found.piece[8]);
    assert_int_not_equal(f.found.piece[6], f.found.piece[9]);
    end(&f);
}

static void places_are_the_same_with_their_normal(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int i = 0; i < 9; i++)
        assert_int_equal(f.found.same_as[i], i);
    end(&f);
    begin(&f);
    mesh_vertices_free(&f.found);
    f.vertices[3].normal[2] = 1;
    mesh_vertices_find(&f.model, &f.found);
    assert_int_equal(f.found.same_as[3], 1);
    end(&f);
}

static void what_is_not_shown_is_hidden(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int i = 0; i < VERTICES; i++)
        assert_int_equal(f.found.same_as[i] == VERTEX_HIDDEN, i >= 9);
    end(&f);
}

SUITE(test_vertex_light)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_becomes_a_colour),
        cmocka_unit_test(every_lod_has_its_vertices),
        cmocka_unit_test(meshes_that_do_not_fit_are_refused),
        cmocka_unit_test(lods_of_real_models_fit),
        cmocka_unit_test(pieces_meet_at_hard_edges),
        cmocka_unit_test(places_are_the_same_with_their_normal),
        cmocka_unit_test(what_is_not_shown_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
