/* Models, decals, clones and flares of Quake 3 maps, with a game in memory. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/diag/codes/mesh_models.def"
#include "common/diag/codes/quake3_models.def"
#include "tests/support/mesh_files.h"
#include "tests/support/near.h"
#include "tests/support/quake3_game.h"
#include "tests/support/vbsp/q3_surfaces.h"
#include "vbsp/target/quake3/meta/meta.h"
#include "vbsp/target/quake3/models/models.h"
#include "vbsp/target/quake3/patches/decal.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/surfaces/shader_directives.h"

/* --- models --- */

static const char scripts[] =
    "textures/test/floor { { map $lightmap } }\n"
    "textures/test/glass { surfaceparm nonsolid { map $lightmap } }\n"
    "textures/test/clip { q3map_clipModel { map $lightmap } }\n"
    "textures/test/hidden { surfaceparm nodraw }\n"
    "textures/test/one { q3map_cloneShader textures/test/two\n"
    "q3map_backShader textures/test/glass { map $lightmap } }\n"
    "textures/test/two { q3map_cloneShader textures/test/three }\n"
    "textures/test/three { surfaceparm nolightmap }\n"
    "textures/test/round { q3map_cloneShader textures/test/round }\n"
    "textures/test/old { q3map_remapShader textures/test/floor }\n"
    "textures/test/old2 { q3map_remapShader textures/test/old }\n"
    "textures/test/loop { q3map_remapShader textures/test/loop }\n"
    "textures/test/small { q3map_tessSize 64 }\n"
    "textures/test/lamp { q3map_flareShader flares/lamp }\n"
    "textures/test/grass { q3map_surfaceModel models/square.obj 50 1 0.5 0.5 0 0 0 }\n"
    "textures/test/reed { q3map_foliage models/square.obj 0.25 10 1 0 }\n"
    "textures/test/weed { q3map_foliage models/square.obj 0.25 10 0.5 1\n"
    "q3map_foliage models/square.obj 1 0 }\n"
    "textures/test/moss { q3map_surfaceModel models/square.obj 50 0.5 1 2 0 90 1\n"
    "q3map_surfaceModel models/none.md3 50\n"
    "q3map_surfaceModel models/square.obj 0 }\n"
    "models/test/flag { { map $lightmap } }\n";

static const char obj_bare[] = "v 0 0 0\nv 64 0 0\nv 64 64 0\nusemtl crate\nf 1 2 3\n";

static const char ase_bare[] =
    "*3DSMAX_ASCIIEXPORT 200\n*MATERIAL_LIST {\n*MATERIAL_COUNT 1\n"
    "*MATERIAL 0 {\n*MATERIAL_NAME \"crate\"\n*MAP_DIFFUSE { *BITMAP \"crate.tga\" } }\n}\n"
    "*GEOMOBJECT {\n*MESH {\n*MESH_VERTEX_LIST {\n"
    "*MESH_VERTEX 0 0 0 0\n*MESH_VERTEX 1 64 0 0\n*MESH_VERTEX 2 64 64 0\n}\n"
    "*MESH_FACE_LIST {\n*MESH_FACE 0: A: 0 B: 1 C: 2 AB: 1 BC: 1 CA: 1\n}\n}\n"
    "*MATERIAL_REF 0\n}\n";

static int setup(void **state)
{
    quake3_game_new(state);
    struct quake3_game *game = *state;
    struct bytes square = md3_square(2);
    struct fs *fs = game->env.fs;
    quake3_add(game, "q/baseq3/scripts/a.shader", scripts);
    quake3_add(game, "q/baseq3/models/square.obj", obj_square);
    quake3_add(game, "q/baseq3/models/square.ase", ase_square);
    quake3_add(game, "q/baseq3/models/bare/square.obj", obj_bare);
    quake3_add(game, "q/baseq3/models/bare/square.ase", ase_bare);
    quake3_add(game, "q/baseq3/models/bad.ase", "*GEOMOBJECT {");
    quake3_add(game, "q/baseq3/models/bad.lwo", "FORM");
    quake3_add(game, "q/baseq3/models/odd.dae", "<COLLADA>");
    quake3_add(game, "q/baseq3/models/square_1.skin",
               "models/test/flag,textures/test/glass.tga\r\nfloor,\r\n");
    assert_int_equal(fs->ops->write(fs, "q/baseq3/models/square.md3", square.data, square.size), 0);
    bytes_free(&square);
    quake3_open(game, "q");
    return 0;
}

