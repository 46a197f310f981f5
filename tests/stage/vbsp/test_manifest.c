/* Manifests and cordons, and the maps that show them and instances, compiled whole. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/diag/codes/cordons.def"
#include "common/diag/codes/instances.def"
#include "vbsp/files.h"
#include "vbsp/level/instances/instance.h"

struct fixture {
    struct env env;
    struct fs *memory;
    struct assets *assets;
    struct level level, whole;
    struct vbsp_output out;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.memory = fs_memory_new()};
    fixture.env = (struct env){.diag = diag_new(NULL, NULL), .fs = fixture.memory, .threads = 1};
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    vbsp_output_free(&f->out);
    level_free(&f->whole);
    level_free(&f->level);
    assets_free(f->assets);
    fs_memory_free(f->memory);
    diag_free(f->env.diag);
    return 0;
}

static void put(struct fixture *f, const char *path, const char *text)
{
    assert_int_equal(f->memory->ops->write(f->memory, path, text, strlen(text)), 0);
}

/* A cube of 16 units with its low corner at x 0 0. */
static const char *cube(struct arena *arena, int x)
{
    int y = x + 16;
    const char *const format =
        "solid { id 1\n"
        "side { id 2 plane \"(%d 16 16) (%d 16 16) (%d 0 16)\" material dev/floor }\n"
        "side { id 3 plane \"(%d 0 0) (%d 0 0) (%d 16 0)\" material dev/floor }\n"
        "side { id 4 plane \"(%d 16 16) (%d 0 16) (%d 0 0)\" material dev/floor }\n"
        "side { id 5 plane \"(%d 16 0) (%d 0 0) (%d 0 16)\" material dev/floor }\n"
        "side { id 6 plane \"(%d 16 16) (%d 16 16) (%d 16 0)\" material dev/floor }\n"
        "side { id 7 plane \"(%d 0 0) (%d 0 0) (%d 0 16)\" material dev/floor } }\n";
    return arena_printf(arena, format, x, y, y, x, y, y, x, x, x, y, y, y, y, x, x, y, x, x);
}

static void complete(struct fixture *f)
{
    assert_int_equal(assets_open(&f->env, &(struct assets_options){0}, &f->assets), STATUS_OK);
    assert_int_equal(level_complete(&f->env, f->assets, &f->level, DIAG_ERROR, &f->whole),
                     STATUS_OK);
}

static void maps_of_a_manifest_are_one(void **state)
{
    struct fixture *f = *state;
    struct arena arena = {0};
    put(f, "maps/all.vmm",
        "Maps { VMF { Name things File all\\Things.vmf } VMF { File all/world.vmf TopLevel 1 } "
        "}\n");
    put(f, "maps/all/things.vmf",
        arena_printf(&arena,
                     "world { id 1 classname worldspawn skyname no\n%s}\nentity { id 2 classname "
                     "info_target targetname here target there }\n",
                     cube(&arena, 64)));
    put(f, "maps/all/world.vmf",
        arena_printf(&arena,
                     "world { id 1 classname worldspawn skyname yes mapversion 7\n%s}\n"
                     "entity { id 9 classname info_a }\n",
                     cube(&arena, 0)));
    assert_int_equal(vbsp_read_level(&f->env, "maps/all.vmm", &f->level), STATUS_OK);
    arena_free(&arena);
    const struct level *map = &f->level;
    assert_string_equal(map->file, "maps/all.vmm");
    assert_int_equal(map->revision, 7);
    assert_int_equal(arrlen(map->entities), 3);
    assert_string_equal(entity_value(&map->entities[0].keys, "skyname"), "yes");
    assert_int_equal(arrlen(map->entities[0].solids), 2);
    assert_int_equal(map->entities[0].solids[1].id, 2);
    assert_string_equal(entity_value(&map->entities[2].keys, "targetname"), "here");
    assert_string_equal(entity_value(&map->entities[2].keys, "target"), "there");
    struct diag_where where = map_where(map, &map->entities[0], &map->entities[0].solids[1], NULL);
    assert_string_equal(where.file, "maps/all/things.vmf");
    assert_int_equal(where.solid_id, 1);
    complete(f);
    assert_int_equal(arrlen(f->whole.entities), 3);
}

