/* The summary of a run, as text and as JSON. */
#include "tests/support/suite.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/core/text_stream.h"
#include "common/diag/codes/cordons.def"
#include "common/diag/codes/syntax.def"
#include "common/diag/diag_json.h"

static struct run_summary some_summary(void)
{
    static const struct bsp_limit limits[] = {
        {.name = "faces", .maximum = 65536},
        {.name = "sides of a brush", .maximum = 128, .per_item = true},
        {.name = "brushes", .maximum = 8192},
        {.name = "areas", .maximum = 256},
        {.name = "planes", .maximum = 65536}};
    static const int64_t used[] = {379, 100, 93, 2, 1};
    struct run_summary summary = {0};
    run_summary_stage(&summary, "vbsp");
    run_summary_phase(&summary, "second pass: tree", 0.25, 0.5);
    run_summary_counter(&summary, "zero-volume leaves", 1);
    run_summary_counter(&summary, "zero-volume leaves", 2);
    run_summary_counter(&summary, "BSP bytes", 3);
    run_summary_end_stage(&summary);
    arrlast(summary.stages).wall = 0.126;
    arrlast(summary.stages).cpu = 0.25;
    run_summary_map(&summary, "brushes", 93);
    run_summary_map(&summary, "faces", 1);
    run_summary_map(&summary, "leaves", 1);
    run_summary_map(&summary, "clusters", 0);
    run_summary_map(&summary, "entities", 1);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        run_summary_limit(&summary, &limits[i], used[i]);
    run_summary_file(&summary, "a.bsp", 10);
    run_summary_file(&summary, "a.bsp", 283648);
    run_summary_file(&summary, "a.prt", 1);
    run_summary_file(&summary, "a.srf", 3 << 20);
    summary.light = (struct summary_light){true, 32891, 1, true, true};
    summary.next = "copy a.bsp to maps/";
    return summary;
}

static char *text_of(const struct run_summary *summary, const struct diag *diag, enum status status)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    run_summary_print(summary, diag, status, stream.out);
    text_stream_close(&stream);
    return stream.text;
}

static json_t *json_of(const struct run_summary *summary, const struct diag *diag,
                       enum status status)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    run_summary_json(summary, "vbsp", diag, status, stream.out);
    text_stream_close(&stream);
    assert_ptr_equal(strchr(stream.text, '\n'), stream.text + stream.size - 1);
    json_t *object = json_loads(stream.text, 0, NULL);
    assert_non_null(object);
    free(stream.text);
    return object;
}

static void rows_are_aligned_and_counts_agree_with_their_nouns(void **state)
{
    (void)state;
    struct run_summary summary = some_summary();
    struct diag *diag = diag_new(NULL, NULL);
    char *text = text_of(&summary, diag, STATUS_OK);
    assert_string_equal(
        text, "\n"
              "map       93 brushes, 1 face, 1 leaf, 0 clusters, 1 entity\n"
              "light     32891 luxels, 1 light, LDR and HDR\n"
              "limits    brushes 1.1 % (93 of 8192), areas 0.8 % (2 of 256), faces 0.6 % (379 of "
              "65536)\n"
              "warnings  none\n"
              "time      vbsp 0.13 s\n"
              "CPU time  vbsp 0.25 s\n"
              "wrote     a.bsp (277 KiB), a.prt (1 byte), a.srf (3.0 MiB)\n"
              "next      copy a.bsp to maps/\n");
    free(text);
    diag_free(diag);
    run_summary_free(&summary);
}

static void diagnostics_are_listed_by_code(void **state)
{
    (void)state;
    struct run_summary summary = {0};
    struct diag *diag = diag_new(NULL, NULL);
    run_summary_stage(&summary, "vbsp");
    run_summary_stage(&summary, "vvis");
    run_summary_end_stage(&summary);
    for (ptrdiff_t i = 0; i < arrlen(summary.stages); i++)
        summary.stages[i].wall = summary.stages[i].cpu = 0; /* however long the test was stopped */
    for (int i = 0; i < 3; i++)
        diag_report(diag, DIAG_TEXT_REPAIRED, NULL, "w");
    (void)diag_report(diag, DIAG_TEXT_SYNTAX, NULL, "e");
    char *text = text_of(&summary, diag, STATUS_FAILED), expected[512];
    snprintf(expected, sizeof expected,
             "\nresult    failed (exit status 1)\nerrors    1 C003 %s\nwarnings  3 C004 %s\n",
             diag_info(DIAG_TEXT_SYNTAX)->title, diag_info(DIAG_TEXT_REPAIRED)->title);
    assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
    assert_null(strstr(text, "time")); /* no table of zeros after an error */
    free(text);
    summary.stages[0].wall = 2;
    text = text_of(&summary, diag, STATUS_FAILED);
    assert_non_null(strstr(text, "vbsp 2.00 s"));
    assert_null(strstr(text, "map "));
    assert_null(strstr(text, "wrote"));
    free(text);
    diag_free(diag);
    run_summary_free(&summary);
}

