/* Static props that reflect light, and light near the surfaces of props. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "tests/support/vrad/prop_room.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/scene/prop_scene_options.h"

static const float RED[3] = {0.7f, 0.2f, 0.05f};

/* The material of the models. */
static void put_material(struct fixture *f, const float colour[3])
{
    char text[200];
    snprintf(text, sizeof text, "VertexLitGeneric\n{\n$reflectivity \"[%g %g %g]\"\n}\n",
             (double)colour[0], (double)colour[1], (double)colour[2]);
    struct fs *fs = f->env.fs;
    assert_int_equal(fs->ops->write(fs, "game/materials/props/box.vmt", text, strlen(text)), 0);
}

static void put_box(struct fixture *f, const double half[3])
{
    struct model_files files = model_files_box(48, MDL_STATIC_PROP, half);
    for (size_t k = 0; k < 6; k++) {
        const float side = (float)(k < 3 ? -half[k] : half[k - 3]);
        uint32_t bits;
        memcpy(&bits, &side, sizeof bits);
        model_files_put(&files.mdl, 104 + 4 * k, bits);
    }
    put_file(f, "slab", ".mdl", &files.mdl);
    put_file(f, "slab", ".vvd", &files.vvd);
    put_file(f, "slab", ".dx90.vtx", &files.vtx);
    model_files_free(&files);
}

enum look { BLACK, WALL, SLAB, SLAB_AS_BOX, LOOKS };

static const struct prop_scene_options props_of[LOOKS] = {
    [BLACK] = {.triangles = true},
    [WALL] = {.triangles = true},
    [SLAB] = {.triangles = true, .bounces = -1},
    [SLAB_AS_BOX] = {.bounces = -1},
};

/* The wall at low x is red, or a slab before it, in a black room, or one whose floor is white. */
static void light_room(struct fixture *f, enum look look, double floor)
{
    static const double half[3] = {1, 255.5, 127.5};
    begin(f);
    struct bsp_texdata colours[2] = {f->bsp->texdata[0], f->bsp->texdata[0]};
    for (int k = 0; k < 3; k++) {
        colours[0].reflectivity[k] = RED[k];
        colours[1].reflectivity[k] = (float)floor;
    }
    arrput(f->bsp->texdata, colours[0]);
    arrput(f->bsp->texdata, colours[1]);
    for (int i = 0; i < 2; i++) {
        char *name = memory_zalloc(8, 1);
        snprintf(name, 8, "dev/%c", 'b' + i);
        arrput(f->bsp->texture_names, name);
    }
    if (look == WALL)
        f->bsp->texinfo[f->bsp->faces[ROOM_LOW_X].texinfo].texdata = 1;
    f->bsp->texinfo[f->bsp->faces[ROOM_FLOOR].texinfo].texdata = 2;
    f->options.bounce = 100;
    f->options.prop_scene = &props_of[look];
    put_material(f, RED);
    put_box(f, half);
    if (look != WALL)
        put_prop(f, "slab", vec3(1, 256, 128))->solid = STATIC_PROP_SOLID_BOX;
}

/* Sum over the floor, away from the slab's foot; and its light in three places. */
static void floor_light(const struct fixture *f, double sum[3], double places[3][3])
{
    static const int at[3][2] = {{3, 16}, {8, 6}, {20, 16}};
    memset(sum, 0, 3 * sizeof *sum);
    for (int s = 2; s <= 30; s++)
        for (int t = 2; t <= 30; t++) {
            double rgb[3];
            room_luxel(f->bsp, ROOM_FLOOR, 0, 0, s, t, rgb);
            for (int k = 0; k < 3; k++)
                sum[k] += rgb[k];
        }
    for (int i = 0; i < 3; i++)
        room_luxel(f->bsp, ROOM_FLOOR, 0, 0, at[i][0], at[i][1], places[i]);
}

/* A red prop gives to the floor as much as a red wall of the same shape. */
static void a_prop_reflects_as_a_brush(void **state)
{
    (void)state;
    for (int white = 0; white < 2; white++) {
        double sums[LOOKS][3], places[LOOKS][3][3];
        for (int look = 0; look < LOOKS; look++) {
            struct fixture f;
            light_room(&f, (enum look)look, white ? 0.8 : 0);
            light(&f, light_entity);
            floor_light(&f, sums[look], places[look]);
            end(&f);
        }
        for (int look = SLAB; look <= SLAB_AS_BOX; look++) {
            for (int k = 0; k < 3; k++) {
                double want = sums[WALL][k] - sums[BLACK][k];
                assert_near(sums[look][k] - sums[BLACK][k], want, 0.03 * want);
                for (int i = 0; i < 3; i++)
                    assert_near(places[look][i][k], places[WALL][i][k],
                                0.015 * places[WALL][i][k] + 0.3);
            }
        }
        assert_true(sums[WALL][0] - sums[BLACK][0] > 0.02 * sums[BLACK][0]);
    }
}