/* An entity out of pairs that end with NULL. */
static struct entity entity_of(const char *const *words)
{
    struct entity entity = {0};
    for (; words[0]; words += 2)
        arrput(entity.pairs, ((struct key_value){words[0], words[1]}));
    return entity;
}

static struct placed_models place(struct quake3_game *game, const char *const *words)
{
    struct placed_models placed = {NULL, NULL};
    const struct model_owner owner = {.entity = 3, .model = 1};
    struct entity entity = entity_of(words);
    model_place_entity(&entity, &owner, game->assets, game->env.diag, &placed);
    arrfree(entity.pairs);
    return placed;
}

#define PLACE(game, ...) place((game), (const char *const[]){__VA_ARGS__, NULL})

static void placed_free(struct placed_models *placed)
{
    draw_surfaces_free(placed->surfaces);
    clip_bodies_free(placed->bodies);
}

static void models_are_placed(void **state)
{
    struct placed_models placed = PLACE(*state, "model", "models/square.md3", "origin", "100 0 8",
                                        "angle", "90", "modelscale", "2", "_frame", "1");
    assert_int_equal(arrlenu(placed.surfaces), 2);
    assert_int_equal(arrlenu(placed.bodies), 0);
    const struct draw_surface *floor = &placed.surfaces[0];
    assert_int_equal(floor->type, SURFACE_MESH);
    assert_false(floor->lightmapped);
    assert_true(floor->no_tjunctions && floor->entity == 3 && floor->model == 1 && floor->fog < 0);
    struct bounds bounds = draw_surface_bounds(floor);
    assert_true(vec3_distance(bounds.mins, vec3(100 - 128, 0, 8 + 16)) < 1e-6);
    assert_true(vec3_distance(bounds.maxs, vec3(100, 128, 8 + 16)) < 1e-6);
    assert_near(draw_surface_area(floor), 128 * 128, 1e-6);
    for (size_t i = 0; i < arrlenu(floor->indices); i += 3)
        assert_true(q3_front(floor, i).z > 0);
    placed_free(&placed);
}

static void scales_mirror(void **state)
{
    struct placed_models placed =
        PLACE(*state, "model", "models/square.obj", "modelscale_vec", "-1 2 1");
    struct bounds bounds = draw_surface_bounds(&placed.surfaces[0]);
    assert_true(vec3_distance(bounds.mins, vec3(-64, 0, 0)) < 1e-6);
    assert_true(vec3_distance(bounds.maxs, vec3(0, 128, 0)) < 1e-6);
    for (size_t i = 0; i < 6; i += 3)
        assert_true(q3_front(&placed.surfaces[0], i).z > 0);
    /* The flag has no normals of its own. */
    assert_true(vec3_distance(placed.surfaces[1].vertices[0].normal, vec3(-1, 0, 0)) < 1e-6);
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.obj", "modelscale", "1e9");
    assert_int_equal(arrlenu(placed.surfaces), 0);
    struct quake3_game *game = *state;
    assert_int_equal(diag_count_code(game->env.diag, DIAG_MODEL_FAR), 2);
    placed_free(&placed);
}

static void shaders_are_renamed(void **state)
{
    struct placed_models placed =
        PLACE(*state, "model", "models/square.md3", "_remap1", "test/floor;textures/test/hidden",
              "_remap2", "*;textures/test/glass");
    assert_int_equal(arrlenu(placed.surfaces), 1); /* nodraw is not drawn */
    assert_string_equal(placed.surfaces[0].shader->name, "textures/test/glass");
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.md3", "skin", "1");
    assert_string_equal(placed.surfaces[0].shader->name, "textures/test/floor");
    assert_string_equal(placed.surfaces[1].shader->name, "textures/test/glass");
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.md3", "skin", "0", "_skin", "1");
    assert_string_equal(placed.surfaces[0].shader->name, "textures/test/floor");
    assert_string_equal(placed.surfaces[1].shader->name, "textures/test/glass");
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.md3", "_shader", "textures/test/glass",
                   "spawnflags", "4");
    assert_string_equal(placed.surfaces[0].shader->name, "textures/test/glass");
    assert_true(placed.surfaces[0].lightmapped && !placed.surfaces[0].no_tjunctions);
    placed_free(&placed);
}

