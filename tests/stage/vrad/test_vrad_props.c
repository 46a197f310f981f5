/* Vertex lighting of static props. */
#include "tests/support/suite.h"

#include "common/bsp/codec/format.h"
#include "common/bsp/codec/map_flags.h"
#include "common/bsp/worldlight.h"
#include "common/diag/codes/prop_light.def"
#include "tests/support/vrad/prop_room.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/scene/prop_scene_options.h"

/* Props cast shadows of their render meshes. */
static const struct prop_scene_options with_triangles = {.triangles = true};

/* A vertex of the box: bit k of its number selects its side along axis k. */
static int vertex_green(const struct bytes *file, int vertex)
{
    return file->data[512 + 4 * vertex + 1];
}

static void vertices_have_the_light_of_the_entity(void **state)
{
    struct fixture f;
    struct bytes file = {0};
    (void)state;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_prop(&f, "box", vec3(200, 256, 64))->solid = STATIC_PROP_NOT_SOLID;
    put_prop(&f, "box", vec3(100, 100, 64))->flags = STATIC_PROP_NO_VERTEX_LIGHTING;
    f.props.props[1].solid = STATIC_PROP_NOT_SOLID;
    f.options.ldr = f.options.hdr = true;
    light(&f, light_entity);
    assert_true(unpack(&f, "sp_0.vhv", &file));
    const uint32_t header[] = {2, BOX_CHECKSUM, 4, 4, BOX_VERTICES, 1, 0, 0, 0, 0, 0, 8, 512};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        assert_int_equal(load_u32(file.data + 4 * i), header[i]);
    assert_int_equal(file.size, 1024);
    for (int i = 0; i < BOX_VERTICES; i++) {
        double x = i & 1 ? -48 : -64, y = i & 2 ? 8 : -8, z = i & 4 ? 72 : 56;
        expect_stored(vertex_green(&file, i), direct_light_at(x, y, z));
        assert_int_equal(file.data[512 + 4 * i + 3], 255);
    }
    bytes_free(&file);
    assert_true(unpack(&f, "sp_hdr_0.vhv", &file));
    bytes_free(&file);
    assert_false(unpack(&f, "sp_1.vhv", &file));
    end(&f);
}

/* The box lies on its side: its former top faces the light, or away from it. */
static void normals_turn_with_the_prop(void **state)
{
    struct fixture f;
    struct bytes to = {0}, away = {0};
    (void)state;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 0, 0);
    for (int i = 0; i < 2; i++) {
        struct static_prop *prop = put_prop(&f, "box", vec3(156, 256, 200));
        prop->solid = STATIC_PROP_NOT_SOLID;
        prop->angles[0] = i ? -90 : 90; /* nose down: its top faces +x */
    }
    light(&f, light_entity);
    assert_true(unpack(&f, "sp_0.vhv", &to) && unpack(&f, "sp_1.vhv", &away));
    expect_stored(vertex_green(&to, 0), INTENSITY / (100.0 * 100.0));
    assert_int_equal(vertex_green(&away, 0), 0);
    bytes_free(&to);
    bytes_free(&away);
    end(&f);
}

/* Under another prop it is dark; inside its own hull a prop is not. */
static void props_shade_each_other(void **state)
{
    struct fixture f;
    struct bytes upper = {0}, lower = {0};
    (void)state;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_hull(&f, "box", 20, 20);
    put_prop(&f, "box", vec3(256, 256, 150));
    put_prop(&f, "box", vec3(256, 256, 50));
    light(&f, light_entity);
    assert_true(unpack(&f, "sp_0.vhv", &upper) && unpack(&f, "sp_1.vhv", &lower));
    expect_stored(vertex_green(&upper, 7), direct_light_at(8, 8, 158));
    assert_int_equal(vertex_green(&lower, 7), 0);
    bytes_free(&upper);
    bytes_free(&lower);
    end(&f);
}

/* A thing in the 3D skybox, sixteen times as large in the map, takes the sun from one of two props.
 */