static void every_missing_map_is_reported(void **state)
{
    struct fixture *f = *state;
    put(f, "a.vmm", "Maps { VMF { File no1.vmf } VMF { File b.vmf }\n VMF { File no2.vmf } }");
    put(f, "b.vmf", "world { classname worldspawn }");
    assert_int_equal(vbsp_read_level(&f->env, "a.vmm", &f->level), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_MANIFEST_PART), 2);
    assert_int_equal(diag_entry(f->env.diag, 1)->where.line, 2);
}

static void an_empty_manifest_fails(void **state)
{
    struct fixture *f = *state;
    put(f, "a.vmm", "Maps { }");
    assert_int_equal(vbsp_read_level(&f->env, "a.vmm", &f->level), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_MANIFEST_EMPTY), 1);
}

/* Cubes at 0, 100, 200 and 300 with an entity in each, and the cordon given. */
static void read_with_cordon(struct fixture *f, const char *cordon)
{
    struct arena arena = {0};
    const char *text = "world { id 1 classname worldspawn\n";
    for (int i = 0; i < 4; i++)
        text = arena_printf(&arena, "%s%s", text, cube(&arena, i * 100));
    text = arena_printf(&arena, "%s}\n", text);
    for (int i = 0; i < 4; i++)
        text = arena_printf(&arena, "%sentity { id %d classname info_%d origin \"%d 8 8\" }\n",
                            text, i + 2, i, i * 100 + 8);
    text = arena_printf(&arena,
                        "%sentity { id 8 classname logic_auto }\n"
                        "entity { id 9 classname func_detail\n%s%s}\n%s",
                        text, cube(&arena, 300), cube(&arena, 100), cordon);
    put(f, "a.vmf", text);
    arena_free(&arena);
    assert_int_equal(vbsp_read_level(&f->env, "a.vmf", &f->level), STATUS_OK);
    complete(f);
}

static void a_cordon_keeps_what_it_touches(void **state)
{
    struct fixture *f = *state;
    read_with_cordon(f, "cordon { mins \"(90 -50 -50)\" maxs \"(200 50 50)\" active 1 }");
    assert_int_equal(diag_count_code(f->env.diag, DIAG_CORDON_ON), 1);
    const struct map_entity *entities = f->whole.entities;
    assert_int_equal(arrlen(entities[0].solids), 2 + 6); /* that at 200 touches */
    assert_int_equal(arrlen(entities), 4);
    assert_true(entity_is(&entities[1].keys, "info_1"));
    assert_true(entity_is(&entities[2].keys, "logic_auto"));
    assert_true(entity_is(&entities[3].keys, "func_detail"));
    assert_int_equal(entities[3].solids[0].entity, 3);
    struct bounds all = bounds_empty();
    for (int i = 2; i < 8; i++) {
        struct bounds wall = map_solid_bounds(&entities[0].solids[i]);
        assert_false(bounds_is_empty(&wall));
        bounds_add(&all, &wall);
    }
    assert_true(all.mins.x == 90 - 16 && all.maxs.x == 200 + 16 && all.maxs.z == 50 + 16);
}

/* Two boxes that meet are one room. */
static void boxes_of_cordons_join(void **state)
{
    struct fixture *f = *state;
    read_with_cordon(f, "cordons { active 1 cordon { active 1\n"
                        "box { mins \"(-50 -50 -50)\" maxs \"(50 50 50)\" }\n"
                        "box { mins \"(50 -50 -50)\" maxs \"(150 50 50)\" } }\n"
                        "cordon { active 0 box { mins \"(250 0 0)\" maxs \"(350 9 9)\" } } }");
    const struct map_solid *solids = f->whole.entities[0].solids;
    size_t count = arrlenu(solids);
    assert_in_range(count, 2 + 10, 2 + 20);
    for (size_t i = 2; i < count; i++) {
        struct bounds wall = map_solid_bounds(&solids[i]);
        bool within = true;
        for (int j = 0; j < 3; j++)
            within = within && wall.maxs.e[j] > -50 && wall.mins.e[j] < (j ? 50 : 150);
        assert_false(within);
    }
}

