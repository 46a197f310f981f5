#include "tests/support/suite.h"

#include <stdio.h>

#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/diag/codes/shaders.def"
#include "tests/support/quake3_game.h"

static const uint8_t red[4] = {200, 0, 0, 255};

static void a_script_tells_flags_and_contents(void **state)
{
    const struct shader *s = quake3_shader(*state,
                                           "textures/a/Water // comment\n"
                                           "{\n"
                                           "\tsurfaceparm trans\n\tsurfaceparm water /* x */\n"
                                           "\tsurfaceparm nolightmap\n\tcull DISABLE\n"
                                           "\t{ map textures/a/w.tga }\n"
                                           "}\n",
                                           "textures\\a\\WATER.tga");
    assert_string_equal(s->name, "textures\\a\\WATER");
    assert_true(s->has_script);
    assert_false(s->missing);
    assert_int_equal(s->contents, Q3_CONTENTS_WATER | Q3_CONTENTS_TRANSLUCENT);
    assert_int_equal(s->surface_flags, Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT);
    assert_int_equal(s->compile_flags, SHADER_TWO_SIDED);
    assert_string_equal(s->file, "scripts/a.shader");
    assert_int_equal(s->line, 1);
    struct quake3_game *game = *state;
    assert_ptr_equal(assets_shader(game->assets, "textures/a/water"), s);
    const struct material *m = assets_material(game->assets, "a/water");
    assert_ptr_equal(m->quake3, s);
    assert_int_equal(m->contents, CONTENTS_WATER);
    assert_true(m->water);
    assert_ptr_equal(assets_material(game->assets, "textures/a/water")->quake3, s);
}

/* Keywords for light, shape and lightmaps. */
static void keywords_have_their_fields(void **state)
{
    const struct shader *s = quake3_shader(
        *state,
        "x\n{\n"
        "q3map_surfacelight 1500\nq3map_lightsubdivide 32\nq3map_backsplash 100 32\n"
        "q3map_bounceScale 2\nq3map_vertexScale .5\nq3map_lightStyle 3\n"
        "q3map_lightmapSampleSize 4\nq3map_lightmapSampleOffset 2\nq3map_lightmapSize 256 512\n"
        "q3map_lightmapAxis z\nq3map_lightmapBrightness 1.5\nq3map_lightmapGamma 2\n"
        "q3map_lightmapFilterRadius 1 8\nq3map_shadeAngle 45\nq3map_tessSize 64\n"
        "q3map_offset -1\nq3map_lightRGB 0.5 1 2\nfogparms ( .5 .5 .5 ) 512\n"
        "q3map_fogDir ( 0 0 -2 )\nq3map_backShader b\nq3map_cloneShader c\n"
        "q3map_remapShader r\nq3map_flare f\nq3map_textureSize 128 256\n"
        "q3map_surfaceModel models/m.md3 64 0.5 1 2\nq3map_surfaceModel models/n.md3 32\n"
        "q3map_tcGen ivector ( 512 0 0 ) ( 0 512 0 )\nq3map_alphaMod volume\n"
        "polygonOffset\nq3map_forceMeta\nq3map_notjunc\nq3map_noClip\nq3map_nonplanar\n"
        "deformVertexes autosprite2\nsurfaceparm lightgrid\nsurfaceparm antiportal\n"
        "{ map $lightmap\n rgbgen identity }\n{ animMap 2 a.tga b.tga\n}\n}\n",
        "x");
    assert_float_equal(s->surface_light, 1500, 0);
    assert_float_equal(s->light_subdivide, 32, 0);
    assert_float_equal(s->backsplash, 1, 0);
    assert_float_equal(s->backsplash_distance, 32, 0);
    assert_float_equal(s->bounce_scale, 2, 0);
    assert_float_equal(s->vertex_scale, .5, 0);
    assert_int_equal(s->light_style, 3);
    assert_float_equal(s->lightmap_sample_size, 4, 0);
    assert_float_equal(s->lightmap_sample_offset, 2, 0);
    assert_float_equal(s->lightmap_axis.z, 1, 0);
    assert_float_equal(s->lightmap_brightness, 1.5, 0);
    assert_float_equal(s->lightmap_gamma, 2, 0);
    assert_float_equal(s->lightmap_filter_radius, 1, 0);
    assert_float_equal(s->shade_angle, 45, 0);
    assert_float_equal(s->tess_size, 64, 0);
    assert_float_equal(s->offset, -1, 0);
    assert_float_equal(s->average.z, 2, 0);
    assert_float_equal(s->fog_direction.z, -1, 1e-12);
    assert_string_equal(s->back_shader, "b");
    assert_string_equal(s->clone_shader, "c");
    assert_string_equal(s->remap_shader, "r");
    assert_string_equal(s->flare_shader, "f");
    assert_int_equal(s->width, 128);
    assert_int_equal(s->height, 256);
    assert_int_equal(arrlenu(s->surface_models), 2);
    assert_string_equal(s->surface_models[0], "models/m.md3 64 0.5 1 2");
    assert_int_equal(arrlenu(s->changes), 1);
    assert_int_equal(s->changes[0].kind, SHADER_TEXTURE_VECTORS);
    assert_float_equal(s->changes[0].numbers[0], 1.0 / 512, 1e-12);
    assert_float_equal(s->changes[0].numbers[4], 1.0 / 512, 1e-12);
    assert_int_equal(s->compile_flags, SHADER_FOG_PARMS | SHADER_POLYGON_OFFSET |
                                           SHADER_FORCE_META | SHADER_NO_TJUNCTIONS |
                                           SHADER_NO_CLIP | SHADER_NONPLANAR | SHADER_AUTOSPRITE |
                                           SHADER_LIGHT_GRID | SHADER_VOLUME | SHADER_HAS_LIGHTMAP);
}

