#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/materials/material_set.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/textures/texdata.h"
#include "common/bsp/flags.h"
#include "common/core/memory.h"
#include "common/diag/codes/materials.def"

struct fixture {
    struct diag *diag;
    struct texdata set;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->diag = diag_new(NULL, NULL);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    texdata_free(&fixture->set);
    diag_free(fixture->diag);
    memory_free(fixture);
    return 0;
}

static void parse(struct fixture *fixture, const char *text)
{
    texdata_parse(&fixture->set, text, strlen(text), "a.tsv", fixture->diag);
}

static void rows(void **state)
{
    struct fixture *f = *state;
    parse(f, "#material\twidth\n"
             "A/Wall\t512\t256\t128\t64\t0.5\t0.25\t1\t0x801\t0x1\t1\t-\t0x801\t0x1\r\n"
             "\n"
             "a/water\t-\t-\t-\t-\t-\t-\t-\t0x3408\t-\t0\ta/Beneath\n"
             "A/WALL\t1\t1\t1\t1\t0\t0\t0\t0x0\t0x1\t0\t-");
    assert_int_equal(diag_entries(f->diag), 0);
    const struct texdata_row *row = texdata_find(&f->set, "a/wall");
    assert_non_null(row);
    struct material m = {.shader = "x"};
    texdata_apply(row, false, &m);
    assert_int_equal(m.width, 512);
    assert_int_equal(m.height, 256);
    assert_int_equal(m.view_width, 128);
    assert_int_equal(m.view_height, 64);
    assert_float_equal(m.reflectivity[1], 0.25, 0);
    assert_int_equal(m.surface_flags, SURFACE_BUMPLIGHT); /* LIGHT depends on lights.rad */
    assert_int_equal(m.contents, CONTENTS_SOLID);
    assert_true(m.bump);
    assert_true(m.envmap_cubemap);
    assert_null(m.bottom_material);

    row = texdata_find(&f->set, "a/water");
    m = (struct material){.width = 7, .reflectivity = {0.1, 0.1, 0.1}};
    texdata_apply(row, false, &m);
    assert_int_equal(m.width, 7);
    assert_float_equal(m.reflectivity[0], 0.1, 0);
    assert_int_equal(m.contents, CONTENTS_WATER);
    assert_true(m.water);
    assert_string_equal(m.bottom_material, "a/Beneath");
    assert_null(texdata_find(&f->set, "a/other"));
}

static void bad_lines_are_left_out(void **state)
{
    struct fixture *f = *state;
    static const char *const lines[] = {
        "a\t1\t1\t1\t1\t0\t0\t0\t0x0\t0x1\t0\n",
        "a\t0\t1\t1\t1\t0\t0\t0\t0x0\t0x1\t0\t-\n",
        "a\t1\t1\t1\t1\tnan\t0\t0\t0x0\t0x1\t0\t-\n",
        "a\t1\t1\t1\t1\t-2\t0\t0\t0x0\t0x1\t0\t-\n",
        "a\t1\t1\t1\t1\t0\t0\t0\tx\t0x1\t0\t-\n",
        "a\t1\t1\t1\t1\t0\t0\t0\t0x1ffffffff\t0\t0\t-\n",
        "../a\t1\t1\t1\t1\t0\t0\t0\t0x0\t0x1\t0\t-\n",
        "noise\x01",
    };
    size_t count = sizeof lines / sizeof *lines;
    for (size_t i = 0; i < count; i++) {
        parse(f, lines[i]);
        assert_int_equal(diag_count_code(f->diag, DIAG_TEXDATA_ROW), i + 1);
        assert_int_equal(diag_entry(f->diag, i)->where.line, 1);
    }
    assert_null(texdata_find(&f->set, "a"));
}

static void built_in_contents_stand(void **state)
{
    struct fixture *f = *state;
    parse(f, "TOOLS/TOOLSNODRAW\t64\t64\t64\t64\t0.9\t0.6\t0.01\t0x480\t0x10000\t0\t-\n");
    const struct texdata_row *row = texdata_find(&f->set, "tools/toolsnodraw");
    struct material m = *builtin_material("tools/toolsnodraw");
    texdata_apply(row, true, &m);
    assert_int_equal(m.contents, CONTENTS_SOLID);
    assert_false(m.is_clip);
    texdata_apply(row, false, &m);
    assert_true(m.is_clip);
}