static void long_rows_are_wrapped(void **state)
{
    (void)state;
    struct run_summary summary = {.next = "a b"};
    struct diag *diag = diag_new(NULL, NULL);
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "maps/long name %d.tga", i);
        run_summary_file(&summary, name, i);
    }
    summary.next = arena_printf(&summary.arena, "%s %060d %060d\033", "word", 1, 2);
    char *text = text_of(&summary, diag, STATUS_OK);
    size_t lines = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1, lines++) {
        assert_in_range(strcspn(at, "\n"), 0, 100);
        assert_int_not_equal(at[strcspn(at, "\n") - (*at != '\n')], ' ');
    }
    assert_true(lines > 12);
    assert_non_null(strstr(text, ",\n          maps/long name"));
    assert_null(strchr(text, '\033'));
    free(text);
    diag_free(diag);
    run_summary_free(&summary);
}

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t integer_at(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return json_integer_value(json_object_get(object, key));
}

static void a_result_has_all_of_it(void **state)
{
    (void)state;
    struct run_summary summary = some_summary();
    struct diag *diag = diag_new(NULL, NULL);
    diag_report(diag, DIAG_TEXT_REPAIRED, NULL, "w");
    diag_report(diag, DIAG_TEXT_REPAIRED, NULL, "w");
    diag_report(diag, DIAG_CORDON_ON, NULL, "n");
    json_t *object = json_of(&summary, diag, STATUS_OK),
           *result = json_object_get(object, "result");
    assert_string_equal(string_at(object, "program"), "vbsp");
    assert_int_equal(integer_at(result, "version"), JSON_VERSION);
    assert_string_equal(string_at(result, "status"), "ok");
    assert_int_equal(integer_at(result, "warnings"), 2);
    assert_int_equal(integer_at(result, "notes"), 1);
    assert_int_equal(integer_at(json_object_get(result, "codes"), "C004"), 2);
    assert_int_equal(integer_at(json_object_get(result, "map"), "entities"), 1);
    assert_int_equal(integer_at(json_object_get(result, "light"), "luxels"), 32891);
    assert_true(json_is_true(json_object_get(json_object_get(result, "light"), "hdr")));
    const json_t *files = json_object_get(result, "files");
    assert_int_equal(json_array_size(files), 3);
    assert_string_equal(string_at(json_array_get(files, 0), "path"), "a.bsp");
    assert_int_equal(integer_at(json_array_get(files, 0), "bytes"), 283648);
    const json_t *limit = json_array_get(json_object_get(result, "limits"), 1);
    assert_string_equal(string_at(limit, "name"), "sides of a brush");
    assert_float_equal(json_real_value(json_object_get(limit, "percent")), 78.125, 1e-9);
    const json_t *stage = json_array_get(json_object_get(result, "stages"), 0);
    const json_t *phase = json_array_get(json_object_get(stage, "phases"), 0);
    assert_string_equal(string_at(phase, "name"), "second pass: tree");
    assert_float_equal(json_real_value(json_object_get(phase, "wall_seconds")), 0.25, 1e-9);
    assert_int_equal(integer_at(json_object_get(stage, "counters"), "zero_volume_leaves"), 2);
    assert_int_equal(integer_at(json_object_get(stage, "counters"), "bsp_bytes"), 3);
    json_decref(object);
    diag_free(diag);
    run_summary_free(&summary);
}

static void a_result_names_its_status(void **state)
{
    (void)state;
    static const char *const names[] = {"ok", "failed", "usage", "leak", "internal"};
    struct diag *diag = diag_new(NULL, NULL);
    const struct run_summary summary = {0};
    for (int i = 0; i < 5; i++) {
        json_t *object = json_of(&summary, diag, (enum status)i);
        const json_t *result = json_object_get(object, "result");
        assert_string_equal(string_at(result, "status"), names[i]);
        assert_int_equal(integer_at(result, "exit_status"), i);
        assert_null(json_object_get(result, "map"));
        json_decref(object);
    }
    diag_free(diag);
}

SUITE(test_run_summary)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_aligned_and_counts_agree_with_their_nouns),
        cmocka_unit_test(diagnostics_are_listed_by_code),
        cmocka_unit_test(long_rows_are_wrapped),
        cmocka_unit_test(a_result_has_all_of_it),
        cmocka_unit_test(a_result_names_its_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