static void suns_and_skies(void **state)
{
    const struct shader *s = quake3_shader(*state,
                                           "sky\n{\nq3map_sun .5 .25 .5 100 90 30\n"
                                           "q3map_sunExt 0 2 0 50 0 90 4 16\n"
                                           "q3map_skyLight 180 8\nskyLight 70 4 -20 80 0\n}\n",
                                           "sky");
    assert_int_equal(arrlenu(s->suns), 2);
    assert_true(s->surface_flags & Q3_SURFACE_SKY);
    assert_float_equal(s->suns[0].colour.x, 1, 1e-12);
    assert_float_equal(s->suns[0].colour.y, .5, 1e-12);
    assert_float_equal(s->suns[0].intensity, 100, 0);
    assert_float_equal(s->suns[0].direction.x, 0, 1e-12);
    assert_float_equal(s->suns[0].direction.y, sqrt(.75), 1e-12);
    assert_float_equal(s->suns[0].direction.z, .5, 1e-12);
    assert_int_equal(s->suns[0].samples, 1);
    assert_float_equal(s->suns[1].direction.z, 1, 1e-12);
    assert_float_equal(s->suns[1].deviance, 4, 0);
    assert_int_equal(s->suns[1].samples, 16);
    assert_int_equal(arrlenu(s->sky_lights), 2);
    assert_float_equal(s->sky_lights[0].value, 180, 0);
    assert_int_equal(s->sky_lights[0].iterations, 8);
    assert_float_equal(s->sky_lights[0].lowest, 0, 0);
    assert_float_equal(s->sky_lights[0].highest, 90, 0);
    assert_int_equal(s->sky_lights[1].iterations, 4);
    assert_float_equal(s->sky_lights[1].lowest, -20, 0);
    assert_float_equal(s->sky_lights[1].highest, 80, 0);
}

static void a_shader_may_be_based_on_another(void **state)
{
    const char *script = "base { \nsurfaceparm nodraw\nq3map_surfacelight 5\nq3map_tesssize 32\n}\n"
                         "own\n{\nq3map_baseShader base\nq3map_surfacelight 7\n}\n"
                         "loop\n{\nq3map_baseShader pool\nsurfaceparm sky\n}\n"
                         "pool\n{\nq3map_baseShader loop\n}\n"
                         "old\n{\nq3map_deprecateShader own\n}\n";
    struct quake3_game *game = *state;
    const struct shader *s = quake3_shader(game, script, "own");
    assert_string_equal(s->base_shader, "base");
    assert_int_equal(s->surface_flags, Q3_SURFACE_NODRAW);
    assert_float_equal(s->surface_light, 7, 0);
    assert_float_equal(s->tess_size, 32, 0);
    assert_int_equal(assets_shader(game->assets, "pool")->surface_flags, Q3_SURFACE_SKY);
    const struct shader *old = assets_shader(game->assets, "old");
    assert_string_equal(old->remap_shader, "own");
}

