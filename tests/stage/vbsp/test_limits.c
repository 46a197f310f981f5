/* The limits of a target: exceeded ones are reported with their largest contributors, before
 * anything is written; the conditions of --fail-if; the table. */
#include "common/core/text_stream.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/fail_if.def"
#include "common/diag/codes/usage.def"
#include "tests/support/vbsp/text_map.h"
#include "tests/support/vbsp/tight_format.h"
#include "vbsp/check.h"

/* A room with a table of three func_detail solids, and lights. */
static void put_table(struct text_map *map, const struct bsp_format *format)
{
    text_map_init(map);
    map->options.format = format;
    text_map_room(map, vec3(0, 0, 0), vec3(512, 512, 128));
    text_map_entity(map, "info_player_start", "origin \"64 64 16\"");
    text_map_entity(map, "func_detail", "");
    text_map_box(map, vec3(200, 200, 0), vec3(208, 208, 40), "detail/leg");
    text_map_box(map, vec3(280, 200, 0), vec3(288, 208, 40), "detail/leg");
    text_map_box(map, vec3(192, 192, 40), vec3(296, 216, 48), "detail/top");
    for (int i = 0; i < 12; i++)
        text_map_entity(map, "light", "origin \"64 64 100\"");
}

/* The same with a door of two solids. */
static void put_map(struct text_map *map, const struct bsp_format *format)
{
    put_table(map, format);
    text_map_entity(map, "func_door", "targetname gate origin \"400 400 32\"");
    text_map_box(map, vec3(392, 392, 0), vec3(400, 408, 64), "wall");
    text_map_box(map, vec3(400, 392, 0), vec3(408, 408, 64), "wall");
}

static enum status run(struct text_map *map)
{
    const char *const catalogues[] = {"catalogue.tsv"};
    struct assets_options look_up = {.texdata = catalogues, .texdata_count = 1};
    bytes_append_text(&map->text, "}\n");
    assert_int_equal(fs_store(map->fs, map->diag, "catalogue.tsv", text_map_catalogue,
                              sizeof text_map_catalogue - 1),
                     STATUS_OK);
    assert_int_equal(assets_open(&map->env, &look_up, &map->assets), STATUS_OK);
    assert_int_equal(vmf_parse((const char *)map->text.data, map->text.size, "maps/test.vmf",
                               map->diag, &map->level),
                     STATUS_OK);
    return vbsp_run(&map->env, &map->options, map->assets, &map->level, NULL, &map->out);
}

static const struct diag_entry *find_report(const struct text_map *map, int code)
{
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == code)
            return diag_entry(map->diag, i);
    fail_msg("not reported");
    return NULL;
}

static const struct limit_use *find_use(const struct text_map *map, const char *name)
{
    for (size_t i = 0; i < arrlenu(map->out.limits.uses); i++)
        if (strcmp(map->out.limits.uses[i].limit->name, name) == 0)
            return &map->out.limits.uses[i];
    fail_msg("no limit %s", name);
    return NULL;
}

static void a_passed_limit_names_who_uses_max(void **state)
{
    (void)state;
    struct tight tight;
    struct text_map map;
    tight_init(&tight, "sdk2013");
    tighten(&tight, "brushes", 8);
    put_map(&map, &tight.format);
    assert_int_equal(run(&map), STATUS_FAILED);
    assert_null(map.out.bsp);
    assert_int_equal(diag_count_code(map.diag, DIAG_BSP_LIMIT), 1);
    const struct diag_entry *entry = find_report(&map, DIAG_BSP_LIMIT);
    assert_non_null(strstr(
        entry->message, "brushes: 11 of 8 (137.5 %) of sdk2013, 3 too many; largest contributors: "
                        "worldspawn (entity 1): 6; func_detail (entity "));
    assert_non_null(strstr(entry->message, "): 3; func_door \"gate\" (entity "));
    assert_non_null(strstr(entry->message, ", at 400 400 32): 2"));
    assert_int_equal(entry->where.entity_id, 1);
    /* Contributors are only listed for exceeded limits. */
    assert_int_equal(find_use(&map, "faces")->contributor_count, 0);
    text_map_free(&map);
}

static void solids_are_named_by_id_and_place(void **state)
{
    (void)state;
    struct tight tight;
    struct text_map map;
    tight_init(&tight, "sdk2013");
    tighten(&tight, "faces", 1);
    put_map(&map, &tight.format);
    assert_int_equal(run(&map), STATUS_FAILED);
    const struct limit_use *use = find_use(&map, "faces");
    assert_int_equal(use->contributor_count, LIMIT_CONTRIBUTORS);
    int64_t before = INT64_MAX;
    for (size_t i = 0; i < use->contributor_count; i++) {
        assert_true(use->contributors[i].amount > 0 && use->contributors[i].amount <= before);
        assert_true(use->contributors[i].where.solid_id > 0 &&
                    use->contributors[i].where.has_point);
        assert_string_equal(use->contributors[i].where.file, "maps/test.vmf");
        before = use->contributors[i].amount;
    }
    text_map_free(&map);
}

