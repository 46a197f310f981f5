/* -staticpropcombine: which props become one, and that it is where they were. */
#include "tests/support/suite.h"

#include "common/assets/models/model.h"
#include "common/assets/models/static_model.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/static_props.h"
#include "common/geom/transform.h"
#include "tests/support/model_files.h"
#include "tests/support/near.h"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/target/source/combine/combine_options.h"
#include "vbsp/target/source/physics/physics_hull.h"

#define COMBINED "models/maps/test/combined_"

struct fixture {
    struct text_map map;
    struct combine_options options;
    struct static_props props;
    struct pakfile pakfile;
    struct arena arena;
};

/* Two rooms of 256 units without a door between them, x 256 to 272. */
static void begin(struct fixture *f)
{
    *f = (struct fixture){0};
    text_map_init(&f->map);
    text_map_room(&f->map, vec3(0, 0, 0), vec3(528, 256, 128));
    text_map_box(&f->map, vec3(256, 0, 0), vec3(272, 256, 128), "wall");
    text_map_entity(&f->map, "info_player_start", "origin \"64 64 32\"");
    text_map_entity(&f->map, "info_target", "origin \"400 64 32\"");
    f->options =
        (struct combine_options){.on = true, .distance = 512, .vertices = 4096, .minimum = 2};
    f->map.options.combine = &f->options;
}

static void put_file(struct fixture *f, const char *path, const struct bytes *data)
{
    struct fs *fs = f->map.fs;
    assert_int_equal(fs->ops->write(fs, path, data->data, data->size), 0);
}

static const double half[3] = {8, 4, 2};

/* The collision model is the box itself. */
static void box_phy(struct bytes *out)
{
    struct hull_set set = {0};
    struct arena arena = {0};
    struct bytes solid = {0};
    struct vec3 corners[8];
    struct diag *diag = diag_new(NULL, NULL);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            corners[i].e[k] = i >> k & 1 ? half[k] : -half[k];
    const struct hull_face face = {.winding = winding_new(&arena, 8, corners)};
    assert_true(hull_set_add(&set, &face, 1, 0));
    hull_set_finish(&set);
    assert_int_equal(physics_solid_encode(&set.solid, NULL, diag, &solid), STATUS_OK);
    static_model_phy(&(struct static_phy){"box", "metal", 64}, BOX_CHECKSUM, &solid, out);
    bytes_free(&solid);
    hull_set_free(&set);
    arena_free(&arena);
    diag_free(diag);
}

static void put_box(struct fixture *f, const char *stem, int version, int lods)
{
    struct model_files files = model_files_box(version, MDL_STATIC_PROP, half);
    struct bytes phy = {0};
    char path[256];
    model_files_put(&files.vvd, 12, (uint32_t)lods);
    snprintf(path, sizeof path, "game/models/%s.mdl", stem);
    put_file(f, path, &files.mdl);
    snprintf(path, sizeof path, "game/models/%s.vvd", stem);
    put_file(f, path, &files.vvd);
    snprintf(path, sizeof path, "game/models/%s.dx90.vtx", stem);
    put_file(f, path, &files.vtx);
    snprintf(path, sizeof path, "game/models/%s.phy", stem);
    box_phy(&phy);
    put_file(f, path, &phy);
    bytes_free(&phy);
    model_files_free(&files);
}

/* A box with a second level of detail: its bottom alone, from `point` on. */
static void put_box_with_lods(struct fixture *f, const char *stem, float point)
{
    static const struct static_triangle bottom[] = {{{0, 1, 3}}, {{0, 3, 2}}};
    struct static_model model = {0};
    struct bytes vtx = {0};
    char path[256];
    put_box(f, stem, 48, 2);
    arrsetlen(model.vertices, BOX_VERTICES);
    arrput(model.meshes, ((struct static_mesh){.vertex_count = BOX_VERTICES}));
    for (int lod = 0; lod < 2; lod++) {
        struct static_lod level = {.switch_point = lod ? point : 0};
        for (int i = 0; i < 6 - 4 * lod; i++)
            arrput(level.triangles, bottom[i % 2]);
        arrput(level.ends, arrlenu(level.triangles));
        arrput(model.lods, level);
    }
    static_model_vtx(&model, BOX_CHECKSUM, 48, &vtx);
    snprintf(path, sizeof path, "game/models/%s.dx90.vtx", stem);
    put_file(f, path, &vtx);
    bytes_free(&vtx);
    static_model_free(&model);
}