static void the_sky_room_shades_props(void **state)
{
    static const int sky_ceiling[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    struct fixture f;
    struct bytes shaded = {0}, lit = {0};
    (void)state;
    begin(&f);
    bsp_free(f.bsp);
    f.bsp = room_new(vec3(512, 512, 256), 0, sky_ceiling);
    arrput(f.bsp->areas, (struct bsp_area){0});
    f.bsp->leaves[0].area = 1; /* the camera's */
    room_add_box(f.bsp, vec3(-8, -8, 1040), vec3(16, 40, 1044));
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_prop(&f, "box", vec3(128, 256, 64))->solid = STATIC_PROP_NOT_SOLID;
    put_prop(&f, "box", vec3(400, 256, 64))->solid = STATIC_PROP_NOT_SOLID;
    light(&f, "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
              "\"angles\" \"-90 0 0\"\n\"pitch\" \"-90\"\n\"_light\" \"255 255 255 100\"\n"
              "\"_ambient\" \"0 0 0 0\"\n}\n"
              "{\n\"classname\" \"sky_camera\"\n\"origin\" \"0 0 1000\"\n\"scale\" \"16\"\n}\n");
    assert_true(unpack(&f, "sp_0.vhv", &shaded) && unpack(&f, "sp_1.vhv", &lit));
    assert_int_equal(vertex_green(&shaded, 7), 0);
    expect_stored(vertex_green(&lit, 7), 100);
    bytes_free(&shaded);
    bytes_free(&lit);
    end(&f);
}

/* Its own top shadows its bottom, unless self-shadowing is disabled. */
static void triangles_shade_their_own_prop(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        struct bytes file = {0};
        begin(&f);
        const struct prop_ray_options rays = {.no_self_shadows = i == 1};
        f.options.prop_scene = &with_triangles;
        f.options.prop_rays = &rays;
        put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
        put_prop(&f, "box", vec3(256, 256, 50))->flags = i == 2 ? STATIC_PROP_NO_SELF_SHADOWING : 0;
        light(&f, light_entity);
        assert_true(unpack(&f, "sp_0.vhv", &file));
        expect_stored(vertex_green(&file, 7), direct_light_at(8, 8, 58));
        expect_stored(vertex_green(&file, 0), i ? direct_light_at(8, 8, 42) : 0);
        bytes_free(&file);
        end(&f);
    }
}

/* The lower vertices of a prop that is sunk into the floor take the light of those above them;
 * those of one that stands on the floor have their own. */
static void vertices_in_solid_take_their_neighbours_light(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        struct bytes file = {0};
        begin(&f);
        put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
        put_prop(&f, "box", vec3(200, 256, i ? 8 : 2))->solid = STATIC_PROP_NOT_SOLID;
        light(&f, light_entity);
        assert_true(unpack(&f, "sp_0.vhv", &file));
        for (int k = 0; k < 4; k++) {
            double x = k & 1 ? -48 : -64, top = i ? 16 : 10;
            expect_stored(vertex_green(&file, 4 + k), direct_light_at(x, 8, top));
            expect_stored(vertex_green(&file, k), direct_light_at(x, 8, i ? 0 : top));
        }
        bytes_free(&file);
        end(&f);
    }
}

