/* MD3, ASE, OBJ and LWO: a small room of triangles in each, samples of the corpus, invalid files.
 */
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>

#include "common/assets/models/mesh_model.h"
#include "common/core/array.h"
#include "common/diag/codes/mesh_models.def"
#include "common/io/fs.h"
#include "tests/support/mesh_files.h"
#include "tests/support/near.h"

struct loaded {
    struct diag *diag;
    struct arena arena;
    struct mesh_model model;
};

static void loaded_free(struct loaded *loaded)
{
    arena_free(&loaded->arena);
    diag_free(loaded->diag);
}

enum kind { MD3, ASE, OBJ, LWO };

static enum status decode(enum kind kind, const struct bytes *file, int frame,
                          struct loaded *loaded)
{
    *loaded = (struct loaded){.diag = diag_new(NULL, NULL)};
    if (kind == MD3)
        return md3_decode(file, frame, NULL, loaded->diag, &loaded->arena, &loaded->model);
    if (kind == ASE)
        return ase_decode(file, NULL, loaded->diag, &loaded->arena, &loaded->model);
    if (kind == LWO)
        return lwo_decode(file, NULL, loaded->diag, &loaded->arena, &loaded->model);
    return obj_decode(file, NULL, loaded->diag, &loaded->arena, &loaded->model);
}

static struct vec3 front_of(const struct mesh_part *part, int triangle)
{
    const int32_t *i = part->indices + 3 * triangle;
    const struct mesh_vertex *v = part->vertices;
    return vec3_cross(vec3_sub(v[i[2]].p, v[i[0]].p), vec3_sub(v[i[1]].p, v[i[0]].p));
}

/* A square of 64 units that faces up, its texture upright seen from above, and a triangle of
 * another shader above it. */
static void check_square(const struct mesh_model *model)
{
    assert_int_equal(model->part_count, 2);
    assert_string_equal(model->parts[0].shader, "textures/test/floor");
    assert_string_equal(model->parts[1].shader, "models/test/flag");
    const struct mesh_part *part = &model->parts[0];
    assert_int_equal(part->vertex_count, 4);
    assert_int_equal(part->index_count, 6);
    for (int i = 0; i < 2; i++) {
        assert_near(front_of(part, i).z, 64 * 64, 1e-6);
        assert_near(front_of(&model->parts[1], 0).x, 32 * 32, 1e-6);
    }
    for (int i = 0; i < 4; i++) {
        const struct mesh_vertex *v = &part->vertices[i];
        assert_near(v->texture[0], v->p.x / 64, 1e-6);
        assert_near(v->texture[1], 1 - v->p.y / 64, 1e-6);
        assert_true(vec3_distance(v->normal, vec3(0, 0, 1)) < 0.03);
    }
}

static void the_same_in_all(void **state)
{
    (void)state;
    for (int kind = MD3; kind <= LWO; kind++) {
        struct bytes file = kind == MD3   ? md3_square(1)
                            : kind == LWO ? lwo_square()
                                          : text_file(kind == ASE ? ase_square : obj_square);
        struct loaded loaded;
        assert_int_equal(decode((enum kind)kind, &file, 0, &loaded), STATUS_OK);
        check_square(&loaded.model);
        loaded_free(&loaded);
        bytes_free(&file);
    }
}

static void frames_move(void **state)
{
    (void)state;
    struct bytes file = md3_square(3);
    for (int frame = -1; frame <= 3; frame++) {
        struct loaded loaded;
        assert_int_equal(decode(MD3, &file, frame, &loaded), STATUS_OK);
        assert_int_equal(loaded.model.frames, 3);
        assert_near(loaded.model.parts[0].vertices[0].p.z, frame == 1 ? 8 : frame == 2 ? 16 : 0, 0);
        loaded_free(&loaded);
    }
    bytes_free(&file);
}