/* If all contributors are listed, they add up to the use. */
static void parts_add_up(void **state)
{
    (void)state;
    static const char *const exact[] = {"models",        "brushes", "entities",
                                        "displacements", "texinfo", "texdata"};
    struct text_map map;
    put_map(&map, bsp_format_find("sdk2013"));
    map.options.limit_contributors = true;
    assert_int_equal(run(&map), STATUS_OK);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        const struct limit_use *use = find_use(&map, exact[i]);
        int64_t sum = 0;
        for (size_t j = 0; j < use->contributor_count; j++)
            sum += use->contributors[j].amount;
        assert_int_equal(sum, use->used);
    }
    assert_string_equal(find_use(&map, "entities")->contributors[0].name, "light entities");
    assert_int_equal(find_use(&map, "entities")->contributors[0].amount, 12);
    const struct limit_use *texdata = find_use(&map, "texdata");
    assert_int_equal(texdata->contributor_count, 2);
    assert_string_equal(texdata->contributors[0].name, "materials in (no folder)");
    assert_string_equal(texdata->contributors[1].name, "materials in detail");
    assert_int_equal(find_use(&map, "brush sides")->contributor_count, LIMIT_CONTRIBUTORS);
    static const char *const some[] = {"nodes",        "leaves",    "planes",        "leaf faces",
                                       "leaf brushes", "surfedges", "original faces"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_true(find_use(&map, some[i])->contributor_count > 0);
    text_map_free(&map);
}

static void a_displacement_is_named_by_its_solid(void **state)
{
    (void)state;
    struct tight tight;
    struct text_map map;
    tight_init(&tight, "sdk2013");
    tighten(&tight, "displacement vertices", 5);
    put_map(&map, &tight.format);
    struct bytes text = map.text;
    map.text = (struct bytes){0};
    map.extra = "dispinfo { power 2 startposition \"[32 32 16]\" elevation 0 }";
    bytes_append_text(&map.text, "world { id 1 classname worldspawn\n");
    text_map_box_of(&map, vec3(32, 32, 8), vec3(96, 96, 16),
                    (const char *const[]){"wall", "wall", "wall", "wall", "wall", "wall"});
    int id = map.ids;
    map.extra = NULL;
    bytes_append(&map.text, strchr((const char *)text.data, '\n'),
                 text.size - (size_t)(strchr((const char *)text.data, '\n') - (char *)text.data));
    bytes_free(&text);
    (void)run(&map);
    const struct diag_entry *entry = find_report(&map, DIAG_BSP_LIMIT);
    assert_non_null(strstr(entry->message, "displacement vertices: "));
    assert_int_equal(entry->where.solid_id, id - BOX_SIDES);
    text_map_free(&map);
}

static enum status finish(const char *condition, struct diag *diag)
{
    const char **fail_if = NULL;
    struct vbsp_options options = vbsp_defaults;
    arrput(fail_if, condition);
    enum status status = vbsp_check_finish(&(struct vbsp_check){0}, fail_if,
                                           bsp_format_find("sdk2013"), diag, &options);
    arrfree(fail_if);
    return status;
}