static void broken_blocks_end_at_the_next_shader(void **state)
{
    struct quake3_game *game = *state;
    const char *script =
        "textures/a/one\n{\n surfaceparm nodraw\n"            /* unterminated */
        "textures/a/two\n{\n { map x.tga\n surfaceparm sky\n" /* two braces missing */
        "textures/a/three\n{\n surfaceparm sky\n}\n}\n"       /* one brace too many */
        "lost words\ntextures/a/four {\n { map y.tga\n { map z.tga\n }\n"
        " surfaceparm slick\n}\n"
        "textures/a/five\n{\n surfaceparm dust\n";
    assert_int_equal(quake3_shader(game, script, "textures/a/one")->surface_flags,
                     Q3_SURFACE_NODRAW);
    assert_int_equal(assets_shader(game->assets, "textures/a/two")->surface_flags, 0);
    assert_int_equal(assets_shader(game->assets, "textures/a/three")->surface_flags,
                     Q3_SURFACE_SKY);
    assert_int_equal(assets_shader(game->assets, "textures/a/four")->surface_flags,
                     Q3_SURFACE_SLICK);
    assert_int_equal(assets_shader(game->assets, "textures/a/five")->surface_flags,
                     Q3_SURFACE_DUST);
    static const int lines[] = {4, 8, 12, 13, 13, 16, 23};
    size_t found = 0;
    for (size_t i = 0; i < diag_entries(game->env.diag); i++) {
        const struct diag_entry *entry = diag_entry(game->env.diag, i);
        if (entry->code != DIAG_SHADER_SCRIPT)
            continue;
        assert_string_equal(entry->where.file, "scripts/a.shader");
        assert_true(found < sizeof lines / sizeof *lines);
        assert_int_equal(entry->where.line, lines[found]);
        found++;
    }
    assert_int_equal(found, sizeof lines / sizeof *lines);
}

static void unheeded_keywords_are_told_once(void **state)
{
    struct quake3_game *game = *state;
    const char *script = "a\n{\nq3map_blurb 1\nq3map_blurb 2\nq3map_fur 1 2 3\nsurfaceparm junk\n"
                         "qer_trans 0.5\nsort 9\n}\nb\n{\nq3map_BLURB 1\n}\n";
    quake3_shader(game, script, "a");
    assets_shader(game->assets, "b");
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 3);
}

/* Requests for the only behaviour, and parts of directives. */
static void needless_keywords_are_told(void **state)
{
    struct quake3_game *game = *state;
    quake3_shader(game,
                  "c\n{\nq3map_forceSunlight\nq3map_splotchFix\n"
                  "q3map_vertexShadows\nq3map_lightmapSize 256 256\n"
                  "q3map_lightmapFilterRadius 0 8\nq3map_skyLight 80 3 0 90 0\n}\n",
                  "c");
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 6);
    assets_free(game->assets);
    quake3_shader(game,
                  "d\n{\nq3map_lightmapFilterRadius 4 0\nq3map_skyLight 80 3\n"
                  "q3map_noVertexShadows\nq3map_noDirty\nq3map_lightmapSampleOffset 8\n}\n",
                  "d");
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_KEYWORD), 6);
}