/* Where a row has flags alone, the name tells more of what is not drawn, and of grates. */
static void names_tell_of_unknown_contents(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name;
        int flags, contents;
        bool guessed;
    } some[] = {
        {"tools/toolsgrenadeclip", 0x480, CONTENTS_GRENADECLIP, true},
        {"metal/metalgrate001", 0, CONTENTS_GRATE, true},
        {"glass/window01", 0, CONTENTS_SOLID, false},
        {"glass/window02", SURFACE_TRANS, CONTENTS_WINDOW, true},
        {"brick/wall", 0, CONTENTS_SOLID, false},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "%s\t64\t64\t64\t64\t.9\t.6\t.1\t0x%x\t-\t0\t-\n",
                       some[i].name, (unsigned)some[i].flags);
        parse(f, line);
        struct material m = {0};
        guess_material(some[i].name, &m);
        texdata_apply(texdata_find(&f->set, some[i].name), false, &m);
        assert_int_equal(m.contents, some[i].contents);
        assert_int_equal(m.guessed, some[i].guessed);
    }
}

/* Sides that are not drawn give a row the contents of other brushes, but not their flags. */
static void other_flags_are_another_material(void **state)
{
    struct fixture *f = *state;
    parse(f, "DEV/DEV_MEASUREWALL01A\t64\t64\t64\t64\t.9\t.6\t.1\t0x10\t0x2\t0\t-\n"
             "dev/dev_measuregeneric01b\t64\t64\t64\t64\t.9\t.6\t.1\t0x1\t0x2\t0\t-\n"
             "TOOLS\\TOOLSBLACK\t64\t64\t64\t64\t.9\t.6\t.1\t0x10\t0x2\t0\t-\n");
    const char *const names[] = {"dev/dev_measurewall01a", "dev/dev_measuregeneric01b",
                                 "tools/toolsblack"};
    const int contents[] = {CONTENTS_WINDOW, CONTENTS_SOLID, CONTENTS_SOLID};
    for (size_t i = 0; i < 3; i++) {
        struct material m = *builtin_material(names[i]);
        texdata_apply(texdata_find(&f->set, names[i]), true, &m);
        assert_int_equal(m.contents, contents[i]);
        assert_int_equal(m.translucent, i != 1);
    }
}

static void rails_are_see_through(void **state)
{
    (void)state;
    const struct material *m = builtin_material("dev/dev_measurerails01");
    assert_int_equal(m->contents, CONTENTS_GRATE);
    assert_int_equal(m->surface_flags, SURFACE_TRANS);
    assert_true(m->translucent);
}

/* Names of tools that no table has are read by their words. */
static void tools_are_guessed_by_words(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int flags, contents;
    } some[] = {
        {"tools/toolsnodraw_portal", 0x480, 0x1},
        {"tools/toolsnpcclipandblock_los", 0x480, 0x20000},
        {"tools/toolsgrenadeclip", 0x480, 0x80000},
        {"tools/toolsdroneclip", 0x480, 0x100000},
        {"tools/toolsclip_ice", 0x480, 0x30000},
        {"tools/csgo_toolsplayerclip", 0x480, 0x10000},
        {"hl2/tools/toolsnodraw", 0x480, 0x1},
        {"tools/toolshint_areaportal", 0x580, 0},
        {"tools/toolsskip2", 0x680, 0},
        {"tools/toolsskybox_3d", 0x404, 0x1},
        {"tools/toolsskybox2d_b", 0x406, 0x1},
        {"tools/toolstrigger_red", 0x440, 0x1},
        {"tools/toolsinvisible_noplayer", 0x490, 0x8},
        {"tools/toolsblock_sight", 0x480, 0x8000040},
        {"tools/toolsblack_dark", 0x400, 0x1},
        {"tools/toolsgreen", 0x400, 0x1},
        {"tools/toolsfriction_25", 0x480, 0x1},
        {"tools/toolsviscluster", 0x480, 0x1},
        {"metal/toolsclip", 0, 0},
        {"handtools/clip", 0, 0},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct material m = {0};
        guess_material(some[i].name, &m);
        if (m.surface_flags != some[i].flags || m.contents != some[i].contents)
            fail_msg("%s: 0x%x, 0x%x", some[i].name, m.surface_flags, m.contents);
        assert_int_equal(m.is_clip, (m.contents & CONTENTS_CLIP) != 0);
    }
}

