/* Each directive that the reader of shaders knows has an effect on the compiled map, or is
 * reported. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader_meaning.h"
#include "common/core/strings.h"
#include "tests/support/quake3_game.h"
#include "tests/support/vbsp/q3_map.h"
#include "vrad/vrad.h"

#define LIT    "{ map $lightmap }\n{ map textures/test/probe.tga\nblendFunc filter }\n"
#define VERTEX "surfaceparm nolightmap\n{ map textures/test/probe.tga\nrgbGen vertex }\n"
#define GLOW   "q3map_surfacelight 300\n" LIT
#define SKY    "surfaceparm sky\nsurfaceparm nolightmap\n"
#define FOG    "surfaceparm fog\nsurfaceparm trans\nsurfaceparm nonsolid\nsurfaceparm nolightmap\n"
#define GRATE                                                                                      \
    "{ map textures/test/probe.tga\nalphaFunc GE128 }\n"                                           \
    "{ map $lightmap\nblendFunc filter\ndepthFunc equal }\n"
#define OTHER "textures/test/wall"

/* A directive, and the rest of the shader with and without it. */
static const struct row {
    const char *line, *rest;
} rows[] = {
    {"fogparms ( 0.5 0.5 0.5 ) 200", FOG},
    {"polygonOffset", LIT}, /* no outline by _celshader */
    {"q3map_clipModel", LIT},
    {"q3map_forceMeta", LIT},
    {"q3map_globalTexture", LIT},
    {"q3map_indexed", LIT},
    {"q3map_invert", LIT},
    {"q3map_lightmapMergable", LIT},
    {"q3map_noClip", LIT},
    {"q3map_noDirty", LIT},
    {"q3map_noFog", LIT},
    {"q3map_nonPlanar", LIT},
    {"q3map_noTJunc", LIT},
    {"q3map_noVertexLight", VERTEX},
    {"q3map_terrain", LIT},
    {"q3map_bounce 0", GLOW},
    {"q3map_bounceScale 0", GLOW},
    {"q3map_lightmapSampleSize 4", LIT},
    {"q3map_lightSubdivide 8", GLOW},
    {"q3map_offset 2", LIT},
    {"q3map_shadeAngle 90", LIT},
    {"q3map_subdivisions 1", LIT},
    {"q3map_surfaceLight 500", LIT},
    {"q3map_tessSize 16", LIT},
    {"q3map_vertexScale 3", VERTEX},
    {"tessSize 16", LIT},
    {"q3map_backShader " OTHER, LIT},
    {"q3map_cloneShader " OTHER, LIT},
    {"q3map_flare " OTHER, LIT},
    {"q3map_flareShader " OTHER, LIT},
    {"q3map_remapShader " OTHER, LIT},
    {"surfaceparm trans", LIT},
    {"cull none", LIT},
    {"deformVertexes autosprite", LIT},
    {"qer_editorImage textures/test/large.tga", LIT},
    {"q3map_lightImage textures/test/large.tga", GLOW},
    {"q3map_lightRGB 1 0 0", GLOW},
    {"q3map_backsplash 50 8", GLOW},
    {"q3map_sun 1 1 1 100 0 90", SKY},
    {"q3map_sunExt 1 1 1 100 0 90 2 4", SKY},
    {"sun 1 1 1 100 0 90", SKY},
    {"q3map_skyLight 100 3", SKY},
    {"skyLight 100 3", SKY},
    {"q3map_lightStyle 3", GLOW},
    {"q3map_lightmapSize 256 256", LIT},
    {"q3map_lightmapAxis x", "q3map_nonPlanar\n" LIT},
    {"q3map_fogDir ( 1 0 0 )", FOG "fogparms ( 0.5 0.5 0.5 ) 200\n"},
    {"q3map_textureSize 128 128", LIT},
    {"q3map_surfaceModel models/m.obj 16 1 1 1 0 0 0", LIT},
    {"q3map_baseShader textures/test/glass", LIT},
    {"q3map_deprecateShader " OTHER, LIT},
    {"q3map_tcGen ivector ( 32 0 0 ) ( 0 48 0 )", LIT},
    {"q3map_tcMod scale 2 3", LIT},
    {"q3map_alphaGen const 0.5", LIT},
    {"q3map_alphaMod volume", LIT},
    {"q3map_rgbGen const ( 1 0 0 )", "q3map_noVertexLight\n" VERTEX},
    {"q3map_rgbMod scale ( 1 0 0 )", "q3map_noVertexLight\n" VERTEX},
    {"q3map_colorGen const ( 1 0 0 )", "q3map_noVertexLight\n" VERTEX},
    {"q3map_colorMod set ( 1 0 0 )", "q3map_noVertexLight\n" VERTEX},
    {"q3map_styleMarker", GRATE},
    {"q3map_styleMarker2", GRATE},
    {"q3map_floodLight 1 1 1 128 10 0", LIT},
    {"q3map_foliage models/m.obj 1 16 1 0", LIT},
    {"q3map_fur 2 1 0", LIT},
    {"q3map_material Metal", LIT},
    {"q3map_noFast", LIT},
    {"q3map_normalImage textures/test/large.tga", LIT},
    {"q3map_light1 100", LIT},
    {"q3map_forceSunlight", LIT},
    {"q3map_patchShadows", LIT},
    {"q3map_splotchFix", LIT},
    {"q3map_vertexShadows", VERTEX},
    {"q3map_noVertexShadows", VERTEX},
    {"q3map_lightmapBrightness 2", LIT},
    {"q3map_lightmapGamma 2", LIT},
    {"q3map_lightmapSampleOffset 4", LIT},
    {"q3map_lightmapFilterRadius 1 8", LIT},
};

