/* Rasterising and dilating images of texels. */
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "tests/support/near.h"
#include "vrad/props/texel_light.h"
#include "vrad/props/texel_surface.h"

enum { SIDE = 16, POINTS = 24 };

static bool is_near_rim(double at, int side)
{
    return fabs(at * side - round(at * side)) < 0.0015;
}

static size_t texel_at(const struct texel_image *image, double u, double v)
{
    double x = u * image->width, y = v * image->height;
    int64_t column = (int64_t)floor(x) % image->width, row = (int64_t)floor(y) % image->height;
    column += column < 0 ? image->width : 0;
    row += row < 0 ? image->height : 0;
    return (size_t)row * (size_t)image->width + (size_t)column;
}

/* Points on random triangles, wide, thin and outside of the image, lie in covered texels. */
static void every_texel_reached_has_a_triangle(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        float corners[1][3][2];
        struct texel_image image;
        double size = seed % 4 == 0 ? 0.02 : seed % 4 == 1 ? 0.3 : 2;
        for (uint64_t k = 0; k < 6; k++)
            corners[0][k / 2][k % 2] =
                (float)(random_unit(seed, k) * (k % 2 && seed % 3 == 0 ? 0.01 : size) - 0.7);
        texel_raster((const float(*)[3][2])corners, 1, SIDE, SIDE / 2, &image);
        for (int i = 0; i <= POINTS; i++) {
            for (int j = 0; i + j <= POINTS; j++) {
                double share[3] = {i / (double)POINTS, j / (double)POINTS, 0}, at[2] = {0, 0};
                share[2] = 1 - share[0] - share[1];
                for (int k = 0; k < 3; k++)
                    for (int n = 0; n < 2; n++)
                        at[n] += (double)corners[0][k][n] * share[k];
                if (!is_near_rim(at[0], SIDE) && !is_near_rim(at[1], SIDE / 2))
                    assert_int_equal(image.texels[texel_at(&image, at[0], at[1])].triangle, 0);
            }
        }
        texel_image_free(&image);
    }
}

/* The position on the triangle is the nearest to the middle of the texel: none of many others is
 * nearer. */
static void places_are_the_nearest(void **state)
{
    (void)state;
    static const float corners[1][3][2] = {{{0.1f, 0.15f}, {0.8f, 0.3f}, {0.35f, 0.9f}}};
    struct texel_image image;
    texel_raster(corners, 1, SIDE, SIDE, &image);
    size_t reached = 0;
    for (size_t at = 0; at < SIDE * SIDE; at++) {
        const struct texel *texel = &image.texels[at];
        double middle[2] = {(double)(at % SIDE) + 0.5, (double)(at / SIDE) + 0.5}, gap = 0;
        if (texel->triangle == TEXEL_NONE)
            continue;
        reached++;
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            assert_true(texel->share[k] >= -1e-6f && texel->share[k] <= 1 + 1e-6f);
            sum += (double)texel->share[k];
        }
        assert_near(sum, 1, 1e-5);
        for (int n = 0; n < 2; n++) {
            double p = 0;
            for (int k = 0; k < 3; k++)
                p += (double)SIDE * (double)corners[0][k][n] * (double)texel->share[k];
            gap += (p - middle[n]) * (p - middle[n]);
        }
        for (int i = 0; i <= POINTS; i++) {
            for (int j = 0; i + j <= POINTS; j++) {
                double other = 0;
                for (int n = 0; n < 2; n++) {
                    double p = (double)SIDE *
                               (i * (double)corners[0][0][n] + j * (double)corners[0][1][n] +
                                (POINTS - i - j) * (double)corners[0][2][n]) /
                               (double)POINTS;
                    other += (p - middle[n]) * (p - middle[n]);
                }
                assert_true(gap <= other + 1e-4);
            }
        }
    }
    assert_int_equal(reached, image.reached);
    assert_int_equal(image.shared, 0);
    texel_image_free(&image);
}

/* On a square of two triangles in repetitions of the image, each point of a texel is where it
 * should be, on the right half; beyond a lone triangle it is at its edge. */