static void names_are_made_shaders(void **state)
{
    (void)state;
    struct bytes file =
        text_file("*MATERIAL_LIST {\n*MATERIAL 0 {\n*MATERIAL_NAME \"x\"\n"
                  "*SUBMATERIAL 0 { *MATERIAL_NAME \"textures/a/b.tga\" }\n"
                  "*SUBMATERIAL 1 { *MATERIAL_NAME \"Material #3\"\n*MAP_DIFFUSE {"
                  "*BITMAP \"C:\\q3\\baseq3\\textures\\c\\d.jpg\" } } } }\n"
                  "*GEOMOBJECT { *MESH { *MESH_VERTEX_LIST {\n"
                  "*MESH_VERTEX 0 0 0 0 *MESH_VERTEX 1 1 0 0 *MESH_VERTEX 2 0 1 0 }\n"
                  "*MESH_FACE_LIST { *MESH_FACE 0: A:0 B:1 C:2 AB: 1 *MESH_MTLID 0\n"
                  "*MESH_FACE 1: A: 0 B: 1 C: 2 *MESH_MTLID 1\n"
                  "*MESH_FACE 2: A: 0 B: 1 C: 9 *MESH_MTLID 1 } }\n"
                  "*MATERIAL_REF 0 }");
    struct loaded loaded;
    assert_int_equal(decode(ASE, &file, 0, &loaded), STATUS_OK);
    assert_int_equal(loaded.model.part_count, 2);
    assert_string_equal(loaded.model.parts[0].shader, "textures/a/b");
    assert_string_equal(loaded.model.parts[1].shader, "textures/c/d");
    assert_int_equal(loaded.model.parts[1].index_count,
                     3); /* the face with a point 9 is left out */
    assert_true(vec3_length(loaded.model.parts[0].vertices[0].normal) <= 0);
    loaded_free(&loaded);
    bytes_free(&file);
}

static void obj_counts_from_the_end(void **state)
{
    (void)state;
    struct bytes file = text_file("v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\n"
                                  "f -4 -3 \\\r\n -2 -1\nf 1//1 2 9\n");
    struct loaded loaded;
    assert_int_equal(decode(OBJ, &file, 0, &loaded), STATUS_OK);
    assert_int_equal(loaded.model.parts[0].index_count, 6);
    assert_true(front_of(&loaded.model.parts[0], 0).z > 0);
    assert_string_equal(loaded.model.parts[0].shader, "");
    loaded_free(&loaded);
    bytes_free(&file);
}

static void broken_files_are_told(void **state)
{
    (void)state;
    struct loaded loaded;
    struct bytes whole = md3_square(2), empty = {0};
    for (int kind = MD3; kind <= LWO; kind++) {
        assert_int_equal(decode((enum kind)kind, &empty, 0, &loaded), STATUS_FAILED);
        assert_int_equal(diag_count_code(loaded.diag, DIAG_MESH_MODEL_BROKEN), 1);
        loaded_free(&loaded);
    }
    for (size_t size = 0; size < whole.size; size += 7) {
        struct bytes part = {.data = whole.data, .size = size};
        assert_int_equal(decode(MD3, &part, 0, &loaded), STATUS_FAILED);
        assert_int_equal(diag_count_code(loaded.diag, DIAG_MESH_MODEL_BROKEN), 1);
        loaded_free(&loaded);
    }
    /* A triangle with a vertex out of range. */
    for (size_t i = 0; i + 4 <= whole.size; i += 4) {
        if (i != md3_first_index(&whole))
            continue;
        store_u32(ORDER_LITTLE, whole.data + i, 99);
        assert_int_equal(decode(MD3, &whole, 0, &loaded), STATUS_FAILED);
        loaded_free(&loaded);
    }
    bytes_free(&whole);
}

/* Two triangles of a square that faces up, with one normal for all corners; `by_point`: as q3map2
 * writes them, after all normals of faces. */