/* A triangle that stands on the floor. */
static const char model[] = "v 0 0 0\nv 24 0 0\nv 0 0 24\nusemtl textures/test/probe\nf 1 2 3\n";

/* A slope that begins at the top of the block beside it. */
static const char wedge[] =
    "{\n( 1152 128 32 ) ( 1088 128 32 ) ( 1088 192 0 ) test/probe 0 0 0 1 1\n"
    "( 1088 128 0 ) ( 1088 192 0 ) ( 1088 128 32 ) test/probe 0 0 0 1 1\n"
    "( 1152 128 0 ) ( 1152 128 32 ) ( 1152 192 0 ) test/probe 0 0 0 1 1\n"
    "( 1088 128 0 ) ( 1088 128 32 ) ( 1152 128 0 ) test/probe 0 0 0 1 1\n"
    "( 1088 128 0 ) ( 1152 128 0 ) ( 1088 192 0 ) test/probe 0 0 0 1 1\n}\n";

#define PATCH(x, bulge)                                                                            \
    "{\npatchDef2\n{\ntest/probe\n( 3 3 0 0 0 )\n(\n"                                              \
    "( ( " x " 40 0 0 0 ) ( " x " 40 32 0 1 ) ( " x " 40 64 0 2 ) )\n"                             \
    "( ( " x " 60 0 1 0 ) ( " bulge " 60 32 1 1 ) ( " x " 60 64 1 2 ) )\n"                         \
    "( ( " x " 80 0 2 0 ) ( " x " 80 32 2 1 ) ( " x " 80 64 2 2 ) )\n)\n}\n}\n"

static void put_box(struct text_map *map, double x, double y, double z, double width, double depth,
                    double height, const char *shader)
{
    q3_map_detail_box(map, vec3(x, y, z), vec3(x + width, y + depth, z + height), shader);
}

/* Keys of the world, of a group with a box and a patch, and of a model. */
struct scene_keys {
    const char *world, *group, *model;
};

static const struct scene_keys no_keys = {"", "", ""};