static void put_prop(struct fixture *f, const char *model, const char *keys)
{
    char text[512];
    snprintf(text, sizeof text, "model \"models/%s.mdl\" %s", model, keys);
    text_map_entity(&f->map, "prop_static", text);
}

static void compile(struct fixture *f)
{
    text_map_compile_game(&f->map, STATUS_OK, "game");
    assert_int_equal(arrlen(f->map.bsp->game_lumps) > 0, 1);
    const struct bsp_game_lump *lump = &f->map.bsp->game_lumps[0];
    enum static_prop_form form;
    assert_int_equal(lump->id, STATIC_PROPS_ID);
    assert_int_equal(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                         f->map.diag, &f->props, &form),
                     STATUS_OK);
    assert_int_equal(pakfile_decode(&f->map.bsp->pakfile, NULL, f->map.diag, &f->pakfile),
                     STATUS_OK);
}

static void end(struct fixture *f)
{
    static_props_free(&f->props);
    pakfile_free(&f->pakfile);
    arena_free(&f->arena);
    text_map_free(&f->map);
}

static void take_file(struct fixture *f, int number, const char *extension, struct bytes *out)
{
    const char *name = arena_printf(&f->arena, COMBINED "%d%s", number, extension);
    const struct pakfile_file *file = pakfile_find(&f->pakfile, name);
    assert_non_null(file);
    assert_int_equal(pakfile_extract(file, NULL, f->map.diag, out), STATUS_OK);
}

/* Reads the files of a combined model, which must belong together. */
static void read_model(struct fixture *f, int number, struct model *out)
{
    struct bytes mdl = {0}, vvd = {0}, vtx = {0}, phy = {0};
    struct phy decoded;
    struct diag *diag = f->map.diag;
    *out = (struct model){0};
    take_file(f, number, ".mdl", &mdl);
    take_file(f, number, ".vvd", &vvd);
    take_file(f, number, ".dx90.vtx", &vtx);
    take_file(f, number, ".phy", &phy);
    assert_int_equal(mdl_decode(&mdl, NULL, diag, &f->arena, &out->mdl), STATUS_OK);
    assert_int_equal(vvd_decode(&vvd, NULL, diag, &f->arena, &out->vvd), STATUS_OK);
    assert_int_equal(vtx_decode(&vtx, &out->mdl, 0, NULL, diag, &out->vtx), STATUS_OK);
    assert_int_equal(phy_decode(&phy, NULL, diag, &decoded), STATUS_OK);
    assert_int_equal(phy_hulls(&decoded, 0, NULL, diag, &out->collision), STATUS_OK);
    assert_int_equal(out->vvd.checksum, out->mdl.checksum);
    assert_int_equal(out->vtx.checksum, out->mdl.checksum);
    assert_int_equal(decoded.checksum, out->mdl.checksum);
    phy_free(&decoded);
    bytes_free(&mdl);
    bytes_free(&vvd);
    bytes_free(&vtx);
    bytes_free(&phy);
}

static bool has_point(const struct vec3 *points, size_t count, struct vec3 wanted)
{
    for (size_t i = 0; i < count; i++)
        if (vec3_distance(points[i], wanted) < 1e-3)
            return true;
    return false;
}

/* Each corner of a prop is a vertex and a point of a hull. */
static void check_corners(const struct static_prop *at, const struct model *model,
                          const struct transform *prop)
{
    struct vec3 *vertices = NULL, *points = NULL;
    struct vec3 origin = vec3_from_floats(at->origin);
    for (int32_t i = 0; i < model->vvd.count; i++)
        arrput(vertices, vec3_add(origin, vec3_from_floats(model->vvd.vertices[i].p)));
    for (size_t i = 0; i < arrlenu(model->collision.points); i++)
        arrput(points, vec3_add(origin, model->collision.points[i]));
    for (int i = 0; i < 8; i++) {
        struct vec3 corner = vec3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                                  i & 4 ? half[2] : -half[2]);
        assert_true(has_point(vertices, arrlenu(vertices), transform_point(prop, corner)));
        assert_true(has_point(points, arrlenu(points), transform_point(prop, corner)));
    }
    arrfree(vertices);
    arrfree(points);
}