/* A white room with uniform light: a E / (1 - a), also on props. */
static void vertices_gather_bounced_light(void **state)
{
    struct fixture f;
    struct bytes file = {0};
    static const int open[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    (void)state;
    begin(&f);
    bsp_free(f.bsp);
    f.bsp = room_new(vec3(512, 512, 256), 0, open);
    put_model(&f, "box", MDL_STATIC_PROP, 0, 0);
    put_prop(&f, "box", vec3(256, 256, 255))->solid = STATIC_PROP_NOT_SOLID;
    put_prop(&f, "box", vec3(256, 256, 255))->flags = STATIC_PROP_IGNORE_NORMALS;
    f.props.props[1].solid = STATIC_PROP_NOT_SOLID;
    light(&f, "{\n\"classname\" \"light_environment\"\n\"_light\" \"0 0 0 0\"\n"
              "\"_ambient\" \"255 255 255 100\"\n}\n");
    assert_true(unpack(&f, "sp_0.vhv", &file));
    expect_stored(vertex_green(&file, 0), 100);
    bytes_free(&file);
    /* With all directions weighing the same, the sky is half of the light. */
    assert_true(unpack(&f, "sp_1.vhv", &file));
    expect_stored(vertex_green(&file, 0), 50);
    bytes_free(&file);
    end(&f);
}

static void normals_can_be_shown(void **state)
{
    struct fixture f;
    struct bytes file = {0};
    (void)state;
    begin(&f);
    f.options.props.lighting = false;
    f.options.props.normals = true;
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_prop(&f, "box", vec3(256, 256, 50));
    light(&f, light_entity);
    assert_true(unpack(&f, "sp_0.vhv", &file));
    assert_int_equal(file.data[512], 255); /* blue: up */
    assert_int_equal(file.data[513], 127);
    bytes_free(&file);
    end(&f);
}

/* Files of an earlier run are removed unless they are replaced; others stay. */
static void old_files_are_removed(void **state)
{
    struct fixture f;
    struct bytes file = {0};
    (void)state;
    begin(&f);
    static const char *const names[] = {"sp_7.vhv", "sp_hdr_7.vhv", "sp_x.vhv"};
    struct pakfile pakfile = {0};
    for (int i = 0; i < 3; i++)
        pakfile_put(&pakfile, names[i], "x", 1);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, f.diag, &f.bsp->pakfile),
                     STATUS_OK);
    pakfile_free(&pakfile);
    light(&f, light_entity);
    assert_false(unpack(&f, "sp_7.vhv", &file));
    assert_true(unpack(&f, "sp_hdr_7.vhv", &file));
    bytes_free(&file);
    assert_true(unpack(&f, "sp_x.vhv", &file));
    bytes_free(&file);
    end(&f);
}

/* Without files to add or to remove the pakfile stays as it is. */
static void the_pakfile_stays_without_props(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    light(&f, light_entity);
    assert_int_equal(f.bsp->pakfile.size, 0);
    end(&f);
}

/* Lights for a set, or both, with prop lighting or without; and expects these map flags. */
static void relight(struct fixture *f, enum light_sides sides, bool props, uint32_t flags)
{
    struct diag *diag = f->diag;
    f->options.ldr = (sides & SIDE_LDR) != 0;
    f->options.hdr = (sides & SIDE_HDR) != 0;
    f->options.props.lighting = props;
    for (size_t i = 0; i < arrlenu(f->bsp->game_lumps); i++) /* `light` adds it again */
        bytes_free(&f->bsp->game_lumps[i].data);
    arrsetlen(f->bsp->game_lumps, 0);
    light(f, light_entity);
    assert_int_equal(diag_count(diag, DIAG_ERROR), 0);
    assert_int_equal(f->bsp->map_flags, flags);
    struct bytes ldr, hdr;
    assert_int_equal(unpack(f, "sp_0.vhv", &ldr), (flags & MAP_FLAG_PROPS_LDR) != 0);
    assert_int_equal(unpack(f, "sp_hdr_0.vhv", &hdr), (flags & MAP_FLAG_PROPS_HDR) != 0);
    bytes_free(&ldr);
    bytes_free(&hdr);
}

/* Each set has its flag, which goes with its files; other flags stay. */
static void map_flags_follow_the_files(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_prop(&f, "box", vec3(200, 256, 64));
    f.bsp->map_flags = 0x40;
    relight(&f, SIDE_LDR, true, 0x41);
    relight(&f, SIDE_HDR, true, 0x43);
    relight(&f, SIDE_LDR, false, 0x42);
    relight(&f, SIDES_BOTH, true, 0x43);
    relight(&f, SIDES_BOTH, false, 0x40);
    f.props.props[0].flags = STATIC_PROP_NO_VERTEX_LIGHTING;
    relight(&f, SIDES_BOTH, true, 0x40);
    end(&f);
}

/* A map of a version without the lump has no flags. */
static void version_19_has_no_map_flags(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_prop(&f, "box", vec3(200, 256, 64));
    f.bsp->format = bsp_format_find("css19");
    light(&f, light_entity);
    assert_int_equal(f.bsp->map_flags, 0);
    struct bytes file;
    assert_true(unpack(&f, "sp_0.vhv", &file));
    bytes_free(&file);
    end(&f);
}

/* A model without vertices is reported, once. */
static void models_without_vertices_are_reported(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    struct bytes mdl = {0};
    model_files_mdl(&mdl, 48, MDL_STATIC_PROP);
    put_file(&f, "bare", ".mdl", &mdl);
    bytes_free(&mdl);
    put_prop(&f, "bare", vec3(100, 100, 50));
    put_prop(&f, "bare", vec3(200, 100, 50));
    light(&f, light_entity);
    assert_int_equal(diag_count_code(f.diag, DIAG_PROP_LIGHT_MESH), 1);
    end(&f);
}

