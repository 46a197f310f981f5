/* Faults of entities: each is reported with its entity and nothing else is; what only looks like a
 * fault is not. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/cordons.def"
#include "common/diag/codes/level_changes.def"
#include "common/diag/codes/lights.def"
#include "common/diag/codes/lint_content.def"
#include "common/diag/codes/lint_entities.def"
#include "common/diag/codes/overlays.def"
#include "tests/support/vbsp/text_map.h"

static const char game_fgd[] =
    "@BaseClass = Named [ targetname(target_source) : \"Name\" input Kill(void) : \"x\" ]\n"
    "@PointClass base(Named) = logic_relay : \"r\" [ input Trigger(void) : \"t\"\n"
    "  output OnTrigger(void) : \"o\" ]\n"
    "@PointClass base(Named) = info_target : \"i\" []\n"
    "@PointClass = info_player_start : \"s\" []\n"
    "@PointClass base(Named) = npc_maker : \"m\" [ NPCTargetname(target_source) : \"n\" ]\n"
    "@PointClass base(Named) = npc_zombie : \"z\" []\n"
    "@PointClass base(Named) = filter_multi : \"f\" []\n"
    "@PointClass base(Named) = ambient_generic : \"a\" []\n"
    "@PointClass base(Named) = env_sprite : \"s\" []\n"
    "@SolidClass base(Named) = func_odd : \"s\" []\n"
    "@SolidClass base(Named) = func_brush : \"s\" []\n";

/* An entity, given as its class and keys; an output as a key. */
struct given {
    const char *classname, *keys;
};

struct lint_case {
    struct given entities[4]; /* the first has the fault */
    int code;                 /* 0: no fault */
    const char *message;      /* a part of it */
};

static void run(struct text_map *map, const struct given *entities, size_t count, bool has_game)
{
    text_map_init(map);
    map->options.lint = map->options.lint_entities = true;
    map->options.fgd = "game.fgd";
    text_map_put(map, "game.fgd", game_fgd);
    if (has_game)
        text_map_put(map, "game/sound/there.wav", "x");
    text_map_room(map, vec3(0, 0, 0), vec3(512, 512, 128));
    text_map_box(map, vec3(200, 200, 0), vec3(264, 264, 64), "wall");
    map->ids = 99;
    for (size_t i = 0; i < count && entities[i].classname; i++)
        text_map_entity(map, entities[i].classname, entities[i].keys);
    text_map_entity(map, "info_player_start", "origin \"64 64 16\"");
    text_map_compile_game(map, STATUS_OK, has_game ? "game" : NULL);
}

/* Returns what a compile without lint reports of an entity of that class; 0: nothing. */
static int told_by_compile(const char *classname)
{
    static const struct {
        const char *classname;
        int code;
    } told[] = {{"comp_relay", DIAG_COMPILE_TIME_CLASS},
                {"env_cubemap", DIAG_CUBEMAPS_MISSING},
                {"info_tarjet", DIAG_CLASS_NEAR}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(told[i].classname, classname) == 0)
            return told[i].code;
    return 0;
}

/* Reports of any code but `also`, which is reported once. */
static size_t count_findings(const struct text_map *map, int also, const struct diag_entry **last)
{
    size_t count = 0, others = 0;
    for (size_t i = 0; i < diag_entries(map->diag); i++) {
        const struct diag_entry *entry = diag_entry(map->diag, i);
        others += entry->code == also;
        if (entry->code == also)
            continue;
        count++;
        *last = entry;
    }
    assert_int_equal(others, also != 0);
    return count;
}

static void check_case(const struct lint_case *test, bool has_game)
{
    struct text_map map;
    const struct diag_entry *entry = NULL;
    run(&map, test->entities, sizeof test->entities / sizeof *test->entities, has_game);
    size_t count = count_findings(&map, told_by_compile(test->entities[0].classname), &entry);
    bool right = count == (test->code != 0) &&
                 (!count || (entry->code == test->code && entry->where.entity_id == 100 &&
                             entry->where.line > 0 && strstr(entry->message, test->message)));
    if (!right) {
        print_message("%s %s: %zu findings\n", test->entities[0].classname, test->entities[0].keys,
                      count);
        text_map_print_reports(&map);
    }
    assert_true(right);
    text_map_free(&map);
}

