#include "tests/support/suite.h"

#include <unistd.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "vrad/scene/disp_mesh.h"
#include "vrad/scene/scene.h"

struct fixture {
    struct diag *diag;
    struct env env;
    struct bsp *bsp;
    struct entity_view *entities;
    struct scene scene;
};

static void build(struct fixture *f, struct bsp *bsp, const char *entities)
{
    *f = (struct fixture){.diag = diag_new(NULL, NULL), .bsp = bsp};
    f->env = (struct env){.diag = f->diag, .threads = 1};
    room_set_entities(bsp, entities);
    assert_int_equal(
        entity_view_parse(bsp->entities, arrlenu(bsp->entities), "entities", f->diag, &f->entities),
        STATUS_OK);
    assert_int_equal(
        scene_build(&f->env, bsp, f->entities, true, &(struct scene_extras){NULL, NULL}, &f->scene),
        STATUS_OK);
}

static void destroy(struct fixture *f)
{
    scene_free(&f->scene);
    entity_view_free(f->entities);
    bsp_free(f->bsp);
    diag_free(f->diag);
}

static struct trace_ray ray(struct vec3 from, struct vec3 to)
{
    struct trace_ray result = {.far = 1};
    for (int k = 0; k < 3; k++) {
        result.origin[k] = (float)from.e[k];
        result.direction[k] = (float)(to.e[k] - from.e[k]);
    }
    return result;
}

static bool blocked(const struct fixture *f, struct vec3 from, struct vec3 to)
{
    struct trace_ray one = ray(from, to);
    return trace_occluded(f->scene.trace, TRACE_SOLID, &one);
}

static struct scene_hit hit(const struct fixture *f, struct vec3 from, struct vec3 towards)
{
    struct trace_ray one = ray(from, vec3_add(from, towards));
    struct scene_hit result;
    one.far = INFINITY;
    scene_hit_many(&f->scene, &one, 1, false, &result);
    return result;
}