static void conditions_are_read(void **state)
{
    (void)state;
    static const char *const good[] = {"faces>80%", "Leaf-Faces>7.5%", "leaf_faces>9000",
                                       "bytes of visibility>0%"};
    static const char *const bad[] = {"faces",     "faces>",     "faces>x%", "faces>-1%",
                                      "faces>8%%", "facs>80%",   ">80%",     "faces>nan",
                                      "faces>%",   "faces=80 %", ""};
    struct diag *diag = diag_new(NULL, NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(finish(good[i], diag), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(finish(bad[i], diag), STATUS_USAGE);
        assert_int_equal(diag_count_code(diag, DIAG_USAGE), i + 1);
    }
    assert_int_equal(finish("displacement vertex>80%", diag), STATUS_USAGE);
    assert_non_null(strstr(diag_entry(diag, diag_entries(diag) - 1)->message,
                           "did you mean 'displacement vertices'?"));
    diag_free(diag);
}

static void a_condition_that_is_met_fails(void **state)
{
    (void)state;
    const struct bsp_format *format = bsp_format_find("sdk2013");
    struct text_map map;
    put_map(&map, format);
    assert_int_equal(run(&map), STATUS_OK);
    const char **fail_if = NULL;
    arrput(fail_if, "brushes>10");
    arrput(fail_if, "brushes>11");
    arrput(fail_if, "brushes>50%");
    arrput(fail_if, "entities>0.1%");
    assert_int_equal(vbsp_check_conditions(fail_if, format, map.out.bsp, map.diag), STATUS_FAILED);
    assert_int_equal(diag_count_code(map.diag, DIAG_FAIL_IF), 2);
    const struct diag_entry *entry = find_report(&map, DIAG_FAIL_IF);
    assert_string_equal(entry->message, "\"brushes>10\": brushes: 11 of 8192 (0.1 %)");
    arrfree(fail_if);
    text_map_free(&map);
}

static void the_help_lists_all_names(void **state)
{
    (void)state;
    const struct bsp_format *format = bsp_format_find("sdk2013");
    const char *help = vbsp_fail_if_option.help;
    help = strstr(help, "or one of ");
    assert_non_null(help);
    help += strlen("or one of ");
    for (size_t i = 0; i < format->limit_count; i++) {
        size_t length = strlen(format->limits[i].name);
        assert_true(strncmp(help, format->limits[i].name, length) == 0);
        help += length + strlen(", ");
    }
}

static void the_table_begins_with_the_fullest(void **state)
{
    (void)state;
    struct tight tight;
    struct text_map map;
    tight_init(&tight, "sdk2013");
    tighten(&tight, "brushes", 8);
    tighten(&tight, "models", 2);
    put_map(&map, &tight.format);
    (void)run(&map);
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    limit_report_print(&map.out.limits, stream.out);
    text_stream_close(&stream);
    const char *brushes = strstr(
        stream.text,
        "\nbrushes                              11          8   137.5 %  exceeded\nmodels  ");
    assert_non_null(brushes);
    assert_non_null(strstr(
        stream.text, "\nlargest contributors to brushes\n         6  worldspawn (entity 1)\n"));
    assert_null(strstr(stream.text, "displacements"));
    free(stream.text);
    text_map_free(&map);
}

struct phases {
    const char *wanted;
    bool seen;
};

static void note_phase(void *context, const struct progress_event *event)
{
    struct phases *phases = context;
    phases->seen |= event->kind == PROGRESS_BEGIN && strcmp(event->name, phases->wanted) == 0;
}

static enum status run_until(struct text_map *map, struct phases *phases)
{
    map->env.progress = progress_new(note_phase, phases);
    enum status status = run(map);
    progress_free(map->env.progress);
    map->env.progress = NULL;
    return status;
}

static void expect_same_users(const struct limit_use *a, const struct limit_use *b)
{
    assert_int_equal(a->used, b->used);
    assert_int_equal(a->contributor_count, b->contributor_count);
    for (size_t i = 0; i < a->contributor_count; i++) {
        assert_int_equal(a->contributors[i].amount, b->contributors[i].amount);
        assert_string_equal(a->contributors[i].name, b->contributors[i].name);
        assert_int_equal(a->contributors[i].where.solid_id, b->contributors[i].where.solid_id);
    }
}

/* As soon as the limit is reached, and with the contributors that a whole compile would name. */
static void limits_are_checked_before_the_work(void **state)
{
    (void)state;
    static const struct {
        const char *limit, *not_begun;
        int64_t maximum;
        void (*put)(struct text_map *map, const struct bsp_format *format);
    } cases[] = {{"brushes", "tree", 8, put_map},
                 {"brush sides", "tree", 60, put_map},
                 {"models", "tree", 1, put_map},
                 {"nodes", "faces", 4, put_table},
                 {"leaves", "faces", 4, put_table}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tight loose, tight;
        struct text_map whole, early;
        struct phases phases = {.wanted = cases[i].not_begun};
        tight_init(&loose, "sdk2013");
        cases[i].put(&whole, &loose.format);
        whole.options.limit_contributors = true;
        assert_int_equal(run_until(&whole, &phases), STATUS_OK);
        assert_true(phases.seen);
        phases.seen = false;
        tight_init(&tight, "sdk2013");
        tighten(&tight, cases[i].limit, cases[i].maximum);
        cases[i].put(&early, &tight.format);
        assert_int_equal(run_until(&early, &phases), STATUS_FAILED);
        assert_false(phases.seen);
        assert_int_equal(diag_count_code(early.diag, DIAG_BSP_LIMIT), 1);
        expect_same_users(find_use(&early, cases[i].limit), find_use(&whole, cases[i].limit));
        text_map_free(&early);
        text_map_free(&whole);
    }
}

SUITE(test_limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_passed_limit_names_who_uses_max),
        cmocka_unit_test(solids_are_named_by_id_and_place),
        cmocka_unit_test(limits_are_checked_before_the_work),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(a_displacement_is_named_by_its_solid),
        cmocka_unit_test(conditions_are_read),
        cmocka_unit_test(a_condition_that_is_met_fails),
        cmocka_unit_test(the_help_lists_all_names),
        cmocka_unit_test(the_table_begins_with_the_fullest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