static void put_scene(struct text_map *map, const struct scene_keys *keys)
{
    char text[256];
    q3_map_room(map, vec3(1024, 0, 0), vec3(1536, 256, 128));
    put_box(map, 1088, 64, 0, 64, 64, 32, "test/probe");
    put_box(map, 1152, 80, 0, 32, 32, 32, "test/probe");
    put_box(map, 1024, 0, 120, 512, 256, 8, "test/probe");
    bytes_append_text(&map->text, "%s%s", wedge, PATCH("1240", "1250"));
    put_box(map, 1440, 64, 0, 32, 32, 8, "test/probe");
    put_box(map, 1424, 48, 0, 64, 64, 64, "test/fog");
    q3_map_entity(map, "func_group", keys->group);
    bytes_append_text(&map->text, "%s", PATCH("1340", "1350"));
    put_box(map, 1344, 120, 16, 32, 32, 8, "test/wall");
    snprintf(text, sizeof text, "\"model\" \"models/m.obj\"\n\"origin\" \"1400 180 8\"\n%s",
             keys->model);
    q3_map_entity(map, "misc_model", text);
    q3_map_entity(map, "func_group", "\"_patchMeta\" \"1\"\n\"_celshader\" \"test/outline\"");
    bytes_append_text(&map->text, "%s", PATCH("1300", "1310"));
    q3_map_entity(map, "misc_model",
                  "\"model\" \"models/m.obj\"\n\"origin\" \"1200 200 0\"\n\"spawnflags\" \"2\"");
    q3_map_entity(map, "misc_model", "\"model\" \"models/m.obj\"\n\"origin\" \"1300 200 0\"");
    q3_map_entity(map, "light", "\"origin\" \"1180 120 90\"\n\"light\" \"100\"");
    q3_map_entity(map, "light", "\"origin\" \"1080 200 90\"\n\"light\" \"80\"\n\"style\" \"2\"");
    q3_map_player(map, "1380 128 32");
}

static void put_image(struct text_map *map, const char *path, int size, uint8_t green)
{
    struct bytes tga = {0};
    const uint8_t rgba[4] = {120, green, 80, 200};
    quake3_tga(&tga, size, size, rgba);
    assert_int_equal(map->fs->ops->write(map->fs, path, tga.data, tga.size), 0);
    bytes_free(&tga);
}

/* Of a compiled map, and of the same one with light: the bytes, and the number of reports. */
struct keyword_result {
    struct bytes file;
    size_t reports;
};

struct result {
    struct text_map map;
    const char *rest;
    const struct scene_keys *keys;
    struct keyword_result compiled, lit; /* lit: only when asked for */
};

static void keep(struct text_map *map, struct keyword_result *out)
{
    assert_int_equal(
        bsp_encode(map->bsp, bsp_format_find("quake3"), "test.bsp", map->diag, &out->file),
        STATUS_OK);
    out->reports = diag_entries(map->diag);
}

static void compile(const char *line, const char *rest, const struct scene_keys *keys,
                    struct result *result)
{
    struct text_map *map = &result->map;
    struct bytes script = {0};
    *result = (struct result){.rest = rest, .keys = keys};
    q3_map_init(map);
    bytes_append_text(&map->text, "%s", keys->world);
    put_scene(map, keys);
    bytes_append_text(&script,
                      "textures/test/probe\n{\n%s\n%s}\n"
                      "textures/test/outline\n{\nq3map_offset 1\nsurfaceparm nonsolid\n}\n",
                      line, rest);
    bytes_u8(&script, 0);
    text_map_put(map, "game/scripts/probe.shader", (const char *)script.data);
    text_map_put(map, "game/models/m.obj", model);
    put_image(map, "game/textures/test/probe.tga", 32, 200);
    put_image(map, "game/textures/test/large.tga", 64, 20);
    q3_map_run(map, STATUS_OK);
    bytes_append(&result->compiled.file, map->out.notes.items,
                 arrlenu(map->out.notes.items) * sizeof *map->out.notes.items);
    struct bytes entities = {0}; /* keys are not their own effect */
    bytes_append(&entities, map->bsp->entities, arrlenu(map->bsp->entities));
    arrsetlen(map->bsp->entities, 0);
    keep(map, &result->compiled);
    for (size_t i = 0; i < entities.size; i++)
        arrput(map->bsp->entities, (char)entities.data[i]);
    bytes_free(&entities);
    bytes_free(&script);
}