static void tool_shaders_are_built_in(void **state)
{
    static const struct {
        const char *name;
        int surface, contents, material;
    } tools[] = {
        /* as in the shader lumps of maps */
        {"caulk", 0xca0, 1, CONTENTS_SOLID},
        {"clip", 0x4cb0, 0x10000, CONTENTS_PLAYERCLIP | CONTENTS_DETAIL},
        {"weapclip", 0xa0, 0x20000001, CONTENTS_WINDOW | CONTENTS_TRANSLUCENT},
        {"botclip", 0x4cb0, 0x20400000, CONTENTS_MONSTERCLIP | CONTENTS_DETAIL},
        {"nodraw", 0x40a0, 0x20000000, CONTENTS_AUX | CONTENTS_TRANSLUCENT},
        {"nodrawnonsolid", 0x4080, 0, CONTENTS_AUX | CONTENTS_TRANSLUCENT},
        {"hint", 0x4190, 0x30000000, 0},
        {"skip", 0x4280, 0x30000000, 0},
        {"hintskip", 0x4280, 0x30000000, 0},
        {"areaportal", 0x4ca0, 0x30008000,
         CONTENTS_AUX | CONTENTS_TRANSLUCENT | CONTENTS_AREAPORTAL},
        {"clusterportal", 0x40a0, 0x20100000,
         CONTENTS_AUX | CONTENTS_TRANSLUCENT | CONTENTS_DETAIL},
        {"donotenter", 0x40a0, 0x20200000, CONTENTS_AUX | CONTENTS_TRANSLUCENT | CONTENTS_DETAIL},
        {"trigger", 0x80, 1, CONTENTS_SOLID},
        {"origin", 0x4080, 0x1000000, CONTENTS_ORIGIN | CONTENTS_DETAIL},
        {"lightgrid", 0x4ca0, 0x20000000, CONTENTS_AUX | CONTENTS_TRANSLUCENT},
        {"slick", 0xa2, 0x20000001, CONTENTS_WINDOW | CONTENTS_TRANSLUCENT},
        {"nodrop", 0x4ca0, (int)0xa0000000, CONTENTS_AUX | CONTENTS_TRANSLUCENT | CONTENTS_DETAIL},
        {"antiportal", 0x4ca0, 0x30000000, CONTENTS_AUX | CONTENTS_TRANSLUCENT},
        {"terrain", 0xca0, 1, CONTENTS_SOLID},
    };
    struct quake3_game *game = *state;
    quake3_open(game, NULL);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        char name[64];
        snprintf(name, sizeof name, "common/%s", tools[i].name);
        const struct material *m = assets_material(game->assets, name);
        assert_non_null(m->quake3);
        assert_true(m->quake3->built_in);
        assert_false(m->quake3->missing);
        assert_int_equal(m->quake3->surface_flags, tools[i].surface);
        assert_int_equal(m->quake3->contents, tools[i].contents);
        assert_int_equal(m->contents, tools[i].material);
        assert_int_equal(m->origin, MATERIAL_BUILT_IN);
    }
    assert_int_equal(assets_material(game->assets, "tools/toolsnodraw")->origin, MATERIAL_BUILT_IN);
    assert_null(assets_material(game->assets, "tools/toolsnodraw")->quake3);
    assert_int_equal(diag_count(game->env.diag, DIAG_WARNING), 0);
    assert_true(assets_shader(game->assets, "noshader")->built_in);
}

static void a_script_stands_above_what_is_built_in(void **state)
{
    const struct shader *s = quake3_shader(
        *state, "textures/common/caulk\n{\nsurfaceparm slick\n}\n", "textures/common/caulk");
    assert_int_equal(s->surface_flags, Q3_SURFACE_SLICK);
    assert_false(s->built_in);
}

/* Size: the editor's image, the image of the name, the first stage's. Colour: the light image. */
static void images_give_size_and_colour(void **state)
{
    static const uint8_t green[4] = {0, 100, 0, 255}, clear[4] = {50, 50, 50, 0};
    struct quake3_game *game = *state;
    quake3_add_tga(game, "q/baseq3/textures/a/editor.tga", 32, 16, red);
    quake3_add_tga(game, "q/baseq3/textures/a/own.tga", 8, 4, clear);
    quake3_add_tga(game, "q/baseq3/textures/A/Stage.TGA", 2, 1, green);
    const char *script = "textures/a/own\n{\nqer_editorimage textures/a/editor.jpg\n"
                         "q3map_lightimage textures/a/stage\n{\nmap textures/a/stage.jpg\n}\n}\n"
                         "textures/a/stages\n{\n{\nmap $lightmap\n}\n{\nclampMap "
                         "textures/a/stage.png\n}\n}\n"
                         "textures/a/none\n{\n{\nmap textures/a/nothing.tga\n}\n}\n"
                         "textures/a/white\n{\n{\nmap $whiteimage\n}\n}\n";
    const struct shader *own = quake3_shader(game, script, "textures/a/own");
    assert_int_equal(own->width, 32);
    assert_int_equal(own->height, 16);
    assert_string_equal(own->image, "textures/a/editor.tga");
    assert_string_equal(own->light_image, "textures/a/stage.tga");
    assert_float_equal(own->average.x, 0, 0);
    assert_float_equal(own->average.y, 100.0 / 255, 1e-12);
    const struct shader *stages = assets_shader(game->assets, "textures/a/stages");
    assert_int_equal(stages->width, 2);
    assert_true(stages->compile_flags & SHADER_HAS_LIGHTMAP);
    const struct shader *bare = assets_shader(game->assets, "textures/a/editor");
    assert_false(bare->has_script);
    assert_false(bare->missing);
    assert_true(bare->compile_flags & SHADER_HAS_LIGHTMAP);
    assert_float_equal(bare->average.x, 200.0 / 255, 1e-12);
    assert_int_equal(diag_count(game->env.diag, DIAG_WARNING), 0);
    assert_int_equal(assets_shader(game->assets, "textures/a/white")->width, 64);
    assert_int_equal(diag_count(game->env.diag, DIAG_WARNING), 0);
    assert_int_equal(assets_shader(game->assets, "textures/a/none")->width, 64);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_IMAGE_MISSING), 1);
    uint8_t *pixels;
    int width, height;
    assert_true(assets_shader_pixels(game->assets, bare, &pixels, &width, &height));
    assert_int_equal(width, 32);
    assert_memory_equal(pixels + 4 * (32 * 16 - 1), red, 4);
    memory_free(pixels);
}

