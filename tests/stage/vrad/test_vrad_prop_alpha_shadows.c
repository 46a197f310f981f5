/* Alpha shadows of static props: a box over a floor, whose texture has a hole on one side. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/pakfile.h"
#include "tests/support/vrad/prop_room.h"
#include "tests/support/vrad/vrad_run.h"

/* Luxels of the floor under the two halves of the box's shadow, and outside of it. */
enum { LOW_X = 14, HIGH_X = 18, BESIDE = 25, MIDDLE_Y = 16 };

enum { UV_OFFSET = 64 + 40, VERTEX_SIZE = 48 };

/* Texture coordinate u runs from 0.25 to 0.75 along x. */
static void put_textured_box(struct fixture *f, int flags)
{
    const double sides[3] = {40, 40, 8};
    struct model_files files = model_files_box(48, flags, sides);
    for (int i = 0; i < BOX_VERTICES; i++) {
        const float u = i & 1 ? 0.75f : 0.25f;
        uint32_t bits;
        memcpy(&bits, &u, sizeof bits);
        model_files_put(&files.vvd, UV_OFFSET + (size_t)i * VERTEX_SIZE, bits);
    }
    put_file(f, "leaves", ".mdl", &files.mdl);
    put_file(f, "leaves", ".vvd", &files.vvd);
    put_file(f, "leaves", ".dx90.vtx", &files.vtx);
    model_files_free(&files);
}

/* Two texels: one opaque, one transparent. */
static void put_texture(struct fixture *f, const char *keys)
{
    char vmt[200];
    struct fs *fs = f->env.fs;
    put_alpha_texture(fs, "game/materials/props/leaf.vtf", 255, 0);
    snprintf(vmt, sizeof vmt, "VertexLitGeneric\n{\n$basetexture props/leaf\n%s\n}\n", keys);
    assert_int_equal(fs->ops->write(fs, "game/materials/props/box.vmt", vmt, strlen(vmt)), 0);
}

struct look {
    int flags;
    const char *keys, *rad;
    bool off; /* without -textureshadows */
};

static void light_box(struct fixture *f, const struct look *look)
{
    begin(f);
    f->options.props.triangles = true;
    f->options.texture_shadows = !look->off;
    put_textured_box(f, MDL_STATIC_PROP | look->flags);
    put_texture(f, look->keys);
    if (look->rad) {
        struct fs *fs = f->env.fs;
        assert_int_equal(fs->ops->write(fs, "a.rad", look->rad, strlen(look->rad)), 0);
        f->options.lights_file = "a.rad";
    }
    put_prop(f, "leaves", vec3(256, 256, 100));
}

static void expect_floor(const struct fixture *f, bool low_lit, bool high_lit)
{
    double at = direct_light_at(32, 0, 0);
    assert_near(room_grey(f->bsp, ROOM_FLOOR, LOW_X, MIDDLE_Y), low_lit ? at : 0, 0.5);
    assert_near(room_grey(f->bsp, ROOM_FLOOR, HIGH_X, MIDDLE_Y), high_lit ? at : 0, 0.5);
    assert_near(room_grey(f->bsp, ROOM_FLOOR, BESIDE, MIDDLE_Y), direct_light_at(144, 0, 0), 0.5);
}

static void holes_of_a_model_let_light_through(void **state)
{
    static const struct look looks[] = {
        {MDL_TEXTURE_SHADOWS, "$alphatest 1", NULL, false},
        {0, "$alphatest 1", "forcetextureshadow models/Leaves.mdl", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct fixture f;
        light_box(&f, &looks[i]);
        light(&f, light_entity);
        expect_floor(&f, false, true);
        assert_int_equal(diag_entries(f.diag), 0);
        end(&f);
    }
}

static void what_is_not_asked_for_is_solid(void **state)
{
    static const struct look looks[] = {
        {0, "$alphatest 1", NULL, false},                      /* the model is not listed */
        {MDL_TEXTURE_SHADOWS, "$alphatest 1", NULL, true},     /* not in this run */
        {MDL_TEXTURE_SHADOWS, "$basetexture2 x", NULL, false}, /* its alpha is not used */
    };
    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct fixture f;
        light_box(&f, &looks[i]);
        light(&f, light_entity);
        expect_floor(&f, false, false);
        end(&f);
    }
}

/* Green of a vertex of prop `number`. */
static int vertex_green(const struct fixture *f, int number, int vertex)
{
    struct pakfile pakfile;
    struct bytes data = {0};
    char name[40];
    snprintf(name, sizeof name, "sp_%d.vhv", number);
    assert_int_equal(pakfile_decode(&f->bsp->pakfile, NULL, f->diag, &pakfile), STATUS_OK);
    const struct pakfile_file *file = pakfile_find(&pakfile, name);
    assert_non_null(file);
    assert_int_equal(pakfile_extract(file, NULL, f->diag, &data), STATUS_OK);
    int green = data.data[512 + 4 * vertex + 1];
    bytes_free(&data);
    pakfile_free(&pakfile);
    return green;
}

/* Two props that cast no shadows stand under the halves of the box; the box itself shadows those of
 * its own vertices that lie behind the opaque half of its texture. */
static void vertices_of_props_lie_in_the_shadow(void **state)
{
    static const struct look look = {MDL_TEXTURE_SHADOWS, "$alphatest 1", NULL, false};
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct fixture f;
        light_box(&f, &look);
        put_model(&f, "low", MDL_STATIC_PROP, 2, 0);
        put_prop(&f, "low", vec3(224, 256, 20))->flags = STATIC_PROP_NO_SHADOW;
        put_prop(&f, "low", vec3(288, 256, 20))->flags = STATIC_PROP_NO_SHADOW;
        if (own)
            f.props.props[0].flags = STATIC_PROP_NO_SELF_SHADOWING;
        light(&f, light_entity);
        for (int i = 0; i < BOX_VERTICES; i++) {
            assert_int_equal(vertex_green(&f, 1, i), 0);
            assert_true(vertex_green(&f, 2, i) > 60);
        }
        /* A lower corner, on the opaque side of the box. */
        assert_true((vertex_green(&f, 0, 0) > 0) == own);
        assert_true(vertex_green(&f, 0, 1) > 0);
        end(&f);
    }
}

SUITE(test_vrad_prop_alpha_shadows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_of_a_model_let_light_through),
        cmocka_unit_test(what_is_not_asked_for_is_solid),
        cmocka_unit_test(vertices_of_props_lie_in_the_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