static void points_of_texels_are_found(void **state)
{
    (void)state;
    static const float corners[2][3][2] = {{{-1, 3}, {0, 3}, {-1, 4}}, {{0, 3}, {0, 4}, {-1, 4}}};
    static const double points[3][2] = {{0.5, 0.5}, {0.1, 0.4}, {0.9, 0.8}};
    struct texel_image image;
    texel_raster(corners, 2, SIDE, SIDE, &image);
    for (size_t at = 0; at < SIDE * SIDE; at++) {
        const double cell[2] = {(double)(at % SIDE) - (double)SIDE,
                                (double)(at / SIDE) + 3 * (double)SIDE};
        for (int i = 0; i < 3; i++) {
            struct texel texel = texel_point(corners, &image, at, points[i]);
            for (int n = 0; n < 2; n++) {
                double p = 0;
                for (int k = 0; k < 3; k++)
                    p += (double)SIDE * (double)corners[texel.triangle][k][n] *
                         (double)texel.share[k];
                assert_near(p, cell[n] + points[i][n], 1e-3);
            }
        }
    }
    texel_image_free(&image);
    texel_raster(corners, 1, SIDE, SIDE, &image);
    struct texel texel = texel_point(corners, &image, SIDE - 1, points[2]);
    assert_int_equal(texel.triangle, 0);
    assert_near((double)texel.share[0], 0, 1e-6); /* on the edge between the other two */
    texel_image_free(&image);
}

/* Two halves of a square share an edge, but no texel; a third triangle on top shares all of its
 * texels. */
static void shared_texels_are_counted(void **state)
{
    (void)state;
    static const float corners[3][3][2] = {
        {{0, 0}, {1, 0}, {0, 1}}, {{1, 0}, {1, 1}, {0, 1}}, {{0, -2}, {0.5f, -2}, {0, -1.5f}}};
    struct texel_image image;
    texel_raster(corners, 2, SIDE, SIDE, &image);
    assert_int_equal(image.reached, SIDE * SIDE);
    assert_int_equal(image.middles, SIDE * SIDE - SIDE); /* all but those on the edge */
    assert_int_equal(image.shared, 0);
    texel_image_free(&image);
    texel_raster(corners, 3, SIDE, SIDE, &image);
    assert_int_equal(image.shared, 28); /* 1 + 2 + ... + 7: under the diagonal of 8 x 8 */
    assert_int_equal(image.texels[0].triangle, 0);
    texel_image_free(&image);
}

/* Invalid and huge coordinates, triangles without area, a repeating texture. */
static void odd_coordinates_do_no_harm(void **state)
{
    (void)state;
    static const float odd[5][3][2] = {{{NAN, 0}, {1, 0}, {0, 1}},
                                       {{0, 0}, {1e30f, 0}, {0, 1}},
                                       {{0.5f, 0.5f}, {0.5f, 0.5f}, {0.5f, 0.5f}},
                                       {{0, 0}, {1, 1}, {0.5f, 0.5f}},
                                       {{-4000, -4000}, {4000, -4000}, {-4000, 4000}}};
    struct texel_image image;
    texel_raster(odd, 4, SIDE, SIDE, &image);
    assert_int_equal(image.lost, 2);
    assert_true(image.is_flat);
    assert_int_equal(image.middles, 0);
    assert_true(image.reached >= SIDE);
    texel_image_free(&image);
    texel_raster(odd, 5, SIDE, SIDE, &image);
    assert_false(image.is_flat);
    assert_int_equal(image.reached, SIDE * SIDE);
    texel_image_free(&image);
    texel_raster(odd, 5, 1, 1, &image);
    assert_int_equal(image.reached, 1);
    texel_image_free(&image);
    texel_raster(NULL, 0, 3, 2, &image);
    assert_int_equal(image.reached, 0);
    texel_image_free(&image);
}

static void put_lit(struct lit_texel *texel, float light, double x)
{
    texel->state = TEXEL_LIT;
    texel->width = 1;
    texel->position[0] = (float)x;
    texel->normal[2] = 1;
    texel->direct[0] = light / 2;
    texel->indirect[0] = light / 2;
}

