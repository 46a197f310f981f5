#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/bsp/flags.h"
#include "common/core/memory.h"
#include "common/diag/codes/materials.def"
#include "common/diag/codes/syntax.def"

struct fixture {
    struct arena arena;
    struct diag *diag;
    struct fs *files; /* that patches include */
    struct vmt vmt;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->diag = diag_new(NULL, NULL);
    fixture->files = fs_memory_new();
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    diag_free(fixture->diag);
    fs_memory_free(fixture->files);
    memory_free(fixture);
    return 0;
}

static bool include(void *context, const char *path, struct bytes *out)
{
    struct fixture *fixture = context;
    return fixture->files->ops->read(fixture->files, path, out) == 0;
}

static void add_file(struct fixture *fixture, const char *path, const char *text)
{
    assert_int_equal(fixture->files->ops->write(fixture->files, path, text, strlen(text)), 0);
}

static bool parse(struct fixture *fixture, const char *text)
{
    return vmt_parse(text, strlen(text), "m.vmt", include, fixture, &fixture->arena, fixture->diag,
                     &fixture->vmt);
}

static void shader_and_values(void **state)
{
    struct fixture *f = *state;
    assert_true(parse(f, "\"SDK_LightmappedGeneric\"\n{\n$BaseTexture a\\b \"$translucent\" 0 "
                         "$alpha \".5\" LightmappedGeneric_DX9 { $bumpmap n $alpha 1 } "
                         "LightmappedGeneric_DX8 { $envmap env_cubemap } }"));
    assert_string_equal(f->vmt.shader, "lightmappedgeneric");
    assert_string_equal(vmt_value(&f->vmt, "$basetexture"), "a\\b");
    assert_string_equal(vmt_value(&f->vmt, "$alpha"), ".5");
    assert_string_equal(vmt_value(&f->vmt, "$bumpmap"), "n");
    assert_null(vmt_value(&f->vmt, "$envmap"));
    assert_false(vmt_flag(&f->vmt, "$translucent"));
    assert_true(vmt_flag(&f->vmt, "$alpha"));
    assert_int_equal(diag_entries(f->diag), 0);
}

static void conditional_keys(void **state)
{
    struct fixture *f = *state;
    assert_true(parse(f, "x { srgb?$a 1 !srgb?$b 1 360?$c 1 !lowfill?$d 1 $e? 1 }"));
    assert_true(vmt_flag(&f->vmt, "$a"));
    assert_null(vmt_value(&f->vmt, "$b"));
    assert_null(vmt_value(&f->vmt, "$c"));
    assert_true(vmt_flag(&f->vmt, "$d"));
}

static void patches(void **state)
{
    struct fixture *f = *state;
    add_file(f, "materials/base.vmt", "Water { $a 1 $b 1 Proxies { x { y 1 } } }");
    add_file(f, "materials/mid.vmt",
             "patch { include materials/base.vmt replace { $a 2 $c 2 Proxies { } } }");
    assert_true(parse(f, "\"patch\" { insert { $b 3 $d 3 } include \"materials/mid.vmt\" }"));
    assert_string_equal(f->vmt.shader, "water");
    assert_string_equal(vmt_value(&f->vmt, "$a"), "2");
    assert_string_equal(vmt_value(&f->vmt, "$b"), "3");
    assert_null(vmt_value(&f->vmt, "$c"));
    assert_string_equal(vmt_value(&f->vmt, "$d"), "3");
    assert_null(kv_find(f->vmt.keys, "Proxies")->children);
    assert_int_equal(diag_entries(f->diag), 0);
}