static void a_cordon_may_be_off_or_bad_or_around_all(void **state)
{
    static const char *const cordons[] = {
        "cordon { mins \"(90 -50 -50)\" maxs \"(200 50 50)\" active 0 }",
        "cordons { active 0 cordon { active 1 box { mins \"(9 9 9)\" maxs \"(10 10 10)\" } } }",
        "cordon { mins \"(90 -50 -50)\" maxs \"(80 50 50)\" active 1 }",
        "cordon { mins \"(-90 -50 -50)\" maxs \"(800 50 50)\" active 1 }",
    };
    for (int i = 0; i < 4; i++) {
        struct fixture *f = *state;
        read_with_cordon(f, cordons[i]);
        assert_int_equal(arrlen(f->whole.entities[0].solids), 4);
        assert_int_equal(diag_count_code(f->env.diag, DIAG_CORDON_ON), 0);
        assert_int_equal(diag_count_code(f->env.diag, DIAG_CORDON_BOX), i == 2);
        if (i < 3) {
            teardown(state);
            setup(state);
        }
    }
}

static void compile(struct fixture *f, const char *path)
{
    f->env.fs = fs_disk();
    assert_int_equal(vbsp_read_level(&f->env, path, &f->level), STATUS_OK);
    assert_int_equal(assets_open(&f->env, &(struct assets_options){0}, &f->assets), STATUS_OK);
    assert_int_equal(vbsp_run(&f->env, &vbsp_defaults, f->assets, &f->level, NULL, &f->out),
                     STATUS_OK);
    enum status status = bsp_verify(f->out.bsp, path, f->env.diag);
    for (size_t i = 0; i < diag_entries(f->env.diag); i++)
        print_message("%s\n", diag_entry(f->env.diag, i)->message);
    assert_int_equal(status, STATUS_OK);
}

static int contents_at(const struct fixture *f, struct vec3 point)
{
    return f->out.bsp->leaves[bsp_leaf_at(f->out.bsp, 0, point)].contents;
}

/* Beams of the three gates, and the doors in their models. */
static void the_map_of_instances_has_its_gates(void **state)
{
    struct fixture *f = *state;
    compile(f, MAPS_DIR "/instances.vmf");
    static const double middles[3][2] = {{256, 256}, {768, 256}, {512, 768}};
    for (int i = 0; i < 3; i++) {
        assert_true(contents_at(f, vec3(middles[i][0], middles[i][1], 136)) & CONTENTS_SOLID);
        assert_false(contents_at(f, vec3(middles[i][0], middles[i][1], 150)) & CONTENTS_SOLID);
    }
    double c = sqrt(0.75), s = 0.5;
    assert_true(contents_at(f, vec3(512 + 70 * c, 768 + 70 * s, 136)) & CONTENTS_SOLID);
    assert_true(contents_at(f, vec3(512 + 64 * c, 768 + 64 * s, 64)) & CONTENTS_SOLID);
    assert_int_equal(arrlen(f->out.bsp->models), 4);
}

static void the_map_with_a_cordon_is_closed(void **state)
{
    struct fixture *f = *state;
    compile(f, MAPS_DIR "/cordon.vmf");
    assert_false(contents_at(f, vec3(500, 128, 64)) & CONTENTS_SOLID);
    assert_true(contents_at(f, vec3(520, 128, 64)) & CONTENTS_SOLID);
    assert_true(contents_at(f, vec3(900, 64, 64)) & CONTENTS_SOLID);
}

static void the_map_of_a_manifest_is_whole(void **state)
{
    struct fixture *f = *state;
    compile(f, MAPS_DIR "/manifest.vmm");
    assert_false(contents_at(f, vec3(256, 128, 64)) & CONTENTS_SOLID);
    assert_true(contents_at(f, vec3(256, 64, 64)) & CONTENTS_SOLID);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_manifest)
{
    const struct CMUnitTest tests[] = {
        TEST(maps_of_a_manifest_are_one),
        TEST(every_missing_map_is_reported),
        TEST(an_empty_manifest_fails),
        TEST(a_cordon_keeps_what_it_touches),
        TEST(boxes_of_cordons_join),
        TEST(a_cordon_may_be_off_or_bad_or_around_all),
        TEST(the_map_of_instances_has_its_gates),
        TEST(the_map_with_a_cordon_is_closed),
        TEST(the_map_of_a_manifest_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