/* A name without a path is that of a shader beside the model. */
static void bare_shaders_are_beside_the_model(void **state)
{
    static const char *const models[] = {"models/bare/square.obj", "models/bare/square.ase"};
    for (int i = 0; i < 2; i++) {
        struct placed_models placed = PLACE(*state, "model", models[i]);
        assert_int_equal(arrlenu(placed.surfaces), 1);
        assert_string_equal(placed.surfaces[0].shader->name, "models/bare/crate");
        placed_free(&placed);
    }
    struct placed_models placed =
        PLACE(*state, "model", models[0], "_remap", "crate;textures/test/glass");
    assert_string_equal(placed.surfaces[0].shader->name, "textures/test/glass");
    placed_free(&placed);
}

static void missing_and_broken_models_are_reported(void **state)
{
    struct quake3_game *game = *state;
    const char *const names[] = {"models/none.md3", "models/bad.ase", "models/bad.lwo",
                                 "models/odd.dae"};
    for (int i = 0; i < 4; i++) {
        struct placed_models placed = PLACE(game, "model", names[i]);
        assert_int_equal(arrlenu(placed.surfaces), 0);
        placed_free(&placed);
    }
    assert_int_equal(diag_count_code(game->env.diag, DIAG_MODEL_ABSENT), 1);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_MESH_MODEL_BROKEN), 2);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_MESH_MODEL_KIND), 1);
}

static bool is_in_body(const struct clip_body *body, struct vec3 p)
{
    for (size_t i = 0; i < arrlenu(body->planes); i++)
        if (plane_distance(&body->planes[i], p) > 1e-6)
            return false;
    return true;
}

static void clips_lie_behind_their_triangles(void **state)
{
    struct placed_models placed =
        PLACE(*state, "model", "models/square.ase", "spawnflags", "2", "_clipdepth", "5");
    assert_int_equal(arrlenu(placed.bodies), 2); /* the square is one, the flag the other */
    assert_int_equal(arrlenu(placed.bodies[0].planes), 6);
    assert_int_equal(arrlenu(placed.bodies[1].planes), 5);
    for (int i = 0; i < 200; i++) {
        struct vec3 p =
            vec3(random_unit(1, (uint64_t)i) * 80 - 8, random_unit(2, (uint64_t)i) * 80 - 8,
                 random_unit(3, (uint64_t)i) * 10 - 7);
        bool inside = p.x > 0 && p.x < 64 && p.y > 0 && p.y < 64 && p.z < 0 && p.z > -5;
        assert_int_equal(is_in_body(&placed.bodies[0], p), inside);
    }
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.ase", "_shader", "textures/test/clip");
    assert_int_equal(arrlenu(placed.bodies), 2);
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.ase", "_shader", "textures/test/glass",
                   "spawnflags", "2");
    assert_int_equal(arrlenu(placed.bodies), 0);
    placed_free(&placed);
}

static void smoothing_can_be_left_out(void **state)
{
    struct placed_models placed = PLACE(*state, "model", "models/square.md3", "spawnflags", "64");
    assert_int_equal(arrlenu(placed.surfaces[0].vertices), 6);
    assert_true(placed.surfaces[0].keys.shade_angle < 0);
    placed_free(&placed);
    placed = PLACE(*state, "model", "models/square.md3", "spawnflags", "32");
    assert_int_equal(placed.surfaces[0].vertices[0].colour[3], 255);
    placed_free(&placed);
}