/* The words give what the table has, wherever it has them; all but the climbed are measured. */
static void words_agree_with_the_table(void **state)
{
    (void)state;
    static const char *const names[] = {"tools/toolsblack",
                                        "tools/toolsblack_noportal",
                                        "tools/toolsblock_los",
                                        "tools/toolsblockbullets",
                                        "tools/toolsblocklight",
                                        "tools/toolsclip",
                                        "tools/toolsclip_metalgrate",
                                        "tools/toolscontrolclip",
                                        "tools/toolsfog",
                                        "tools/toolshint",
                                        "tools/toolsinvisible",
                                        "tools/toolsinvisibleladder",
                                        "tools/toolsnodraw",
                                        "tools/toolsnodraw_wood",
                                        "tools/toolsnolight",
                                        "tools/toolsnpcclip",
                                        "tools/toolsoccluder",
                                        "tools/toolsorigin",
                                        "tools/toolsplayerclip",
                                        "tools/toolsskip",
                                        "tools/toolsskybox",
                                        "tools/toolsskybox2d",
                                        "tools/toolsskyfog",
                                        "tools/toolstrigger",
                                        "tools/toolswhite"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct material *known = builtin_material(names[i]);
        struct material m = {0};
        guess_material(names[i], &m);
        if (m.surface_flags != known->surface_flags || m.contents != known->contents)
            fail_msg("%s: 0x%x, 0x%x", names[i], m.surface_flags, m.contents);
    }
}

static void built_in_set(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int flags, contents;
    } some[] = {
        {"tools/toolsnodraw", 0x480, 0x1},       {"tools/toolsskybox", 0x404, 0x1},
        {"tools/toolsskybox2d", 0x406, 0x1},     {"tools/toolstrigger", 0x440, 0x1},
        {"tools/toolshint", 0x580, 0},           {"tools/toolsskip", 0x680, 0},
        {"tools/toolsclip", 0x480, 0x30000},     {"tools/toolsplayerclip", 0x480, 0x10000},
        {"tools/toolsnpcclip", 0x480, 0x20000},  {"tools/toolsinvisible", 0x490, 0x8},
        {"tools/toolsorigin", 0x480, 0x9000000}, {"tools/toolsblocklight", 0x480, 0x8000080},
        {"tools/toolsblack", 0x400, 0x1},        {"dev/dev_measurewall01a", 0, 0x1},
        {"dev/reflectivity_90", 0, 0x1},         {"dev/dev_water2", 0x3408, 0x20},
        {"tools/toolswhite", 0x400, 0x1},        {"dev/dev_blendmeasure", 0, 0x1},
        {"dev/dev_corrugatedmetal", 0, 0x1},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const struct material *m = builtin_material(some[i].name);
        if (!m || m->surface_flags != some[i].flags || m->contents != some[i].contents)
            fail_msg("%s", some[i].name);
        assert_true(m->width > 0 && m->view_height > 0);
        assert_int_equal(m->origin, MATERIAL_BUILT_IN);
    }
    assert_true(builtin_material("tools/toolsplayerclip")->is_clip);
    assert_true(builtin_material("tools/toolsinvisible")->translucent);
    assert_true(builtin_material("dev/dev_water2")->water);
    assert_null(builtin_material("tools/nothing"));
    assert_null(builtin_material(""));
}