static void rays_land_on_faces(void **state)
{
    static const int flags[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    struct fixture f;
    (void)state;
    build(&f, room_new(vec3(256, 256, 128), 0.5, flags), "");
    struct scene_hit floor = hit(&f, vec3(100, 60, 50), vec3(0, 0, -2));
    assert_int_equal(floor.face, ROOM_FLOOR);
    assert_near(floor.distance, 25, 1e-4);
    assert_near(floor.s, 100.0 / 16, 1e-4);
    assert_near(floor.t, 60.0 / 16, 1e-4);
    struct scene_hit wall = hit(&f, vec3(100, 60, 50), vec3(-1, 0, 0));
    assert_int_equal(wall.face, ROOM_LOW_X);
    assert_near(wall.s, 60.0 / 16, 1e-4);
    assert_near(wall.t, 50.0 / 16, 1e-4);
    struct scene_hit sky = hit(&f, vec3(100, 60, 50), vec3(0, 0.1, 1));
    assert_int_equal(sky.face, SCENE_SKY);
    assert_near(sky.distance, 78, 1e-3);
    /* Outside of the walls there is nothing: that counts as sky. Faces seen from outside have no
     * light. */
    assert_int_equal(hit(&f, vec3(100, 60, 500), vec3(1, 0, 1)).face, SCENE_SKY);
    assert_int_equal(hit(&f, vec3(100, 60, -100), vec3(0, 0, 1)).face, SCENE_BLANK);
    destroy(&f);
}

/* A side without a face is black, and blocks light all the same. */
static void sides_without_faces_are_blank(void **state)
{
    struct fixture f;
    struct bsp *bsp = room_new(vec3(256, 256, 128), 0.5, NULL);
    (void)state;
    room_add_box(bsp, vec3(100, 100, 20), vec3(140, 140, 40));
    build(&f, bsp, "");
    assert_int_equal(hit(&f, vec3(120, 120, 100), vec3(0, 0, -1)).face, SCENE_BLANK);
    assert_int_equal(hit(&f, vec3(90, 120, 100), vec3(0, 0, -1)).face, ROOM_FLOOR);
    assert_true(blocked(&f, vec3(120, 120, 100), vec3(120, 120, 5)));
    assert_false(blocked(&f, vec3(120, 120, 100), vec3(120, 120, 45)));
    assert_false(blocked(&f, vec3(141, 141, 100), vec3(141, 141, 1)));
    assert_true(scene_solid_at(&f.scene, 1, vec3(120, 120, 30)));
    assert_false(scene_solid_at(&f.scene, 1, vec3(120, 120, 41)));
    destroy(&f);
}

static void only_some_contents_block(void **state)
{
    static const struct {
        int contents;
        bool blocks;
    } cases[] = {
        {CONTENTS_SOLID, true},  {CONTENTS_SOLID | CONTENTS_DETAIL, true},
        {CONTENTS_OPAQUE, true}, {CONTENTS_MOVEABLE, true},
        {CONTENTS_WATER, false}, {CONTENTS_WINDOW | CONTENTS_TRANSLUCENT, false},
        {CONTENTS_GRATE, false}, {CONTENTS_PLAYERCLIP, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct bsp *bsp = room_new(vec3(256, 256, 128), 0.5, NULL);
        room_add_box(bsp, vec3(100, 100, 20), vec3(140, 140, 40));
        arrlast(bsp->brushes).contents = cases[i].contents;
        build(&f, bsp, "");
        assert_int_equal(blocked(&f, vec3(120, 120, 100), vec3(120, 120, 5)), cases[i].blocks);
        destroy(&f);
    }
}

/* Model 1: a box around its own origin, which its entity moves to (128, 128, 64). */
static void brush_entities_cast_shadows_on_request(void **state)
{
    (void)state;
    for (int casts = 0; casts < 2; casts++) {
        struct fixture f;
        struct bsp *bsp = room_new(vec3(256, 256, 128), 0.5, NULL);
        struct bsp_leaf leaf = {.cluster = -1,
                                .water_data = -1,
                                .first_brush = (int32_t)arrlen(bsp->leaf_brushes),
                                .brush_count = 1};
        struct bsp_model model = {.head_node = -1 - (int32_t)arrlen(bsp->leaves)};
        arrput(bsp->leaf_brushes, (int32_t)arrlen(bsp->brushes));
        room_brush(bsp, vec3(-8, -8, -8), vec3(8, 8, 8), CONTENTS_SOLID);
        arrput(bsp->leaves, leaf);
        arrput(bsp->models, model);
        build(&f, bsp,
              casts ? "{\n\"classname\" \"func_brush\"\n\"model\" \"*1\"\n"
                      "\"origin\" \"128 128 64\"\n\"vrad_brush_cast_shadows\" \"1\"\n}\n"
                    : "{\n\"classname\" \"func_brush\"\n\"model\" \"*1\"\n"
                      "\"origin\" \"128 128 64\"\n}\n");
        assert_int_equal(blocked(&f, vec3(128, 128, 100), vec3(128, 128, 5)), casts);
        assert_false(blocked(&f, vec3(0.5, 0.5, 100), vec3(0.5, 0.5, 5)));
        destroy(&f);
    }
}

/* ---- displacements ---- */

/* The mesh contains its vertices, is linear between them, and has normals on the same side as its
 * base. */
static void displacement_meshes(void **state)
{
    const char *path = SHARED_DIR "/corpus/refs/disp.bsp";
    struct arena arena = {0};
    struct bsp *bsp;
    int meshes = 0;
    (void)state;
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    struct diag *diag = diag_new(NULL, NULL);
    const struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    assert_int_equal(bsp_read_file(&env, path, &bsp), STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++) {
        struct disp_mesh mesh;
        if (bsp->faces[i].dispinfo < 0)
            continue;
        assert_true(disp_mesh_build(bsp, &bsp->faces[i], &arena, &mesh));
        meshes++;
        for (int v = 0; v < mesh.columns * mesh.columns; v++) {
            struct vec3 normal;
            double column = v % mesh.columns, row = v / mesh.columns;
            struct vec3 at = disp_mesh_at(&mesh, column, row, &normal);
            assert_near(vec3_distance(at, mesh.points[v]), 0, 1e-6);
            assert_near(vec3_dot(normal, mesh.normals[v]), 1, 1e-6);
        }
        for (int t = 0; t < 2 * (mesh.columns - 1) * (mesh.columns - 1); t++) {
            int corner[3];
            struct vec3 normal, middle = vec3(0, 0, 0);
            double column = 0, row = 0;
            disp_mesh_triangle(&mesh, t, corner);
            for (int k = 0; k < 3; k++) {
                middle = vec3_mad(middle, mesh.points[corner[k]], 1.0 / 3);
                column += corner[k] % mesh.columns / 3.0;
                row += corner[k] / mesh.columns / 3.0;
            }
            struct vec3 at = disp_mesh_at(&mesh, column, row, &normal);
            assert_near(vec3_distance(at, middle), 0, 1e-6);
        }
    }
    assert_int_equal(meshes, 25);
    bsp_free(bsp);
    arena_free(&arena);
    diag_free(diag);
}

SUITE(test_scene)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_land_on_faces),
        cmocka_unit_test(sides_without_faces_are_blank),
        cmocka_unit_test(only_some_contents_block),
        cmocka_unit_test(brush_entities_cast_shadows_on_request),
        cmocka_unit_test(displacement_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