static void broken_ones_warn_and_fail(void **state)
{
    struct fixture *f = *state;
    add_file(f, "a.vmt", "patch { include b.vmt }");
    add_file(f, "b.vmt", "patch { include a.vmt }");
    static const char *const texts[] = {
        "patch { include a.vmt }",
        "patch { include nowhere.vmt }",
        "patch { insert { } }",
        "",
        "key value",
        "\xFF\x01\x02",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(parse(f, texts[i]));
        assert_true(diag_count_code(f->diag, DIAG_VMT_BROKEN) >= i + 1);
    }
    assert_int_equal(diag_count(f->diag, DIAG_ERROR), 0);
    assert_true(parse(f, "x { y 1"));
    assert_int_equal(diag_count_code(f->diag, DIAG_TEXT_REPAIRED),
                     2); /* invalid UTF-8, "\xFF..." */
}

static void expect_meaning(struct fixture *fixture, const char *text, int flags, int contents)
{
    assert_true(parse(fixture, text));
    struct material material = {0};
    vmt_compile_meaning(&fixture->vmt, &material);
    if (material.surface_flags != flags || material.contents != contents)
        fail_msg("%s: flags 0x%x contents 0x%x, not 0x%x 0x%x", text, material.surface_flags,
                 material.contents, flags, contents);
    assert_int_equal(material.bump, (flags & SURFACE_BUMPLIGHT) != 0);
}

#define LIT "LightmappedGeneric { $basetexture x "

static void what_the_keys_mean(void **state)
{
    struct fixture *f = *state;
    expect_meaning(f, LIT "}", 0, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compilesky 1 %compilenodraw 1 }", 0x404, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compile2dsky 1 }", 0x406, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compilehint 1 }", 0x580, 0);
    expect_meaning(f, LIT "%compileskip 1 }", 0x680, 0);
    expect_meaning(f, LIT "%compileclip 1 $translucent 1 }", 0x480, 0x30000);
    expect_meaning(f, LIT "%playerclip 1 }", 0x480, CONTENTS_PLAYERCLIP);
    expect_meaning(f, LIT "%compilenpcclip 1 }", 0x480, CONTENTS_MONSTERCLIP);
    expect_meaning(f, LIT "%compiletrigger 1 $translucent 1 }", 0x440, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compilenochop 1 }", SURFACE_NOCHOP, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compilenolight 1 $bumpmap n }", 0x400, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compileorigin 1 }", 0x480, CONTENTS_ORIGIN | CONTENTS_DETAIL);
    expect_meaning(f, LIT "%compilenodraw 1 %compilenonsolid 0 }", 0x480, CONTENTS_SOLID);
    expect_meaning(f, LIT "%compilenodraw 1 %compilenonsolid 1 %compiledetail 1 }", 0x480,
                   CONTENTS_OPAQUE | CONTENTS_DETAIL);
    expect_meaning(f, LIT "%compileinvisible 1 $translucent 1 }", 0x490, CONTENTS_GRATE);
    expect_meaning(f, LIT "%compileladder 1 %compilenodraw 1 }", 0x480,
                   CONTENTS_LADDER | CONTENTS_SOLID);
    expect_meaning(f, LIT "%compileblocklos 1 %compilenodraw 1 }", 0x480, CONTENTS_BLOCKLOS);
    expect_meaning(f, LIT "%noportal 1 $bumpmap n $ssbump 1 }", 0x820, CONTENTS_SOLID);
    expect_meaning(f, LIT "$bumpmap n $nodiffusebumplighting 1 }", 0, CONTENTS_SOLID);
    expect_meaning(f, LIT "$bumpmap \"\" }", 0, CONTENTS_SOLID);
    expect_meaning(f, LIT "$alphatest 1 }", 0, CONTENTS_WINDOW);
    expect_meaning(f, LIT "$alphatest 1 %compilepassbullets 1 }", 0, CONTENTS_GRATE);
    expect_meaning(f, LIT "$alpha 0.5 }", 0, CONTENTS_WINDOW);
    expect_meaning(f, LIT "$translucent 1 }", 0x10, CONTENTS_WINDOW);
    expect_meaning(f, "Refract { $normalmap n }", 0x410, CONTENTS_WINDOW);
    expect_meaning(f, "UnlitGeneric { $bumpmap n }", 0x400, CONTENTS_SOLID);
    expect_meaning(f, "Water { %compilewater 1 $normalmap n }", 0x3408, CONTENTS_WATER);
    expect_meaning(f, "Water { %compilewater 1 %compilekeeplight 1 }", 0x3008, CONTENTS_WATER);
    expect_meaning(f, LIT "%compileslime 1 $bumpmap n }", 0x2800, CONTENTS_SLIME);
    expect_meaning(f, "WorldVertexTransition { $bumpmap n }", 0x800, CONTENTS_SOLID);
    expect_meaning(f, "SomeModsOwnShader { }", 0, CONTENTS_SOLID);
}