static void models_are_scattered(void **state)
{
    struct quake3_game *game = *state;
    struct draw_surface *surfaces = NULL;
    struct placed_models placed = {NULL, NULL};
    /* 10 x 10 squares of 50 units, in two triangles. */
    const struct vec3 points[4] = {vec3(0, 0, 8), vec3(0, 500, 8), vec3(500, 500, 8),
                                   vec3(500, 0, 8)};
    arrput(surfaces, q3_polygon(points, 4));
    surfaces[0].shader = assets_shader(game->assets, "textures/test/grass");
    surfaces[0].entity = 5;
    models_scatter(SCATTER_MODELS, surfaces, 1, game->assets, game->env.diag, &placed);
    assert_int_equal(arrlenu(placed.surfaces), 2 * 100); /* each has two parts */
    for (size_t i = 0; i < arrlenu(placed.surfaces); i += 2) {
        struct bounds bounds = draw_surface_bounds(&placed.surfaces[i]);
        assert_near(bounds.mins.z, 8, 1e-9);
        assert_near(bounds.maxs.x - bounds.mins.x, 32, 1e-6);
        assert_true(bounds.mins.x >= 0 && bounds.mins.x < 500);
        assert_int_equal(placed.surfaces[i].entity, 5);
    }
    placed_free(&placed);
    placed = (struct placed_models){NULL, NULL};
    /* A wall that looks along +x: what leans with it stands out of it. */
    draw_surfaces_free(surfaces);
    surfaces = NULL;
    const struct vec3 wall[4] = {vec3(0, 0, 0), vec3(0, 0, 500), vec3(0, 500, 500),
                                 vec3(0, 500, 0)};
    arrput(surfaces, q3_polygon(wall, 4));
    surfaces[0].shader = assets_shader(game->assets, "textures/test/moss");
    models_scatter(SCATTER_MODELS, surfaces, 1, game->assets, game->env.diag, &placed);
    size_t count = arrlenu(placed.surfaces) / 2;
    assert_true(count > 30 && count < 70); /* odds of a half */
    assert_int_equal(diag_count_code(game->env.diag, DIAG_MODEL_ABSENT), 1);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SURFACE_MODEL), 1);
    for (size_t i = 0; i < count; i++) {
        struct bounds bounds = draw_surface_bounds(&placed.surfaces[2 * i]);
        assert_near(bounds.maxs.x - bounds.mins.x, 0, 1e-6);
    }
    placed_free(&placed);
    draw_surfaces_free(surfaces);
}

/* On a square of 50 x 50 places, whose alpha grows from 0 to 255 along x: the share of places with
 * a model, and how far along x they are in the mean. */
static void foliage_on_slope_of_alpha(struct quake3_game *game, const char *shader, double share,
                                      double mean)
{
    struct draw_surface *surfaces = NULL;
    struct placed_models placed = {NULL, NULL};
    const struct vec3 points[4] = {vec3(0, 0, 8), vec3(0, 500, 8), vec3(500, 500, 8),
                                   vec3(500, 0, 8)};
    double sum = 0;
    arrput(surfaces, q3_polygon(points, 4));
    surfaces[0].shader = assets_shader(game->assets, shader);
    for (int i = 0; i < 4; i++)
        surfaces[0].vertices[i].colour[3] = i < 2 ? 0 : 255;
    models_scatter(SCATTER_FOLIAGE, surfaces, 1, game->assets, game->env.diag, &placed);
    size_t count = arrlenu(placed.surfaces) / 2;
    for (size_t i = 0; i < count; i++) {
        struct bounds bounds = draw_surface_bounds(&placed.surfaces[2 * i]);
        assert_near(bounds.mins.z, 8, 1e-9);
        sum += bounds_center(&bounds).x / (double)count;
    }
    assert_near((double)count / 2500, share, 0.03);
    assert_near(sum, mean, 15);
    placed_free(&placed);
    draw_surfaces_free(surfaces);
}

static void foliage_grows_by_alpha(void **state)
{
    struct quake3_game *game = *state;
    foliage_on_slope_of_alpha(game, "textures/test/reed", 0.5, 500 * 2 / 3.0);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SURFACE_MODEL), 0);
    foliage_on_slope_of_alpha(game, "textures/test/weed", 0.25, 500 / 3.0);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SURFACE_MODEL), 1);
}

/* --- decals --- */

/* A flat square patch of 64 units at z 64 that looks down to its target. */
static struct decal decal_above(struct vec3 at, struct vec3 direction)
{
    struct map_patch_point points[9];
    struct map_patch patch = {.columns = 3, .rows = 3, .points = points};
    struct diag *diag = diag_new(NULL, NULL);
    struct decal decal = {.direction = direction};
    const struct diag_where nowhere = {0};
    for (int i = 0; i < 9; i++)
        points[i] = (struct map_patch_point){vec3_add(at, vec3(i % 3 * 32, i / 3 * 32, 0)),
                                             {i % 3 / 2.0, i / 3 / 2.0}};
    assert_true(patch_surface(&patch, &q3_plain, vec3(0, 0, 0), &nowhere, diag, &decal.patch));
    diag_free(diag);
    return decal;
}