/* Light of later bounces reaches the prop, and is reflected only when it is asked for. */
static void bounces_are_limited(void **state)
{
    double sums[4][3], places[3][3];
    static const double limits[4] = {0, 1, 2, -1};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct fixture f;
        light_room(&f, SLAB, 0.8);
        const struct prop_scene_options props = {.triangles = true, .bounces = limits[i]};
        f.options.prop_scene = &props;
        light(&f, light_entity);
        floor_light(&f, sums[i], places);
        end(&f);
    }
    assert_true(sums[1][0] > 1.02 * sums[0][0]);
    assert_true(sums[2][0] > 1.001 * sums[1][0]);
    assert_true(sums[3][0] >= 0.9995 * sums[2][0]); /* the third bounce is below the noise */
}

static void paths_agree(void **state)
{
    double usual[3], truth[3], places[3][3];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        light_room(&f, SLAB, 0.8);
        f.options.reference = i ? 64 : 0;
        f.options.physical = true;
        light(&f, light_entity);
        floor_light(&f, i ? truth : usual, places);
        end(&f);
    }
    for (int k = 0; k < 3; k++)
        assert_near(usual[k], truth[k], 0.01 * truth[k]);
}

static void reflecting_props_do_not_depend_on_threads(void **state)
{
    static const int threads[] = {1, 7, 2}, ranks[] = {0, 0, 3};
    struct bytes pakfile = {0}, lighting = {0};
    (void)state;
    for (int run = 0; run < 3; run++) {
        struct fixture f;
        light_room(&f, SLAB, 0.8);
        f.env.threads = threads[run];
        f.ranks = ranks[run];
        put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
        for (int i = 0; i < 20; i++)
            put_prop(&f, "box", vec3(20 + 22 * i, 40 + i * 77 % 400, 8.5))->angles[1] =
                (float)(i * 17);
        light(&f, light_entity);
        expect_same_pakfile(&f, &pakfile);
        const struct bytes *now = &f.bsp->ldr.lighting;
        if (!run)
            bytes_append(&lighting, now->data, now->size);
        assert_int_equal(now->size, lighting.size);
        assert_memory_equal(now->data, lighting.data, lighting.size);
        end(&f);
    }
    bytes_free(&pakfile);
    bytes_free(&lighting);
}

/* ---- places that luxels are too coarse for ---- */

/* The light of the corners of a box upside down, a little above a bright floor: those luxels are
 * lit beside it. */
static void corners_above_the_floor(int reference, double scale, double out[4])
{
    static const double half[3] = {20, 20, 8};
    struct fixture f;
    struct bytes file = {0};
    light_room(&f, BLACK, 0.8);
    f.options.reference = reference;
    f.options.physical = true;
    const struct prop_ray_options rays = {.sample_scale = scale};
    f.options.prop_rays = &rays;
    put_box(&f, half);
    f.props.props[0].origin[0] = 200;
    f.props.props[0].origin[2] = 9;
    f.props.props[0].angles[2] = 180;
    light(&f, light_entity);
    assert_true(unpack(&f, "sp_0.vhv", &file));
    for (int i = 0; i < 4; i++)
        out[i] = 255 * pow(file.data[512 + 4 * (4 + i) + 1] / 127.5, 2.2);
    bytes_free(&file);
    end(&f);
}

/* More samples, less noise. */
static void light_in_narrow_places_is_that_of_paths(void **state)
{
    static const double scales[2] = {0.25, 32};
    double usual[4], truth[4], errors[2] = {0, 0};
    (void)state;
    corners_above_the_floor(0, 0, usual);
    corners_above_the_floor(1024, 0, truth);
    for (int i = 0; i < 4; i++) {
        print_message("corner %d: %.2f for %.2f\n", i, usual[i], truth[i]);
        assert_true(truth[i] > 1);
        assert_true(fabs(log2(usual[i] / truth[i])) < 0.2);
    }
    for (int i = 0; i < 2; i++) {
        double got[4];
        corners_above_the_floor(0, scales[i], got);
        for (int k = 0; k < 4; k++)
            errors[i] += pow(log2(got[k] / truth[k]), 2);
    }
    print_message("squared error %.5f, %.5f\n", errors[0], errors[1]);
    assert_true(errors[1] < errors[0] / 2);
}

SUITE(test_vrad_prop_bounce)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prop_reflects_as_a_brush),
        cmocka_unit_test(bounces_are_limited),
        cmocka_unit_test(paths_agree),
        cmocka_unit_test(reflecting_props_do_not_depend_on_threads),
        cmocka_unit_test(light_in_narrow_places_is_that_of_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