static struct bytes ase_with_normal(const char *normal, const char *smoothing, bool by_point)
{
    struct bytes file = {0};
    bytes_append_text(&file, "*GEOMOBJECT { *MESH { *MESH_VERTEX_LIST { *MESH_VERTEX 0 0 0 0 "
                             "*MESH_VERTEX 1 64 0 0 *MESH_VERTEX 2 64 64 0 *MESH_VERTEX 3 0 64 0 "
                             "}\n*MESH_NORMALS { ");
    if (by_point)
        bytes_append_text(&file,
                          "*MESH_FACENORMAL 0 1 0 0 *MESH_FACENORMAL 1 1 0 0 "
                          "*MESH_VERTEXNORMAL 0 %s *MESH_VERTEXNORMAL 1 %s "
                          "*MESH_VERTEXNORMAL 2 %s *MESH_VERTEXNORMAL 3 %s ",
                          normal, normal, normal, normal);
    for (int i = 0; i < 2 && !by_point; i++)
        bytes_append_text(&file,
                          "*MESH_FACENORMAL %d 0 0 1 *MESH_VERTEXNORMAL 0 %s "
                          "*MESH_VERTEXNORMAL %d %s *MESH_VERTEXNORMAL %d %s ",
                          i, normal, 1 + i, normal, 2 + i, normal);
    bytes_append_text(&file,
                      "}\n*MESH_FACE_LIST { "
                      "*MESH_FACE 0: A: 0 B: 1 C: 2 AB: 1 *MESH_SMOOTHING %s "
                      "*MESH_FACE 1: A: 0 B: 2 C: 3 AB: 1 *MESH_SMOOTHING %s } } }\n",
                      smoothing, smoothing);
    return file;
}

static void check_normals(const struct mesh_model *model, struct vec3 wanted, int contradicting)
{
    assert_int_equal(model->normals.contradicting, contradicting);
    for (int i = 0; i < model->parts[0].vertex_count; i++)
        assert_true(vec3_distance(model->parts[0].vertices[i].normal, wanted) < 1e-9);
}

/* Along or away from their triangles; unset where there are no groups to compute them by. */
static void normals_that_contradict_are_not_used(void **state)
{
    (void)state;
    static const struct {
        const char *normal, *smoothing;
        struct vec3 wanted;
        int contradicting;
    } rows[] = {
        {"0 0 1", "0", {.e = {0, 0, 1}}, 0},      {"0.6 0 0.8", "0", {.e = {0.6, 0, 0.8}}, 0},
        {"1 0 0", "0", {.e = {0, 0, 0}}, 6},      {"0 0 -1", "0", {.e = {0, 0, 0}}, 6},
        {"0.8 0 -0.6", "0", {.e = {0, 0, 0}}, 6}, {"1 0 0", "1,3", {.e = {0, 0, 1}}, 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int by_point = 0; by_point < 2; by_point++) {
            struct bytes file = ase_with_normal(rows[i].normal, rows[i].smoothing, by_point != 0);
            struct loaded loaded;
            assert_int_equal(decode(ASE, &file, 0, &loaded), STATUS_OK);
            check_normals(&loaded.model, rows[i].wanted, rows[i].contradicting);
            loaded_free(&loaded);
            bytes_free(&file);
        }
}

/* Each point's own normal, although those of a face do not follow it. */
static void normals_of_points_are_found_by_their_numbers(void **state)
{
    (void)state;
    struct bytes file = text_file(
        "*GEOMOBJECT { *MESH { *MESH_VERTEX_LIST { *MESH_VERTEX 0 0 0 0 *MESH_VERTEX 1 64 0 0 "
        "*MESH_VERTEX 2 64 64 0 *MESH_VERTEX 3 0 64 0 }\n*MESH_NORMALS { *MESH_FACENORMAL 0 0 0 1 "
        "*MESH_FACENORMAL 1 0 0 1 *MESH_VERTEXNORMAL 0 0 0 1 *MESH_VERTEXNORMAL 1 0.6 0 0.8 "
        "*MESH_VERTEXNORMAL 2 0 0.6 0.8 *MESH_VERTEXNORMAL 3 -0.6 0 0.8 }\n"
        "*MESH_FACE_LIST { *MESH_FACE 0: A: 0 B: 1 C: 2 *MESH_FACE 1: A: 0 B: 2 C: 3 } } }\n");
    struct loaded loaded;
    assert_int_equal(decode(ASE, &file, 0, &loaded), STATUS_OK);
    const struct mesh_part *part = &loaded.model.parts[0];
    assert_int_equal(part->vertex_count, 4);
    for (int i = 0; i < 4; i++) {
        struct vec3 p = part->vertices[i].p, n = part->vertices[i].normal;
        assert_near(n.x, p.x > p.y ? 0.6 : p.x < p.y ? -0.6 : 0, 1e-9);
        assert_near(n.y, p.x > 0 && p.y > 0 ? 0.6 : 0, 1e-9);
    }
    loaded_free(&loaded);
    bytes_free(&file);
}

#define SLOPE 0.70710678118654752 /* of 45 degrees */

/* A ridge of two slopes, with points of their own and another texture: smooth where the groups are.
 */
static void groups_are_smoothed(void **state)
{
    (void)state;
    static const char *const groups[] = {"s 1", "s off", "s 2"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "v 0 0 0\nv 64 0 0\nv 64 64 64\nv 0 64 64\nv 64 128 0\nv 0 128 0\n"
                 "v 64 64 64\nv 0 64 64\n"
                 "vt 0 0\nvt 1 1\ns 1\nf 1/1 2/1 3/1 4/1\n%s\nf 8/2 7/2 5/2 6/2\n",
                 groups[i]);
        struct bytes file = text_file(text);
        struct loaded loaded;
        assert_int_equal(decode(OBJ, &file, 0, &loaded), STATUS_OK);
        const struct mesh_part *part = &loaded.model.parts[0];
        for (int k = 0; k < part->vertex_count; k++) {
            const struct mesh_vertex *v = &part->vertices[k];
            double side = v->p.y < 64 || (v->p.y < 65 && v->texture[0] < 0.5) ? -1 : 1;
            bool is_smooth = i == 0 && v->p.y > 63 && v->p.y < 65;
            /* One of the slopes has two triangles at the point, the other one: by area. */
            if (is_smooth)
                assert_true(fabs(v->normal.y) < 0.32 && v->normal.z > 0.94);
            else
                assert_true(vec3_distance(v->normal, vec3(0, side * SLOPE, SLOPE)) < 1e-9);
        }
        loaded_free(&loaded);
        bytes_free(&file);
    }
}