#define CHECK_ALL(cases, has_game)                                                                 \
    for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++)                                   \
    check_case(&(cases)[i], has_game)

#define RELAY(output) {"logic_relay", "targetname r connections { OnTrigger \"" output "\" }"}

static void targets_that_nobody_has(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{RELAY("door,Trigger,,0,-1")},
         DIAG_TARGET_MISSING,
         "OnTrigger of logic_relay \"r\" names"},
        {{RELAY("door\x1bTrigger\x1b\x1b"
                "0\x1b-1")},
         DIAG_TARGET_MISSING,
         "names \"door\""},
        {{RELAY("doo*,Trigger,,0,-1")}, DIAG_TARGET_MISSING, "\"doo*\""},
        {{{"info_target", "parentname rail"}}, DIAG_TARGET_MISSING, "parentname of info_target"},
        {{{"info_target", "target rail"}}, DIAG_TARGET_MISSING, "\"rail\""},
        {{{"info_target", "targetname \"the rail\" target \"my rail\""}},
         DIAG_TARGET_MISSING,
         "\"my rail\""},
    };
    CHECK_ALL(cases, false);
}

static void targets_that_somebody_has(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{RELAY("d?or*,Trigger,,0,-1"), {"logic_relay", "targetname door1"}}, 0, ""},
        {{RELAY("!activator,Trigger,,0,-1")}, 0, ""},
        {{RELAY("@shared,Trigger,,0,-1")}, 0, ""},
        {{RELAY("$door,Trigger,,0,-1")}, 0, ""},
        {{RELAY("player,Trigger,,0,-1")}, 0, ""},
        {{RELAY("info_target,Kill,,0,-1")}, 0, ""},
        {{RELAY("r&0001,Trigger,,0,-1")}, 0, ""},
        {{RELAY("made,Kill,,0,-1"), {"npc_maker", "NPCTargetname made"}}, 0, ""},
        {{RELAY("!self,AddOutput,targetname later,0,-1"), RELAY("later,Trigger,,1,-1")}, 0, ""},
        {{{"logic_relay",
           "targetname r vscripts a.nut connections { OnTrigger \"x,Kill,,0,-1\" }"}},
         0,
         ""},
        {{{"info_target", "parentname \"rail,head\""}, {"info_target", "targetname rail"}}, 0, ""},
        {{{"info_target", "target \"sv_cheats 0\""}, {"info_target", "targetname rail"}}, 0, ""},
    };
    CHECK_ALL(cases, false);
}

static void inputs_and_classes(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{RELAY("i,Trigger,,0,-1"), {"info_target", "targetname i"}},
         DIAG_INPUT_UNKNOWN,
         "\"i\", which is info_target \"i\", has no input \"Trigger\""},
        {{RELAY("i,Kill,,0,-1"), {"info_target", "targetname i"}}, 0, ""},
        {{RELAY("i,FireUser1,,0,-1"), {"info_target", "targetname i"}}, 0, ""},
        {{RELAY("i,Trigger,,0,-1"),
          {"info_target", "targetname i"},
          {"logic_relay", "targetname i"}},
         0,
         ""},
        {{{"info_tarjet", ""}, {"info_tarjet", ""}},
         DIAG_CLASS_UNKNOWN,
         "\"info_tarjet\", used by 2 entities"},
        /* For other tools: told by a compile, not by lint as well. */
        {{{"comp_relay", ""}}, 0, ""},
        {{{"func_odd", ""}}, DIAG_ENTITY_NO_SOLIDS, "func_odd"},
        {{{"func_brush", "targetname b"}}, DIAG_ENTITY_NO_SOLIDS, "func_brush \"b\""},
        {{{"func_brush", "model models/a.mdl"}}, 0, ""},
    };
    CHECK_ALL(cases, false);
}