/* The table of facts is found by name in all of its rows, and says what materials are. */
static void facts_of_materials(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int flags, contents;
    } some[] = {
        {"dev/dev_measuregeneric_glass01b", 0x10, 0x2},
        {"brick/brickfloor001a", 0, 0x1},
        {"tools/toolsdroneclip", -1, -1},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const struct texdata_row *fact = material_fact(some[i].name);
        if (!fact || fact->flags != some[i].flags || fact->contents != some[i].contents)
            fail_msg("%s", some[i].name);
        assert_true(fact->size[0] > 0 && fact->reflectivity[0] >= 0);
        assert_null(builtin_material(some[i].name));
    }
    assert_null(material_fact("brick/nothing"));
    assert_null(material_fact(""));
    const char *before = "";
    const struct texdata_row *all;
    size_t count;
    all = material_facts(&count);
    for (size_t i = 0; i < count; before = all[i++].name) {
        assert_true(strcmp(before, all[i].name) < 0);
        assert_ptr_equal(material_fact(all[i].name), &all[i]);
        assert_int_equal(all[i].flags < 0 || !(all[i].flags & SURFACE_LIGHT), true);
    }
    assert_true(count > 500);
}

/* The catalogues of the corpus: every row is valid, and the built-in materials agree with it. */

struct catalogues {
    struct fixture *fixture;
    const char *folder;
    int files, rows, built_in;
};

static void check_row(struct catalogues *all, const char *line)
{
    struct arena arena = {0};
    const char *name = arena_strndup(&arena, line, strcspn(line, "\t"));
    const char *clean = asset_material_name(&arena, name);
    const struct texdata_row *row = texdata_find(&all->fixture->set, clean);
    assert_non_null(row);
    all->rows++;
    const struct material *known = builtin_material(clean);
    if (known) {
        struct material m = *known;
        texdata_apply(row, true, &m);
        if (m.surface_flags != known->surface_flags || m.width != known->width ||
            m.height != known->height)
            fail_msg("%s: flags 0x%x, size %d x %d", name, m.surface_flags, m.width, m.height);
        /* The sky's image has another tint in some games. */
        for (int i = 0; i < 3; i++)
            assert_float_equal(m.reflectivity[i], known->reflectivity[i], 0.08);
        all->built_in++;
    }
    arena_free(&arena);
}

static void read_catalogue(void *context, const char *name, bool is_directory)
{
    struct catalogues *all = context;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", all->folder, name);
    if (is_directory) {
        struct catalogues inner = *all;
        inner.folder = path;
        fs_disk()->ops->list(fs_disk(), path, read_catalogue, &inner);
        inner.folder = all->folder;
        *all = inner;
        return;
    }
    struct bytes text = {0};
    if (!strstr(name, ".texdata.tsv") || fs_disk()->ops->read(fs_disk(), path, &text) != 0)
        return;
    texdata_free(&all->fixture->set);
    all->fixture->set = (struct texdata){0};
    texdata_parse(&all->fixture->set, (const char *)text.data, text.size, path, all->fixture->diag);
    bytes_u8(&text, 0);
    for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n"))
        if (*line != '#')
            check_row(all, line);
    bytes_free(&text);
    all->files++;
}

static void real_catalogues(void **state)
{
    struct catalogues all = {.fixture = *state, .folder = SHARED_DIR "/corpus/vmf"};
    fs_disk()->ops->list(fs_disk(), all.folder, read_catalogue, &all);
    if (!all.files) {
        print_message("skipped: no corpus\n");
        skip();
    }
    assert_int_equal(all.files, 16);
    assert_int_equal(diag_entries(all.fixture->diag), 0);
    assert_int_equal(all.rows, 192);
    assert_int_equal(all.built_in, 41);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_texdata)
{
    const struct CMUnitTest tests[] = {
        TEST(rows),
        TEST(bad_lines_are_left_out),
        TEST(built_in_contents_stand),
        TEST(names_tell_of_unknown_contents),
        TEST(words_agree_with_the_table),
        TEST(tools_are_guessed_by_words),
        TEST(rails_are_see_through),
        TEST(other_flags_are_another_material),
        TEST(built_in_set),
        TEST(facts_of_materials),
        TEST(real_catalogues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