/* Grass is lit from above: cards whose normals point up keep them; those of an MD3 that look the
 * other way do not. */
static void plants_and_wrong_ways(void **state)
{
    (void)state;
    struct bytes grass = text_file("v 0 0 0\nv 64 0 0\nv 64 0 64\nvn 0 0 1\nf 1//1 2//1 3//1\n");
    struct bytes square = md3_square(1);
    struct loaded loaded;
    assert_int_equal(decode(OBJ, &grass, 0, &loaded), STATUS_OK);
    check_normals(&loaded.model, vec3(0, 0, 1), 0);
    loaded_free(&loaded);
    /* 128: straight down. */
    for (size_t i = 0; i < 4; i++)
        square.data[md3_first_index(&square) + 24 + 68 + 32 + 8 * i + 6] = 128;
    assert_int_equal(decode(MD3, &square, 0, &loaded), STATUS_OK);
    check_normals(&loaded.model, vec3(0, 0, 0), 6);
    loaded_free(&loaded);
    bytes_free(&grass);
    bytes_free(&square);
}

static const double ridge_points[6][3] = {{0, 0, 0},   {64, 0, 0},   {64, 64, 64},
                                          {0, 64, 64}, {64, 128, 0}, {0, 128, 0}};
static const int ridge_corners[2][4] = {{0, 3, 2, 1}, {3, 5, 4, 2}};

/* A ridge of two slopes, at right angles: smooth where the angle of the surface is as large, and
 * where both are in one group. */