static void loops(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{{"info_target", "targetname a parentname a"}}, DIAG_PARENT_LOOP, "\"a\" -> \"a\""},
        {{{"info_target", "targetname a parentname b"},
          {"info_target", "targetname b parentname \"c,head\""},
          {"info_target", "targetname c parentname a"},
          {"info_target", "targetname d parentname a"}},
         DIAG_PARENT_LOOP,
         "\"a\" -> \"b\" -> \"c\" -> \"a\""},
        {{{"info_target", "targetname a parentname b"}, {"info_target", "targetname b"}}, 0, ""},
        {{{"info_target", "targetname a parentname a"}, {"info_target", "targetname a"}}, 0, ""},
        {{{"filter_multi", "targetname a Filter01 c Filter02 b"},
          {"filter_multi", "targetname b Filter01 c Filter03 a"},
          {"filter_multi", "targetname c"}},
         DIAG_FILTER_LOOP,
         "\"a\" -> \"b\" -> \"a\""},
    };
    CHECK_ALL(cases, false);
}

static void names_by_case(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{{"info_target", "targetname Door"}, {"info_target", "targetname x"}}, 0, ""},
        {{RELAY("door,Kill,,0,-1"), {"info_target", "targetname Door"}},
         DIAG_NAME_CASE,
         "OnTrigger \"door\" and \"Door\" of info_target"},
    };
    CHECK_ALL(cases, false);
}

static void values(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{{"info_target", "origin \"12 13\""}},
         DIAG_VALUE_UNREADABLE,
         "origin \"12 13\" of info_target: expected three numbers"},
        {{{"info_target", "origin \"12,13,14\""}}, DIAG_VALUE_UNREADABLE, "12,13,14"},
        {{{"info_target", "origin \"12 13 nan\""}}, DIAG_VALUE_UNREADABLE, "nan"},
        {{{"info_target", "angles \"0 90\""}}, DIAG_VALUE_UNREADABLE, "angles"},
        {{{"light", "origin \"64 64 64\" _light \"255 255 bright\""}},
         DIAG_VALUE_UNREADABLE,
         "_light"},
        {{{"light", "origin \"64 64 64\" _light \"255 255 255 200\" _lightHDR \"-1 -1 -1 1\""}},
         0,
         ""},
        {{{"info_target", "angles \"0 -90.5  1e1\" origin \" 1 2 3 \""}}, 0, ""},
        {{{"info_target", "angles \"$angles\""}}, 0, ""},
    };
    CHECK_ALL(cases, false);
}

static void entities_in_solid(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {{{"light", "origin \"230 230 32\" _light \"255 255 255 200\""}},
         DIAG_LIGHT_IN_SOLID,
         "light, inside solid"},
        {{{"env_cubemap", "origin \"230 230 32\""}},
         DIAG_CUBEMAP_IN_SOLID,
         "env_cubemap, inside solid"},
        {{{"light", "origin \"230 230 64\" _light \"255 255 255 200\""}}, 0, ""},
        {{{"light_environment", "origin \"230 230 32\" _light \"255 255 255 200\""}}, 0, ""},
        {{{"env_cubemap", "origin \"230 230 70\""}}, 0, ""},
    };
    CHECK_ALL(cases, false);
}

static void files_of_a_game(void **state)
{
    (void)state;
    static const struct lint_case missing[] = {
        {{{"ambient_generic", "message \"*#away.wav\""},
          {"ambient_generic", "message \"*#away.wav\""}},
         DIAG_SOUND_MISSING,
         "\"*#away.wav\", message of ambient_generic"},
        {{{"env_sprite", "model \"sprites/away.spr\""}}, DIAG_SPRITE_MISSING, "sprites/away.spr"},
        {{{"ambient_generic", "message \")there.wav\""}}, 0, ""},
        {{{"ambient_generic", "message \"Ambient.Script\""}}, 0, ""},
    };
    static const struct lint_case without[] = {
        {{{"ambient_generic", "message away.wav"}}, 0, ""},
    };
    CHECK_ALL(missing, true);
    CHECK_ALL(without, false);
}

