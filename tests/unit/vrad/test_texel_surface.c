/* Positions of texels on a model in a map. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/array.h"
#include "tests/support/near.h"
#include "vrad/props/texel_surface.h"

/* An eighth of a ball of radius 1, as one triangle, over half of an image of 8 x 8; and a second
 * triangle in a hidden part of the model. */
struct fixture {
    struct model_vertex vertices[3];
    struct mdl_part part;
    struct mdl_model models[2];
    struct mdl_mesh meshes[2];
    struct model model;
    struct texel_triangles triangles;
    struct texel_image image;
};

static void begin(struct fixture *f, bool bent)
{
    memset(f, 0, sizeof *f);
    for (int k = 0; k < 3; k++) {
        f->vertices[k].p[k] = 1;
        for (int n = 0; n < 3; n++)
            f->vertices[k].normal[n] = bent ? k == n : 0.5773502692f;
    }
    f->vertices[1].uv[0] = f->vertices[2].uv[1] = 1;
    f->part = (struct mdl_part){0, 2};
    f->models[0] = (struct mdl_model){.first_mesh = 0, .mesh_count = 1};
    f->models[1] = (struct mdl_model){.first_mesh = 1, .mesh_count = 1};
    f->model.mdl = (struct mdl){.parts = &f->part,
                                .part_count = 1,
                                .models = f->models,
                                .model_count = 2,
                                .meshes = f->meshes,
                                .mesh_count = 2};
    f->model.vvd = (struct vvd){.vertices = f->vertices, .count = 3, .lods = 1};
    for (int i = 0; i < 2; i++) /* clockwise from outside */
        arrput(f->model.vtx.triangles, ((struct model_triangle){1 - i, {0, 2, 1}}));
    texel_triangles_of(&f->model, &f->triangles);
    texel_raster((const float(*)[3][2])f->triangles.corners, arrlenu(f->triangles.numbers), 8, 8,
                 &f->image);
}

static void end(struct fixture *f)
{
    texel_image_free(&f->image);
    texel_triangles_free(&f->triangles);
    arrfree(f->model.vtx.triangles);
}

static void expect_vector(struct vec3 got, double x, double y, double z)
{
    const double want[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        assert_near(got.e[k], want[k], 1e-5);
}

static void what_is_not_shown_has_no_texels(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f, false);
    assert_int_equal(arrlen(f.triangles.numbers), 1);
    assert_int_equal(f.triangles.numbers[0], 1);
    end(&f);
}

/* Rotated by 90 degrees around z and moved. */
static void places_are_those_of_the_prop(void **state)
{
    struct fixture f;
    struct texel_place place;
    const struct transform transform = transform_from_angles(vec3(10, 20, 30), vec3(0, 90, 0), 2);
    const struct texel texel = {0, {0.5f, 0.25f, 0.25f}};
    (void)state;
    begin(&f, false);
    assert_true(texel_place_of(&f.triangles, &transform, &f.image, &texel, &place));
    expect_vector(place.position, 10 - 2 * 0.25, 20 + 2 * 0.5, 30 + 2 * 0.25);
    expect_vector(place.normal, -0.57735027, 0.57735027, 0.57735027);
    /* Twice the area of the triangle is root 3, times 4; of its image, 64. */
    assert_near(place.width, sqrt(4 * sqrt(3) / 64), 1e-5);
    end(&f);
}

/* The middle of a smooth triangle moves out to where its normals place it; its corners and the
 * edges of flat ones stay. */
static void curved_triangles_are_smooth(void **state)
{
    struct fixture f;
    struct texel_place place;
    const struct transform transform = transform_from_angles(vec3(0, 0, 0), vec3(0, 0, 0), 1);
    const struct texel middle = {0, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}}, corner = {0, {1, 0, 0}};
    (void)state;
    begin(&f, true);
    assert_true(texel_place_of(&f.triangles, &transform, &f.image, &middle, &place));
    expect_vector(place.position, 5 / 9.0, 5 / 9.0, 5 / 9.0);
    expect_vector(place.normal, 0.57735027, 0.57735027, 0.57735027);
    assert_true(texel_place_of(&f.triangles, &transform, &f.image, &corner, &place));
    expect_vector(place.position, 1, 0, 0);
    expect_vector(place.normal, 1, 0, 0);
    end(&f);
}

/* Without finite normals the triangle's own is used; without a finite position there is none. */
static void odd_vertices_do_no_harm(void **state)
{
    struct fixture f;
    struct texel_place place;
    const struct transform transform = transform_from_angles(vec3(0, 0, 0), vec3(0, 0, 0), 1);
    const struct texel middle = {0, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}};
    (void)state;
    begin(&f, true);
    f.vertices[1].normal[0] = NAN;
    assert_true(texel_place_of(&f.triangles, &transform, &f.image, &middle, &place));
    expect_vector(place.position, 1 / 3.0, 1 / 3.0, 1 / 3.0);
    expect_vector(place.normal, 0.57735027, 0.57735027, 0.57735027);
    memset(f.vertices[0].normal, 0, sizeof f.vertices[0].normal);
    memset(f.vertices[1].normal, 0, sizeof f.vertices[1].normal);
    memset(f.vertices[2].normal, 0, sizeof f.vertices[2].normal);
    assert_true(texel_place_of(&f.triangles, &transform, &f.image, &middle, &place));
    expect_vector(place.normal, 0.57735027, 0.57735027, 0.57735027);
    f.vertices[2].p[0] = INFINITY;
    assert_false(texel_place_of(&f.triangles, &transform, &f.image, &middle, &place));
    end(&f);
}

SUITE(test_texel_surface)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_shown_has_no_texels),
        cmocka_unit_test(places_are_those_of_the_prop),
        cmocka_unit_test(curved_triangles_are_smooth),
        cmocka_unit_test(odd_vertices_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