/* Reported once, or held with the material that sides have. */
static void missing_shaders(void **state)
{
    struct quake3_game *game = *state;
    quake3_shader(game, "a\n{\n}\n", "a");
    const struct shader *s = assets_shader(game->assets, "textures/no/such");
    assert_true(s->missing);
    assert_int_equal(s->width, 64);
    assert_int_equal(s->contents, Q3_CONTENTS_SOLID);
    assert_ptr_equal(assets_material(game->assets, "no/such")->quake3, s);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_MISSING), 1);
    assets_hold_missing(game->assets);
    const struct material *m = assets_material(game->assets, "no/other");
    assets_shader(game->assets, "textures/no/other");
    assets_shader(game->assets, "models/no/third");
    const struct material **held = assets_release_missing(game->assets);
    assert_int_equal(arrlenu(held), 2);
    assert_ptr_equal(held[0], m);
    assert_string_equal(held[0]->name, "no/other");
    assert_string_equal(held[1]->name, "models/no/third");
    arrfree(held);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_MISSING), 1);
    assert_true(assets_shader(game->assets, "../x")->missing);
}

static void tools_of_source_have_twins(void **state)
{
    struct quake3_game *game = *state;
    quake3_shader(game, "textures/tools/toolsclip\n{\nsurfaceparm sky\n}\n", "a");
    const struct material *m = assets_material(game->assets, "TOOLS/TOOLSNODRAW");
    assert_string_equal(m->name, "TOOLS/TOOLSNODRAW");
    assert_string_equal(m->quake3->name, "textures/common/caulk");
    m = assets_material(game->assets, "tools/toolsclip");
    assert_string_equal(m->quake3->name, "textures/tools/toolsclip");
}

static void colours_may_be_left_out(void **state)
{
    struct quake3_game *game = *state;
    quake3_add_tga(game, "q/baseq3/textures/a/b.tga", 8, 8, red);
    quake3_add_tga(game, "q/baseq3/textures/a/c.tga", 8, 8, red);
    assert_true(quake3_shader(game, "", "textures/a/b")->average.x > .7);
    assets_free(game->assets);
    const struct assets_options options = {.game = "q", .sizes_only = true};
    assert_int_equal(assets_open(&game->env, &options, &game->assets), STATUS_OK);
    const struct shader *s = assets_shader(game->assets, "textures/a/c");
    assert_float_equal(s->average.x, .5, 0);
    assert_int_equal(s->width, 8);
}

static void a_broken_image_is_told(void **state)
{
    struct quake3_game *game = *state;
    quake3_add(game, "q/baseq3/textures/a/b.jpg", "no image at all");
    const struct shader *s = quake3_shader(game, "a\n{\n}\n", "textures/a/b");
    assert_int_equal(s->width, 64);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_IMAGE_BROKEN), 1);
}

SUITE(test_shader)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quake3_game_new, quake3_game_free)
    const struct CMUnitTest tests[] = {
        TEST(a_script_tells_flags_and_contents),
        TEST(keywords_have_their_fields),
        TEST(suns_and_skies),
        TEST(a_shader_may_be_based_on_another),
        TEST(broken_blocks_end_at_the_next_shader),
        TEST(unheeded_keywords_are_told_once),
        TEST(needless_keywords_are_told),
        TEST(tool_shaders_are_built_in),
        TEST(a_script_stands_above_what_is_built_in),
        TEST(images_give_size_and_colour),
        TEST(missing_shaders),
        TEST(tools_of_source_have_twins),
        TEST(colours_may_be_left_out),
        TEST(a_broken_image_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