static void lwo_surfaces_are_smooth_up_to_their_angle(void **state)
{
    (void)state;
    static const struct {
        double angle;
        int groups[2];
        bool is_smooth;
    } rows[] = {{1.58, {0, 0}, true},
                {1.56, {0, 0}, false},
                {0, {0, 0}, false},
                {1.58, {1, 2}, false},
                {1.58, {2, 2}, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const int tags[] = {0, 0};
        struct bytes file = lwo_begin(), names = {.order = ORDER_BIG};
        struct loaded loaded;
        lwo_name(&names, "slope");
        lwo_end_chunk(&file, "TAGS", &names);
        lwo_points(&file, ridge_points, 6);
        lwo_polygons(&file, ridge_corners, 2);
        lwo_polygon_tags(&file, "SURF", tags, 2);
        lwo_polygon_tags(&file, "SMGP", rows[i].groups, 2);
        lwo_surface(&file, "slope", rows[i].angle, NULL);
        assert_int_equal(decode(LWO, &file, 0, &loaded), STATUS_OK);
        assert_int_equal(loaded.model.parts[0].vertex_count, rows[i].is_smooth ? 6 : 8);
        for (int k = 0; k < loaded.model.parts[0].vertex_count; k++) {
            const struct mesh_vertex *v = &loaded.model.parts[0].vertices[k];
            double side = v->p.y < 63 ? -SLOPE : v->p.y > 65 ? SLOPE : 0;
            if (rows[i].is_smooth)
                assert_true(vec3_distance(v->normal, vec3(0, side, fabs(side) > 0 ? SLOPE : 1)) <
                            1e-9);
            else
                assert_near(fabs(v->normal.y), SLOPE, 1e-9);
        }
        assert_int_equal(loaded.model.losses.without_texture, 8);
        loaded_free(&loaded);
        bytes_free(&file);
    }
}

/* Corner 2 of the second slope has coordinates of its own; the surface's image names its map. */
static void lwo_corners_precede_points(void **state)
{
    (void)state;
    static const double first[6][2] = {{9, 9}},
                        second[6][2] = {{0, 0}, {1, 0}, {1, 0.5}, {0, 0.5}, {1, 1}, {0, 1}};
    static const int tags[] = {0, 0};
    struct bytes file = lwo_begin(), data = {.order = ORDER_BIG};
    struct loaded loaded;
    int own = 0;
    lwo_name(&data, "slope");
    lwo_end_chunk(&file, "TAGS", &data);
    lwo_points(&file, ridge_points, 6);
    lwo_texture(&file, "first", first, 6);
    lwo_texture(&file, "second", second, 6);
    lwo_polygons(&file, ridge_corners, 2);
    lwo_polygon_tags(&file, "SURF", tags, 2);
    bytes_append(&data, "TXUV", 4);
    bytes_u16(&data, 2);
    lwo_name(&data, "second");
    bytes_u16(&data, 2);
    bytes_u16(&data, 1);
    bytes_f32(&data, 0.25F);
    bytes_f32(&data, 0.75F);
    lwo_end_chunk(&file, "VMAD", &data);
    lwo_surface(&file, "slope", 0, "second");
    assert_int_equal(decode(LWO, &file, 0, &loaded), STATUS_OK);
    const struct mesh_part *part = &loaded.model.parts[0];
    assert_int_equal(part->vertex_count, 8);
    for (int k = 0; k < part->vertex_count; k++) {
        const struct mesh_vertex *v = &part->vertices[k];
        bool is_own = v->p.x > 63 && fabs(v->p.y - 64) < 1 && v->normal.y > 0;
        assert_near(v->texture[0], is_own ? 0.25 : v->p.x / 64, 1e-6);
        assert_near(v->texture[1], is_own ? 0.25 : 1 - v->p.y / 128, 1e-6);
        own += is_own;
    }
    assert_int_equal(own, 1);
    assert_int_equal(loaded.model.losses.without_texture, 0);
    loaded_free(&loaded);
    bytes_free(&file);
}

/* Every shortened file is read or told, and keeps no more triangles than the whole one. */
static void shortened_lwo(void **state)
{
    (void)state;
    struct bytes whole = lwo_square();
    for (size_t size = 0; size < whole.size; size++) {
        struct loaded loaded;
        struct bytes part = {.data = whole.data, .size = size};
        enum status status = decode(LWO, &part, 0, &loaded);
        assert_int_equal(diag_count_code(loaded.diag, DIAG_MESH_MODEL_BROKEN), status != STATUS_OK);
        for (int i = 0; status == STATUS_OK && i < loaded.model.part_count; i++)
            assert_true(loaded.model.parts[i].index_count <= 9);
        loaded_free(&loaded);
    }
    bytes_free(&whole);
}

struct sample {
    const char *name;
    enum kind kind;
    int parts, vertices, triangles;
    const char *shader; /* of the first part */
};

/* As in expected.txt; the ASEs as by their own counts. */
static const struct sample samples[] = {
    {"banner5.md3", MD3, 3, 1006, 1002, "logoHalo"},
    {"sandal.md3", MD3, 1, 6104, 7904, "models/spacetracks/sandal"},
    {"teleporter3.md3", MD3, 1, 336, 240, "models/mapobjects/cosmoflash/teleporter3"},
    {"torch1.md3", MD3, 1, 135, 114, "models/mapobjects/cosmoflash/torch1"},
    {"wedge_45.ase", ASE, 1, -1, 12, "textures/radiant_regression_tests/tile_model"},
    {"dm5mdl.ase", ASE, -1, -1, 44, NULL},
    {"glvsh_teleporter.ase", ASE, -1, -1, 34, NULL},
    {"grism.obj", OBJ, -1, -1, 1524, NULL},
    {"__tb_info_player_start.obj", OBJ, -1, -1, 998, NULL},
};

static void check_sample(const struct sample *sample, const struct mesh_model *model)
{
    int vertices = 0, triangles = 0, agree = 0, all = 0;
    for (int i = 0; i < model->part_count; i++) {
        const struct mesh_part *part = &model->parts[i];
        vertices += part->vertex_count;
        triangles += part->index_count / 3;
        for (int k = 0; k < part->index_count / 3; k++) {
            struct vec3 normal = part->vertices[part->indices[3 * k]].normal;
            double way = vec3_dot(front_of(part, k), normal);
            all += way > 0 || way < 0;
            agree += way > 0;
        }
    }
    if (sample->parts >= 0)
        assert_int_equal(model->part_count, sample->parts);
    if (sample->vertices >= 0)
        assert_int_equal(vertices, sample->vertices);
    if (sample->triangles >= 0)
        assert_int_equal(triangles, sample->triangles);
    if (sample->shader)
        assert_string_equal(model->parts[0].shader, sample->shader);
    assert_true(triangles > 0);
    print_message("%s: %d parts, %d vertices, %d triangles, %d of %d look their normals' way, %s\n",
                  sample->name, model->part_count, vertices, triangles, agree, all,
                  model->parts[0].shader);
    assert_true(agree * 2 >= all); /* some have both of their sides */
}

static void samples_are_read(void **state)
{
    (void)state;
    struct fs *fs = fs_disk();
    int read = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[512];
        struct bytes file = {0};
        struct loaded loaded;
        snprintf(path, sizeof path, SHARED_DIR "/corpus/assets/q3/%s", samples[i].name);
        if (fs->ops->read(fs, path, &file))
            continue;
        assert_int_equal(decode(samples[i].kind, &file, 0, &loaded), STATUS_OK);
        check_sample(&samples[i], &loaded.model);
        loaded_free(&loaded);
        bytes_free(&file);
        read++;
    }
    if (!read)
        print_message("no samples here\n");
}

SUITE(test_mesh_models)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_in_all),
        cmocka_unit_test(frames_move),
        cmocka_unit_test(names_are_made_shaders),
        cmocka_unit_test(obj_counts_from_the_end),
        cmocka_unit_test(broken_files_are_told),
        cmocka_unit_test(samples_are_read),
        cmocka_unit_test(normals_that_contradict_are_not_used),
        cmocka_unit_test(normals_of_points_are_found_by_their_numbers),
        cmocka_unit_test(groups_are_smoothed),
        cmocka_unit_test(plants_and_wrong_ways),
        cmocka_unit_test(lwo_surfaces_are_smooth_up_to_their_angle),
        cmocka_unit_test(lwo_corners_precede_points),
        cmocka_unit_test(shortened_lwo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
