/* Each thing of a BM file that a map cannot express is reported, with its code. */
#include "tests/support/suite.h"

#include "common/bsp/engine.h"
#include "common/diag/codes/ballance_to_map.def"
#include "tests/support/vbsp/bmx_made.h"

static const struct bmx_level_options plain = {.name = "level"};

/* Makes the level and looks for a report of the code; frees the file. */
static void expect(struct bmx *bmx, const struct bmx_level_options *options, int code)
{
    struct made made;
    make_with(&made, bmx, options);
    assert_int_equal(diag_count_code(made.diag, code), 1);
    made_free(&made);
}

/* A solid of five cubes, which is not convex. */
static struct bmx *ell(void)
{
    struct bmx_mesh mesh = {0};
    struct cell_grid grid = {0};
    fill_cells(&grid, (const int[]){0, 0, 0}, (const int[]){3, 1, 1}, true);
    fill_cells(&grid, (const int[]){0, 1, 0}, (const int[]){1, 3, 1}, true);
    put_cells(&mesh, &grid);
    return bmx_of_mesh(&mesh);
}

static struct bmx *box(void)
{
    struct bmx_mesh mesh = {0};
    struct cell_grid grid = {0};
    grid.filled[0][0][0] = true;
    put_cells(&mesh, &grid);
    return bmx_of_mesh(&mesh);
}

static struct bmx *sheet(void)
{
    struct bmx_mesh mesh = {0};
    put_cell_face(&mesh, (const int[]){0, 0, 0}, 2, true);
    return bmx_of_mesh(&mesh);
}

/* The walls of a prism whose outline crosses itself: one half looks inside. */
static struct bmx *bow_tie(void)
{
    static const double outline[4][2] = {{0, 0}, {0, 80}, {64, 0}, {64, 64}};
    struct bmx_mesh mesh = {0};
    struct vec3 top[4], bottom[4];
    for (int i = 0; i < 4; i++) {
        bottom[i] = vec3(outline[i][0], outline[i][1], 0);
        top[i] = vec3(outline[i][0], outline[i][1], 32);
    }
    put_polygon(&mesh, (const struct vec3[]){top[0], top[1], top[2]}, 3);
    put_polygon(&mesh, (const struct vec3[]){top[0], top[2], top[3]}, 3);
    put_polygon(&mesh, (const struct vec3[]){bottom[2], bottom[1], bottom[0]}, 3);
    put_polygon(&mesh, (const struct vec3[]){bottom[3], bottom[2], bottom[0]}, 3);
    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;
        put_polygon(&mesh, (const struct vec3[]){bottom[i], bottom[next], top[next], top[i]}, 4);
    }
    return bmx_of_mesh(&mesh);
}

static void surfaces_that_enclose_nothing(void **state)
{
    (void)state;
    struct made made;
    make_with(&made, sheet(), &plain);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_OPEN), 1);
    const struct entity *keys = &made.level.entities[1].keys;
    assert_string_equal(entity_value(keys, "classname"), "misc_model");
    assert_string_equal(entity_value(keys, "model"), "models/bmx/level/floor.obj");
    assert_string_equal(entity_value(keys, "targetname"), "A_Floor_01");
    made_free(&made);
    struct bmx_level_options prisms = {.name = "level", .prisms = true};
    make_with(&made, sheet(), &prisms);
    assert_int_equal(arrlen(made.level.entities[1].solids), 1);
    assert_string_equal(entity_value(&made.level.entities[1].keys, "classname"), "phys_floor");
    made_free(&made);
}

static void meshes_that_are_cut(void **state)
{
    (void)state;
    expect(ell(), &plain, DIAG_BMX_TO_PIECES);
    expect(ell(), &(struct bmx_level_options){.name = "level", .max_pieces = 1},
           DIAG_BMX_TO_BUDGET);
}

static void surfaces_that_cross(void **state)
{
    (void)state;
    expect(bow_tie(), &plain, DIAG_BMX_TO_UNLIKE);
}

static void bent_textures(void **state)
{
    (void)state;
    struct bmx *bmx = box();
    bmx->meshes[0].uvs[0].uv[0] += 0.5f;
    expect(bmx, &(struct bmx_level_options){.name = "level", .max_pieces = 1}, DIAG_BMX_TO_MAPPING);
}

static void faces_twice(void **state)
{
    (void)state;
    struct bmx *bmx = box();
    struct bmx_face again = bmx->meshes[0].faces[0];
    arrput(bmx->meshes[0].faces, again);
    expect(bmx, &plain, DIAG_BMX_TO_FACES);
}

static void faces_that_look_inside(void **state)
{
    (void)state;
    struct bmx *bmx = box();
    for (size_t i = 0; i < arrlenu(bmx->meshes[0].faces); i++) {
        struct bmx_corner *corners = bmx->meshes[0].faces[i].corners, first = corners[0];
        corners[0] = corners[2];
        corners[2] = first;
    }
    expect(bmx, &plain, DIAG_BMX_TO_INSIDE_OUT);
}

static void models_of_source(void **state)
{
    (void)state;
    expect(sheet(), &(struct bmx_level_options){.name = "level", .engine = &engine_source},
           DIAG_BMX_TO_STUDIO);
}

