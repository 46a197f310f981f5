/* Which vertices of a model have one light, and which are one piece of it. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "vrad/props/vertex_light.h"

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

SUITE(test_mesh_vertices)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_meet_at_hard_edges),
        cmocka_unit_test(places_are_the_same_with_their_normal),
        cmocka_unit_test(what_is_not_shown_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