static void decals_cover_what_they_meet(void **state)
{
    struct quake3_game *game = *state;
    struct draw_surface *surfaces = NULL, *out = NULL;
    const struct vec3 floor[4] = {vec3(0, 0, 0), vec3(0, 100, 0), vec3(100, 100, 0),
                                  vec3(100, 0, 0)};
    const struct vec3 ceiling[4] = {vec3(0, 0, -8), vec3(100, 0, -8), vec3(100, 100, -8),
                                    vec3(0, 100, -8)};
    arrput(surfaces, q3_polygon(floor, 4));
    arrput(surfaces, q3_polygon(ceiling, 4)); /* it looks down */
    struct decal decals[2] = {decal_above(vec3(60, 10, 64), vec3(0, 0, -80)),
                              decal_above(vec3(60, 10, 64), vec3(0, 0, -60))};
    decals_project(decals, 2, surfaces, 2, vec3(0, 0, 0), &out);
    double area = 0;
    for (size_t i = 0; i < arrlenu(out); i++) {
        area += draw_surface_area(&out[i]);
        assert_true(out[i].planar && out[i].normal.z > 0.99 && out[i].no_tjunctions);
        for (size_t k = 0; k < arrlenu(out[i].vertices); k++) {
            const struct draw_vertex *v = &out[i].vertices[k];
            assert_near(v->p.z, 0, 1e-9);
            assert_near(v->texture[0], (v->p.x - 60) / 64, 1e-9);
            assert_near(v->texture[1], (v->p.y - 10) / 64, 1e-9);
        }
    }
    assert_near(area, 40 * 64, 1e-6);
    assert_true(decals[0].pieces == 2 && decals[1].pieces == 0);
    decals_report(decals, 2, game->env.diag);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_DECAL_LOST), 1);
    surfaces_join(&out, &META_LIMITS);
    assert_int_equal(arrlenu(out), 1);
    assert_int_equal(arrlenu(out[0].vertices), 4 + 1); /* cut by the patch's diagonal */
    draw_surfaces_free(out);
    out = NULL;
    /* A slanted projection onto triangles of a model elsewhere. */
    surface_triangulate(&surfaces[0]);
    decals[0].direction = vec3(-64, 0, -128);
    decals_project(decals, 1, surfaces, 1, vec3(0, 0, -8), &out);
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(out); i++) {
        struct bounds piece = draw_surface_bounds(&out[i]);
        bounds_add(&bounds, &piece);
    }
    assert_near(bounds.mins.x, 60 - 36, 1e-6); /* 72 units down are 36 aside */
    assert_near(bounds.maxs.x, 60 - 36 + 64, 1e-6);
    draw_surfaces_free(out);
    draw_surfaces_free(surfaces);
    draw_surface_free(&decals[0].patch);
    draw_surface_free(&decals[1].patch);
}

/* --- shader directives --- */

static struct draw_surface *one_square(struct quake3_game *game, const char *shader, double size)
{
    struct draw_surface *surfaces = NULL;
    const struct vec3 points[4] = {vec3(10, 10, 0), vec3(10, 10 + size, 0),
                                   vec3(10 + size, 10 + size, 0), vec3(10 + size, 10, 0)};
    arrput(surfaces, q3_polygon(points, 4));
    surfaces[0].shader = assets_shader(game->assets, shader);
    return surfaces;
}

static void tess_size_cuts_along_its_grid(void **state)
{
    struct draw_surface *surfaces = one_square(*state, "textures/test/small", 200);
    surfaces_tessellate(&surfaces);
    /* 10 to 210 meets 64, 128 and 192 both ways. */
    assert_int_equal(arrlenu(surfaces), 16);
    double area = 0;
    for (size_t i = 0; i < 16; i++) {
        struct bounds bounds = draw_surface_bounds(&surfaces[i]);
        area += draw_surface_area(&surfaces[i]);
        assert_true(bounds.maxs.x - bounds.mins.x <= 64 && bounds.maxs.y - bounds.mins.y <= 64);
        for (size_t k = 0; k < arrlenu(surfaces[i].vertices); k++)
            assert_near(surfaces[i].vertices[k].texture[0], surfaces[i].vertices[k].p.x / 64, 1e-9);
    }
    assert_near(area, 200 * 200, 1e-6);
    draw_surfaces_free(surfaces);
    surfaces = one_square(*state, "textures/test/floor", 200);
    surfaces_tessellate(&surfaces);
    assert_int_equal(arrlenu(surfaces), 1);
    draw_surfaces_free(surfaces);
}