static const struct keyword_result *light(struct result *result)
{
    struct text_map *map = &result->map;
    if (result->lit.file.size)
        return &result->lit;
    struct vrad_options options = vrad_defaults;
    options.bounce = 1;
    options.occlusion = 1;
    options.quake3.no_grid = !*result->keys->world;
    options.quake3.notes = &map->out.notes;
    options.quake3.map_path = "game/maps/test.bsp";
    assert_int_equal(vrad_run(&map->env, &options, NULL, map->assets, map->bsp), STATUS_OK);
    arrsetlen(map->bsp->entities, 0);
    keep(map, &result->lit);
    return &result->lit;
}

static void result_free(struct result *result)
{
    text_map_free(&result->map);
    bytes_free(&result->compiled.file);
    bytes_free(&result->lit.file);
}

static bool same(const struct keyword_result *a, const struct keyword_result *b)
{
    return bytes_equal(&a->file, &b->file) && a->reports == b->reports;
}

/* Most differ before there is any light. */
static bool has_effect_on(struct result *without, const char *line, const struct scene_keys *keys)
{
    struct result with;
    compile(line, without->rest, keys, &with);
    bool is_same = same(&with.compiled, &without->compiled) && same(light(&with), light(without));
    result_free(&with);
    return !is_same;
}

/* Maps without the directives or keys: each is compiled once. */
enum { BASES = 16 };

struct bases {
    struct result maps[BASES];
    int count;
};

static bool same_keys(const struct scene_keys *a, const struct scene_keys *b)
{
    return strcmp(a->world, b->world) == 0 && strcmp(a->group, b->group) == 0 &&
           strcmp(a->model, b->model) == 0;
}

static struct result *base_of(struct bases *bases, const char *rest, const struct scene_keys *keys)
{
    for (int i = 0; i < bases->count; i++)
        if (strcmp(bases->maps[i].rest, rest) == 0 && same_keys(bases->maps[i].keys, keys))
            return &bases->maps[i];
    assert_true(bases->count < BASES);
    compile("", rest, keys, &bases->maps[bases->count]);
    return &bases->maps[bases->count++];
}

static void bases_free(struct bases *bases)
{
    for (int i = 0; i < bases->count; i++)
        result_free(&bases->maps[i]);
}

/* The row of a keyword, or NULL. */
static const struct row *row_of(const char *keyword)
{
    size_t length = strlen(keyword);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_starts_nocase(rows[i].line, keyword) &&
            (rows[i].line[length] == ' ' || !rows[i].line[length]))
            return &rows[i];
    return NULL;
}

static void directives_have_an_effect_or_a_note(void **state)
{
    (void)state;
    static struct bases bases;
    int without = 0;
    for (size_t i = 0; shader_keyword(i); i++) {
        const struct row *row = row_of(shader_keyword(i));
        if (!row)
            fail_msg("no row for %s", shader_keyword(i));
        if (has_effect_on(base_of(&bases, row->rest, &no_keys), row->line, &no_keys))
            continue;
        print_message("no effect: %s\n", row->line);
        without++;
    }
    bases_free(&bases);
    assert_int_equal(without, 0);
}