/* The second of two is reported, with the line of the first. */
static void duplicate_ids(void **state)
{
    (void)state;
    struct text_map map;
    const struct diag_entry *entry = NULL;
    static const struct given one[] = {{"info_target", ""}};
    static const struct given twice[] = {
        {"info_target", "}\nentity { id 100 classname info_target"}};
    run(&map, one, 1, false);
    assert_int_equal(count_findings(&map, 0, &entry), 0);
    text_map_free(&map);
    run(&map, twice, 1, false);
    assert_int_equal(count_findings(&map, 0, &entry), 1);
    assert_int_equal(entry->code, DIAG_ID_TWICE);
    assert_int_equal(entry->where.entity_id, 100);
    assert_non_null(strstr(entry->message, "entity id 100, first used in line"));
    text_map_free(&map);
}

static void solids_with_one_id(void **state)
{
    (void)state;
    struct text_map map;
    const struct diag_entry *entry = NULL;
    text_map_init(&map);
    map.options.lint_entities = true;
    text_map_room(&map, vec3(0, 0, 0), vec3(512, 512, 128));
    map.ids -= 1 + BOX_SIDES;
    text_map_box(&map, vec3(200, 200, 0), vec3(264, 264, 64), "wall");
    map.ids = 99;
    text_map_finish(&map, "64 64 16");
    /* a solid and six sides; and no FGD was given */
    assert_int_equal(diag_count_code(map.diag, DIAG_ID_TWICE), 7);
    assert_int_equal(diag_count_code(map.diag, DIAG_LINT_NO_FGD), 1);
    assert_int_equal(count_findings(&map, 0, &entry), 8);
    text_map_free(&map);
}

static void a_map_without_a_spawn(void **state)
{
    (void)state;
    static const struct {
        const char *classname;
        size_t count;
    } cases[] = {{"info_target", 1},
                 {"info_player_intermission", 1},
                 {"info_player_rebel", 0},
                 {"info_ff_teamspawn", 0},
                 {"func_instance_parms", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        text_map_init(&map);
        map.options.lint_entities = true;
        text_map_room(&map, vec3(0, 0, 0), vec3(512, 512, 128));
        text_map_entity(&map, cases[i].classname, "origin \"64 64 16\"");
        text_map_compile(&map, STATUS_OK);
        assert_int_equal(diag_count_code(map.diag, DIAG_NO_SPAWN), cases[i].count);
        text_map_free(&map);
    }
}

/* Names of entities that a cordon drops still exist for those that refer to them. */
static void names_outside_of_a_cordon_exist(void **state)
{
    (void)state;
    static const struct given entities[] = {RELAY("away,Kill,,0,-1"),
                                            {"info_target", "targetname away origin \"3000 0 0\""}};
    struct text_map map;
    const struct diag_entry *entry = NULL;
    text_map_init(&map);
    map.options.lint_entities = true;
    map.options.fgd = "game.fgd";
    text_map_put(&map, "game.fgd", game_fgd);
    text_map_room(&map, vec3(0, 0, 0), vec3(512, 512, 128));
    for (size_t i = 0; i < 2; i++)
        text_map_entity(&map, entities[i].classname, entities[i].keys);
    text_map_entity(&map, "info_player_start", "origin \"64 64 16\"");
    bytes_append_text(&map.text, "}\ncordon { mins \"(-64 -64 -64)\" maxs \"(700 700 300)\" "
                                 "active 1 ");
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(count_findings(&map, DIAG_CORDON_ON, &entry), 0);
    text_map_free(&map);
}

SUITE(test_lint_entities)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_that_nobody_has),
        cmocka_unit_test(targets_that_somebody_has),
        cmocka_unit_test(inputs_and_classes),
        cmocka_unit_test(loops),
        cmocka_unit_test(names_by_case),
        cmocka_unit_test(values),
        cmocka_unit_test(entities_in_solid),
        cmocka_unit_test(files_of_a_game),
        cmocka_unit_test(duplicate_ids),
        cmocka_unit_test(solids_with_one_id),
        cmocka_unit_test(a_map_without_a_spawn),
        cmocka_unit_test(names_outside_of_a_cordon_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