static void turn_normals(struct bmx *bmx, bool outwards)
{
    struct bmx_mesh *mesh = &bmx->meshes[0];
    for (size_t i = 0; i < arrlenu(mesh->faces); i++)
        for (int k = 0; k < 3; k++) {
            struct bmx_corner *corner = &mesh->faces[i].corners[k];
            struct vec3 n = vec3_from_floats(mesh->positions[corner->position].xyz);
            n = vec3_normalize(outwards ? vec3_sub(n, vec3(1, 1, 1)) : vec3(1, 2, 3));
            corner->normal = (uint32_t)arrlenu(mesh->normals);
            arrput(mesh->normals, ((struct bmx_point){{(float)n.x, (float)n.y, (float)n.z}}));
        }
}

static void odd_normals(void **state)
{
    (void)state;
    struct bmx *bmx = box();
    struct made made;
    turn_normals(bmx, false);
    expect(bmx, &plain, DIAG_BMX_TO_NORMALS);
    bmx = box();
    turn_normals(bmx, true);
    make_with(&made, bmx, &plain);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_NORMALS), 0);
    assert_string_equal(entity_value(&made.level.entities[1].keys, "_smooth"), "180");
    made_free(&made);
    make_with(&made, box(), &plain);
    assert_false(entity_has(&made.level.entities[1].keys, "_smooth"));
    made_free(&made);
}

static void meshes_of_nobody(void **state)
{
    (void)state;
    struct bmx *bmx = box();
    struct bmx_mesh mesh = {.name = bmx_text_make("Lost")};
    arrput(bmx->meshes, mesh);
    expect(bmx, &plain, DIAG_BMX_TO_UNUSED);
}

static void places_outside(void **state)
{
    (void)state;
    struct bmx *bmx = box();
    bmx->objects[0].matrix[12] = 1e5f;
    expect(bmx, &plain, DIAG_BMX_TO_REACH);
}

static void textures(void **state)
{
    (void)state;
    struct bmx_level_options source = {.name = "level", .engine = &engine_source};
    expect(box(), &plain, DIAG_BMX_TO_TEXTURE);
    struct bmx *bmx = box();
    bmx_text_free(&bmx->textures[0].file_name);
    bmx->textures[0].file_name = bmx_text_make("own.png");
    bmx->textures[0].is_external = 0;
    bmx_add_file(bmx, "Texture/own.png", "no picture", 10);
    expect(bmx, &source, DIAG_BMX_TO_PACK);
}

static void add_group(struct bmx *bmx, const char *name)
{
    struct bmx_text group = bmx_text_make(name);
    arrput(bmx->objects[0].groups, group);
}

static void names_with_quotes(void **state)
{
    (void)state;
    struct made made;
    struct bmx *bmx = box();
    bmx_text_free(&bmx->objects[0].name);
    bmx->objects[0].name = bmx_text_make("the \"floor\"");
    add_group(bmx, "two\nlines");
    make_with(&made, bmx, &plain);
    const struct entity *keys = &made.level.entities[1].keys;
    assert_string_equal(entity_value(keys, "targetname"), "the 'floor'");
    assert_string_equal(entity_value(keys, "_groups"), "two lines");
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_NAME), 1);
    assert_non_null(strstr(diag_entry(made.diag, 1)->message, "2 names, the first: "));
    made_free(&made);
}

/* A group whose name begins as a list of all groups does. */
static void groups_with_signs(void **state)
{
    (void)state;
    struct made made;
    struct bmx *bmx = box();
    add_group(bmx, "=a;b");
    make_with(&made, bmx, &plain);
    assert_string_equal(entity_value(&made.level.entities[1].keys, "_groups"), "\\=a\\;b");
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_NAME), 0);
    made_free(&made);
}

static void games(void **state)
{
    (void)state;
    struct bmx_level_options playable = {.name = "level", .playable = true};
    struct bmx *bmx = box();
    bmx->materials[0].power = 3;
    expect(bmx, &playable, DIAG_BMX_TO_MATERIAL);
    expect(box(), &playable, DIAG_BMX_TO_SURROUNDED);
    bmx = box();
    bmx->objects[0].is_hidden = 1;
    bmx_text_free(&bmx->objects[0].groups[0]);
    arrsetlen(bmx->objects[0].groups, 0);
    expect(bmx, &playable, DIAG_BMX_TO_HIDDEN);
}

SUITE(test_bmx_losses)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_that_enclose_nothing),
        cmocka_unit_test(meshes_that_are_cut),
        cmocka_unit_test(surfaces_that_cross),
        cmocka_unit_test(bent_textures),
        cmocka_unit_test(faces_twice),
        cmocka_unit_test(faces_that_look_inside),
        cmocka_unit_test(models_of_source),
        cmocka_unit_test(odd_normals),
        cmocka_unit_test(meshes_of_nobody),
        cmocka_unit_test(places_outside),
        cmocka_unit_test(textures),
        cmocka_unit_test(names_with_quotes),
        cmocka_unit_test(groups_with_signs),
        cmocka_unit_test(games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