static void only_static_props(void **state)
{
    struct fixture f;
    struct bytes file = {0};
    (void)state;
    begin(&f);
    f.options.props.lighting = false;
    f.options.props.only_static = true;
    put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
    put_prop(&f, "box", vec3(256, 256, 50))->solid = STATIC_PROP_NOT_SOLID;
    light(&f, light_entity);
    assert_true(unpack(&f, "sp_0.vhv", &file));
    expect_stored(vertex_green(&file, 7), direct_light_at(8, 8, 58));
    assert_int_equal(f.bsp->ldr.lighting.size, 0);
    assert_int_equal(arrlen(f.bsp->ldr.worldlights), 0);
    assert_int_equal(arrlen(f.bsp->ldr.ambient), 0);
    bytes_free(&file);
    end(&f);
}

/* A prop on the floor has the floor's light: direct and bounced. */
static void vertices_have_the_light_of_luxels(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    f.options.bounce = 100;
    f.options.final = true;
    for (int k = 0; k < 3; k++)
        f.bsp->texdata[0].reflectivity[k] = 0.6f;
    put_model(&f, "plate", MDL_STATIC_PROP, 0, 0);
    for (int i = 0; i < 5; i++)
        put_prop(&f, "plate", vec3(32 + 96 * i, 480 - 64 * i, 0.125))->solid =
            STATIC_PROP_NOT_SOLID;
    light(&f, light_entity);
    for (int i = 0; i < 5; i++) {
        struct bytes file = {0};
        char name[32];
        snprintf(name, sizeof name, "sp_%d.vhv", i);
        assert_true(unpack(&f, name, &file));
        double got = 255 * pow(vertex_green(&file, 0) / 127.5, 2.2);
        double want = room_grey(f.bsp, ROOM_FLOOR, 2 + 6 * i, 30 - 4 * i);
        assert_near(got, want, 0.025 * want); /* a step is 4 % */
        bytes_free(&file);
    }
    end(&f);
}

/* A field of boxes in a lit room, some of them sunk: the same file from any number of threads
 * and ranks. */
static void threads_and_ranks_do_not_matter(void **state)
{
    static const int threads[] = {1, 2, 7, 1, 2}, ranks[] = {0, 0, 0, 5, 3};
    struct bytes first = {0};
    (void)state;
    for (int run = 0; run < 5; run++) {
        struct fixture f;
        begin(&f);
        f.env.threads = threads[run];
        f.ranks = ranks[run];
        f.options.bounce = 3;
        f.options.prop_scene = &with_triangles;
        for (int k = 0; k < 3; k++)
            f.bsp->texdata[0].reflectivity[k] = 0.5f;
        put_model(&f, "box", MDL_STATIC_PROP, 8, 0);
        for (int i = 0; i < 40; i++)
            put_prop(&f, "box", vec3(20 + 12 * i, 40 + i * 77 % 400, i * 31 % 90))->angles[1] =
                (float)(i * 17);
        light(&f, light_entity);
        expect_same_pakfile(&f, &first);
        end(&f);
    }
    bytes_free(&first);
}

SUITE(test_vrad_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_have_the_light_of_the_entity),
        cmocka_unit_test(normals_turn_with_the_prop),
        cmocka_unit_test(props_shade_each_other),
        cmocka_unit_test(the_sky_room_shades_props),
        cmocka_unit_test(triangles_shade_their_own_prop),
        cmocka_unit_test(vertices_in_solid_take_their_neighbours_light),
        cmocka_unit_test(vertices_gather_bounced_light),
        cmocka_unit_test(normals_can_be_shown),
        cmocka_unit_test(old_files_are_removed),
        cmocka_unit_test(map_flags_follow_the_files),
        cmocka_unit_test(version_19_has_no_map_flags),
        cmocka_unit_test(the_pakfile_stays_without_props),
        cmocka_unit_test(models_without_vertices_are_reported),
        cmocka_unit_test(only_static_props),
        cmocka_unit_test(vertices_have_the_light_of_luxels),
        cmocka_unit_test(threads_and_ranks_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