static void props_of_one_room_become_one_where_they_were(void **state)
{
    static const struct {
        double origin[3], angles[3];
    } places[] = {
        {{64, 200, 32}, {0, 0, 0}}, {{100, 128.5, 40}, {10, 20, 30}}, {{30, 30, 64}, {0, 90, 0}}};
    (void)state;
    for (int version = 44; version <= 49; version += 5) {
        struct fixture f;
        struct model model;
        begin(&f);
        put_box(&f, "box", version, 1);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const double *o = places[i].origin, *a = places[i].angles;
            char keys[256];
            snprintf(keys, sizeof keys, "origin \"%g %g %g\" angles \"%g %g %g\"", o[0], o[1], o[2],
                     a[0], a[1], a[2]);
            put_prop(&f, "box", keys);
        }
        put_prop(&f, "box", "origin \"400 64 64\""); /* behind the wall */
        compile(&f);
        assert_int_equal(arrlen(f.props.props), 2);
        assert_string_equal(f.props.models[f.props.props[0].model], COMBINED "0.mdl");
        assert_string_equal(f.props.models[f.props.props[1].model], "models/box.mdl");
        read_model(&f, 0, &model);
        assert_int_equal(model.mdl.version, version);
        assert_int_equal(model.mdl.flags, MDL_STATIC_PROP);
        assert_string_equal(model.mdl.surface_prop, "metal");
        assert_int_equal(model.mdl.mesh_count, 1);
        assert_string_equal(model.mdl.textures[0], "props/box");
        assert_string_equal(model.mdl.texture_paths[0], "");
        assert_int_equal(model.vvd.count, 3 * BOX_VERTICES);
        assert_int_equal(arrlen(model.vtx.triangles), 3 * BOX_INDICES / 3);
        assert_int_equal(hull_points_count(&model.collision), 3);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const double *o = places[i].origin, *a = places[i].angles;
            struct transform prop =
                transform_from_angles(vec3(o[0], o[1], o[2]), vec3(a[0], a[1], a[2]), 1);
            int leaf = bsp_leaf_at(f.map.bsp, 0, prop.origin), found = 0;
            check_corners(&f.props.props[0], &model, &prop);
            for (int k = 0; k < f.props.props[0].leaf_count; k++)
                found += f.props.leaves[f.props.props[0].first_leaf + k] == leaf;
            assert_int_equal(found, 1);
        }
        /* The normals, which are up in the model, are turned with the prop. */
        struct transform turned = transform_from_angles(vec3(0, 0, 0), vec3(10, 20, 30), 1);
        struct vec3 normal = vec3_from_floats(model.vvd.vertices[BOX_VERTICES].normal);
        assert_near(vec3_dot(normal, turned.axes[2]), 1, 1e-6);
        model_free(&model);
        end(&f);
    }
}