static void other_properties(void **state)
{
    struct fixture *f = *state;
    assert_true(parse(f, "Water { %compilewater 1 $envmap ENV_CUBEMAP $surfaceprop water "
                         "$bottommaterial a/b %detailtype grass }"));
    struct material m = {0};
    vmt_compile_meaning(&f->vmt, &m);
    assert_true(m.water);
    assert_true(m.envmap_cubemap);
    assert_false(m.translucent);
    assert_false(m.is_clip);
    assert_string_equal(m.surface_prop, "water");
    assert_string_equal(m.bottom_material, "a/b");
    assert_string_equal(m.detail_type, "grass");
    assert_true(parse(f, LIT "%playerclip 1 $alphatest 1 }"));
    vmt_compile_meaning(&f->vmt, &m);
    assert_true(m.is_clip);
    assert_true(m.translucent);
    assert_false(m.water);
    assert_string_equal(m.surface_prop, "default");
    assert_null(m.bottom_material);
}

/* Real materials. The base of a patch is not available. */

#define FOLDER SHARED_DIR "/corpus/assets/vmt"

struct totals {
    struct fixture *fixture;
    int files, see_through, envmaps, waters, bumps;
};

static bool stand_in(void *context, const char *path, struct bytes *out)
{
    (void)context;
    assert_true(strncmp(path, "materials/", 10) == 0);
    static const char base[] = "LightmappedGeneric { $envmap env_cubemap $waterdepth 0 }";
    bytes_append(out, base, sizeof base - 1);
    return true;
}

static void read_file(void *context, const char *name, bool is_directory)
{
    (void)is_directory;
    struct totals *totals = context;
    struct fixture *f = totals->fixture;
    char path[512];
    snprintf(path, sizeof path, FOLDER "/%s", name);
    struct bytes text = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &text), 0);
    if (!vmt_parse((const char *)text.data, text.size, name, stand_in, NULL, &f->arena, f->diag,
                   &f->vmt))
        fail_msg("%s is not read", name);
    struct material material = {0};
    vmt_compile_meaning(&f->vmt, &material);
    totals->files++;
    totals->see_through += material.translucent;
    totals->envmaps += material.envmap_cubemap;
    totals->waters += material.water;
    totals->bumps += material.bump;
    bytes_free(&text);
}

static void real_files(void **state)
{
    struct totals totals = {.fixture = *state};
    if (fs_disk()->ops->list(fs_disk(), FOLDER, read_file, &totals) != 0) {
        print_message("skipped: no corpus\n");
        skip();
    }
    /* Counted by hand. */
    assert_int_equal(totals.files, 51);
    assert_int_equal(totals.see_through, 13);
    assert_int_equal(totals.envmaps, 9);
    assert_int_equal(totals.waters, 4);
    assert_int_equal(totals.bumps, 5);
    assert_int_equal(diag_count_code(totals.fixture->diag, DIAG_TEXT_REPAIRED), 4);
    assert_int_equal(diag_count_code(totals.fixture->diag, DIAG_VMT_BROKEN), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_vmt)
{
    const struct CMUnitTest tests[] = {
        TEST(shader_and_values),
        TEST(conditional_keys),
        TEST(patches),
        TEST(broken_ones_warn_and_fail),
        TEST(what_the_keys_mean),
        TEST(other_properties),
        TEST(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