static void copies_have_their_shaders(void **state)
{
    struct quake3_game *game = *state;
    struct draw_surface *surfaces = one_square(game, "textures/test/one", 64);
    surfaces_copy(&surfaces, game->assets, game->env.diag);
    assert_int_equal(arrlenu(surfaces), 4);
    assert_string_equal(surfaces[1].shader->name, "textures/test/two");
    assert_string_equal(surfaces[2].shader->name, "textures/test/three");
    assert_string_equal(surfaces[3].shader->name, "textures/test/glass");
    assert_true(surfaces[0].lightmapped && !surfaces[2].lightmapped);
    assert_near(surfaces[3].normal.z, -1, 1e-9);
    surface_triangulate(&surfaces[3]);
    assert_true(q3_front(&surfaces[3], 0).z < 0);
    draw_surfaces_free(surfaces);
    surfaces = one_square(game, "textures/test/old2", 64);
    surfaces_copy(&surfaces, game->assets, game->env.diag);
    assert_int_equal(arrlenu(surfaces), 1);
    assert_string_equal(surfaces[0].shader->name, "textures/test/floor");
    draw_surfaces_free(surfaces);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADERS_CIRCLE), 0);
    surfaces = one_square(game, "textures/test/loop", 64);
    surfaces_copy(&surfaces, game->assets, game->env.diag);
    draw_surfaces_free(surfaces);
    surfaces = one_square(game, "textures/test/round", 64);
    surfaces_copy(&surfaces, game->assets, game->env.diag);
    draw_surfaces_free(surfaces);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADERS_CIRCLE), 2);
}

static void patches_have_backs(void **state)
{
    struct quake3_game *game = *state;
    struct draw_surface *surfaces = NULL, mesh;
    struct decal decal = decal_above(vec3(0, 0, 0), vec3(0, 0, -1));
    decal.patch.shader = assets_shader(game->assets, "textures/test/one");
    arrput(surfaces, decal.patch);
    surfaces_copy(&surfaces, game->assets, game->env.diag);
    assert_int_equal(arrlenu(surfaces), 4);
    patch_to_mesh(&surfaces[0], 0, &mesh);
    assert_true(q3_front(&mesh, 0).z > 0);
    draw_surface_free(&mesh);
    patch_to_mesh(&surfaces[3], 0, &mesh);
    assert_true(q3_front(&mesh, 0).z < 0 && mesh.vertices[0].normal.z < 0);
    draw_surface_free(&mesh);
    draw_surfaces_free(surfaces);
}

static void flares_stand_before_their_surface(void **state)
{
    struct quake3_game *game = *state;
    struct draw_surface *surfaces = one_square(game, "textures/test/lamp", 64);
    surfaces_add_flares(&surfaces, game->assets);
    assert_int_equal(arrlenu(surfaces), 2);
    assert_int_equal(surfaces[1].type, SURFACE_FLARE);
    assert_string_equal(surfaces[1].shader->name, "flares/lamp");
    assert_true(vec3_distance(surfaces[1].vertices[0].p, vec3(42, 42, 2)) < 1e-9);
    draw_surfaces_free(surfaces);
    const char *const words[] = {"origin", "1 2 3", "_flare", "1", "_color", "0.5 1 0", NULL};
    struct entity light = entity_of(words);
    struct draw_surface flare;
    const struct vec3 target = vec3(1, 2, -7);
    assert_true(flare_of_light(&light, &target, 4, game->assets, &flare));
    assert_true(flare.vertices[0].colour[0] == 128 && flare.vertices[0].colour[1] == 255);
    assert_near(flare.vertices[0].normal.z, -1, 1e-9);
    draw_surface_free(&flare);
    light.pairs[1].value = "0";
    assert_false(flare_of_light(&light, NULL, 4, game->assets, &flare));
    arrfree(light.pairs);
}

SUITE(test_q3_shapes)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, quake3_game_free)
    const struct CMUnitTest tests[] = {
        TEST(models_are_placed),
        TEST(scales_mirror),
        TEST(shaders_are_renamed),
        TEST(bare_shaders_are_beside_the_model),
        TEST(missing_and_broken_models_are_reported),
        TEST(clips_lie_behind_their_triangles),
        TEST(smoothing_can_be_left_out),
        TEST(models_are_scattered),
        TEST(foliage_grows_by_alpha),
        TEST(decals_cover_what_they_meet),
        TEST(tess_size_cuts_along_its_grid),
        TEST(copies_have_their_shaders),
        TEST(patches_have_backs),
        TEST(flares_stand_before_their_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