static void parameters_have_an_effect_or_a_note(void **state)
{
    (void)state;
    static struct bases bases;
    for (size_t i = 0; shader_parm(i); i++) {
        char line[80];
        snprintf(line, sizeof line, "surfaceparm %s", shader_parm(i));
        if (!has_effect_on(base_of(&bases, LIT, &no_keys), line, &no_keys))
            fail_msg("no effect: %s", line);
    }
    bases_free(&bases);
}

/* Keys of the world, of groups and of models. "With" is compared with "without". */
static void keys_have_an_effect_or_a_note(void **state)
{
    (void)state;
    static const struct {
        struct scene_keys with, without;
    } keys[] = {
        {{"\"_blocksize\" \"64\"\n", "", ""}, {"\"x\" \"64\"\n", "", ""}},
        {{"\"gridsize\" \"32 32 32\"\n", "", ""}, {"\"x\" \"32 32 32\"\n", "", ""}},
        {{"\"_celshader\" \"test/glass\"\n", "", ""}, {"\"x\" \"1\"\n", "", ""}},
        {{"\"_foghull\" \"test/wall\"\n", "", ""}, {"\"x\" \"1\"\n", "", ""}},
        {{"", "\"_lightmapscale\" \"0.25\"\n", ""}, {"", "", ""}},
        {{"", "\"_samplesize\" \"4\"\n", ""}, {"", "", ""}},
        {{"", "\"_shadeangle\" \"120\"\n", ""}, {"", "", ""}},
        {{"", "\"_castShadows\" \"0\"\n", ""}, {"", "", ""}},
        {{"", "\"_receiveShadows\" \"0\"\n", ""}, {"", "", ""}},
        {{"", "\"_celshader\" \"test/glass\"\n", ""}, {"", "", ""}},
        {{"", "\"_patchMeta\" \"1\"\n", ""}, {"", "", ""}},
        {{"", "\"_patchMeta\" \"1\"\n\"_patchSubdivide\" \"1\"\n", ""},
         {"", "\"_patchMeta\" \"1\"\n", ""}},
        {{"", "\"_patchMeta\" \"1\"\n\"_patchQuality\" \"4\"\n", ""},
         {"", "\"_patchMeta\" \"1\"\n", ""}},
        {{"", "\"_indexmap\" \"x.tga\"\n", ""}, {"", "", ""}},
        {{"", "\"_skybox\" \"1\"\n", ""}, {"", "", ""}},
        {{"", "", "\"angle\" \"90\"\n"}, {"", "", ""}},
        {{"", "", "\"angles\" \"0 90 0\"\n"}, {"", "", ""}},
        {{"", "", "\"modelscale\" \"2\"\n"}, {"", "", ""}},
        {{"", "", "\"modelscale_vec\" \"1 2 3\"\n"}, {"", "", ""}},
        {{"", "", "\"_remap\" \"*;textures/test/wall\"\n"}, {"", "", ""}},
        {{"", "", "\"_shader\" \"textures/test/wall\"\n"}, {"", "", ""}},
        {{"", "", "\"_celshader\" \"test/glass\"\n"}, {"", "", ""}},
        {{"", "", "\"spawnflags\" \"2\"\n\"_clipdepth\" \"8\"\n"},
         {"", "", "\"spawnflags\" \"2\"\n"}},
        {{"", "", "\"spawnflags\" \"2\"\n"}, {"", "", ""}},
        {{"", "", "\"spawnflags\" \"4\"\n"}, {"", "", ""}},
    };
    static struct bases bases;
    int without = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct scene_keys *with = &keys[i].with;
        if (has_effect_on(base_of(&bases, LIT, &keys[i].without), "", with))
            continue;
        print_message("no effect: %s%s%s", with->world, with->group, with->model);
        without++;
    }
    bases_free(&bases);
    assert_int_equal(without, 0);
}

SUITE(test_vrad_quake3_keywords)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directives_have_an_effect_or_a_note),
        cmocka_unit_test(parameters_have_an_effect_or_a_note),
        cmocka_unit_test(keys_have_an_effect_or_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