/* Of two props at a time: what the second has other than the first. */
static void what_differs_stays(void **state)
{
    static const struct {
        const char *model, *keys;
        bool combines;
    } cases[] = {
        {"box", "", true},
        {"twin", "", true}, /* another model of the same material */
        {"box", "skin 1", true},
        {"box", "solid 0", false},
        {"box", "solid 2", false},
        {"box", "disableshadows 1", false},
        {"box", "fademaxdist 500 fademindist 400", false},
        {"box", "rendercolor \"10 20 30\"", false},
        {"box", "uniformscale 2", true},
        {"lods", "", false},
        {"none", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        char keys[256];
        begin(&f);
        f.map.options.static_prop_version = 11; /* which has scales and colours */
        put_box(&f, "box", 48, 1);
        put_box(&f, "twin", 48, 1);
        put_box(&f, "lods", 48, 2);
        put_prop(&f, "box", "origin \"64 200 32\"");
        snprintf(keys, sizeof keys, "origin \"64 100 32\" %s", cases[i].keys);
        put_prop(&f, cases[i].model, keys);
        compile(&f);
        assert_int_equal(arrlen(f.props.props), cases[i].combines ? 1 : 2);
        assert_int_equal(arrlen(f.pakfile.files), cases[i].combines ? 4 : 0);
        end(&f);
    }
}

/* They keep their levels of detail; the coarser one is drawn from the larger distance on. */
static void levels_of_detail_stay(void **state)
{
    struct fixture f;
    struct model model;
    struct vtx coarse;
    struct bytes vtx = {0};
    (void)state;
    begin(&f);
    put_box_with_lods(&f, "near", 20);
    put_box_with_lods(&f, "far", 30);
    put_box_with_lods(&f, "shadow", -1);
    put_box(&f, "box", 48, 1);
    put_prop(&f, "far", "origin \"64 200 32\"");
    put_prop(&f, "near", "origin \"64 150 32\"");
    put_prop(&f, "near", "origin \"64 100 32\"");
    put_prop(&f, "shadow", "origin \"64 120 32\"");
    put_prop(&f, "box", "origin \"64 80 32\"");
    compile(&f);
    assert_int_equal(arrlen(f.props.props), 3);
    read_model(&f, 0, &model);
    assert_int_equal(model.vvd.lods, 2);
    assert_int_equal(model.vvd.count, 3 * BOX_VERTICES);
    assert_int_equal(arrlen(model.vtx.triangles), 3 * 6);
    take_file(&f, 0, ".dx90.vtx", &vtx);
    assert_int_equal(vtx_decode(&vtx, &model.mdl, 1, NULL, f.map.diag, &coarse), STATUS_OK);
    assert_int_equal(coarse.lods, 2);
    assert_false(coarse.replaces_materials);
    assert_near(coarse.switch_point, 30, 0);
    assert_int_equal(arrlen(coarse.triangles), 3 * 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(coarse.triangles[2 * i].vertices[1], BOX_VERTICES * i + 1);
    vtx_free(&coarse);
    bytes_free(&vtx);
    model_free(&model);
    end(&f);
}

static void translucent_props_stay(void **state)
{
    static const char text[] = "VertexLitGeneric { $basetexture props/box $translucent 1 }";
    (void)state;
    struct fixture f;
    begin(&f);
    put_box(&f, "box", 48, 1);
    put_file(&f, "game/materials/props/box.vmt",
             &(struct bytes){.data = (unsigned char *)text, .size = sizeof text - 1});
    put_prop(&f, "box", "origin \"64 200 32\"");
    put_prop(&f, "box", "origin \"64 100 32\"");
    compile(&f);
    assert_int_equal(arrlen(f.props.props), 2);
    end(&f);
}

static size_t props_with(double distance, int vertices, int minimum)
{
    struct fixture f;
    begin(&f);
    f.options.distance = distance;
    f.options.vertices = vertices;
    f.options.minimum = minimum;
    put_box(&f, "box", 48, 1);
    for (int i = 0; i < 6; i++) {
        char keys[64];
        snprintf(keys, sizeof keys, "origin \"64 %d 32\"", 20 + 40 * i);
        put_prop(&f, "box", keys);
    }
    compile(&f);
    size_t count = arrlenu(f.props.props);
    end(&f);
    return count;
}

static void bounds_are_kept(void **state)
{
    (void)state;
    assert_int_equal(props_with(512, 4096, 2), 1);
    assert_int_equal(props_with(85, 4096, 2), 2); /* the first and two more, twice */
    assert_int_equal(props_with(512, 2 * BOX_VERTICES, 2), 3);
    assert_int_equal(props_with(512, 4 * BOX_VERTICES, 3), 3); /* four are one, two stay */
    assert_int_equal(props_with(512, BOX_VERTICES, 2), 6);
}

static void nothing_is_combined_unasked(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.options.on = false;
    put_box(&f, "box", 48, 1);
    put_prop(&f, "box", "origin \"64 200 32\"");
    put_prop(&f, "box", "origin \"64 100 32\"");
    compile(&f);
    assert_int_equal(arrlen(f.props.props), 2);
    end(&f);
}

SUITE(test_combined_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(props_of_one_room_become_one_where_they_were),
        cmocka_unit_test(what_differs_stays),
        cmocka_unit_test(levels_of_detail_stay),
        cmocka_unit_test(translucent_props_stay),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(nothing_is_combined_unasked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