/* Each empty texel takes the nearest light, across the border too. */
static void light_spreads_over_the_image(void **state)
{
    (void)state;
    struct lit_texel texels[SIDE * SIDE];
    memset(texels, 0, sizeof texels);
    put_lit(&texels[4 * SIDE + 3], 100, 0);
    put_lit(&texels[4 * SIDE + 11], 200, 100);
    texel_dilate(SIDE, SIDE, texels);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        int x = (int)(i % SIDE), a = abs(x - 3), b = abs(x - 11);
        a = a > SIDE / 2 ? SIDE - a : a;
        b = b > SIDE / 2 ? SIDE - b : b;
        if (abs((int)(i / SIDE) - 4) > 1)
            continue; /* far rows are mixed */
        double want = a < b ? 100 : a > b ? 200 : 150;
        assert_near((double)texels[i].direct[0], want, a == b ? 50 : 1e-4);
    }
    for (size_t i = 0; i < SIDE * SIDE; i++)
        assert_in_range((int)texels[i].direct[0], 99, 200);
}

/* A covered texel takes the light of its own surface, even next to another. */
static void covered_texels_stay_on_their_surface(void **state)
{
    (void)state;
    struct lit_texel texels[5];
    memset(texels, 0, sizeof texels);
    put_lit(&texels[0], 100, 0);
    for (int i = 1; i < 3; i++) {
        put_lit(&texels[i], 999, i);
        texels[i].state = TEXEL_COVERED;
    }
    put_lit(&texels[3], 10, 500);
    put_lit(&texels[4], 10, 501);
    texel_dilate(5, 1, texels);
    assert_near((double)texels[1].direct[0], 100, 1e-4);
    assert_near((double)texels[2].direct[0], 100, 1e-4);
    struct lit_texel dark[4];
    memset(dark, 0, sizeof dark);
    texel_dilate(2, 2, dark);
    assert_near((double)dark[3].direct[0], 0, 0);
}

/* Noise is removed; the mean, a step between two surfaces and direct light stay. */
static void indirect_light_is_smoothed(void **state)
{
    (void)state;
    struct lit_texel texels[SIDE * SIDE];
    memset(texels, 0, sizeof texels);
    double sum = 0, square = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        struct lit_texel *texel = &texels[i];
        bool other = i % SIDE >= SIDE / 2;
        put_lit(texel, 0, (double)(i % SIDE));
        texel->position[1] = (float)(i / SIDE);
        texel->normal[2] = other ? -1 : 1;
        texel->indirect[0] = (float)((other ? 200 : 100) + 20 * (random_unit(7, i) - 0.5));
        texel->direct[0] = (float)i;
    }
    texel_smooth(2, SIDE, SIDE, 2, texels);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        double off = (double)texels[i].indirect[0] - (i % SIDE >= SIDE / 2 ? 200 : 100);
        sum += off;
        square += off * off;
        assert_near(off, 0, 10);
        assert_near((double)texels[i].direct[0], (double)i, 0);
    }
    assert_near(sum / (SIDE * SIDE), 0, 1);
    /* 20 / root 12 = 5.8 before */
    assert_true(sqrt(square / (SIDE * SIDE)) < 2.6);
    struct lit_texel one = {.state = TEXEL_LIT, .indirect = {5, 0, 0}};
    texel_smooth(1, 1, 1, 3, &one);
    assert_near((double)one.indirect[0], 5, 0);
}

/* Positions of texels on a model in a map. */

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

SUITE(test_texels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_texel_reached_has_a_triangle),
        cmocka_unit_test(places_are_the_nearest),
        cmocka_unit_test(points_of_texels_are_found),
        cmocka_unit_test(shared_texels_are_counted),
        cmocka_unit_test(odd_coordinates_do_no_harm),
        cmocka_unit_test(light_spreads_over_the_image),
        cmocka_unit_test(covered_texels_stay_on_their_surface),
        cmocka_unit_test(indirect_light_is_smoothed),
        cmocka_unit_test(what_is_not_shown_has_no_texels),
        cmocka_unit_test(places_are_those_of_the_prop),
        cmocka_unit_test(curved_triangles_are_smooth),
        cmocka_unit_test(odd_vertices_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
