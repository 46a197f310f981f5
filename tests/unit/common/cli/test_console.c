#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/bar.h"
#include "common/cli/console.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/diag/codes/cordons.def"
#include "common/diag/codes/files.def"
#include "common/diag/codes/internal.def"
#include "common/diag/codes/leaks.def"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/syntax.def"
#include "common/diag/codes/worlds.def"

struct shown {
    struct console *console;
    struct text_stream out, err;
};

static struct shown *start(struct console_options options)
{
    struct shown *shown = memory_zalloc(1, sizeof *shown);
    assert_true(text_stream_open(&shown->out));
    assert_true(text_stream_open(&shown->err));
    options.out = shown->out.out;
    options.err = shown->err.out;
    shown->console = console_new("vbsp", &options);
    return shown;
}

static int finish(struct shown *shown, enum status status)
{
    int exit_status = console_finish(shown->console, status);
    text_stream_close(&shown->out);
    text_stream_close(&shown->err);
    return exit_status;
}

static void forget(struct shown *shown)
{
    free(shown->out.text);
    free(shown->err.text);
    memory_free(shown);
}

static const struct diag_where place = {
    .file = "a.vmf",
    .line = 7,
    .entity_id = 3,
    .side_id = 9,
    .has_point = true,
    .point = {0, 64.5, -128},
    .placed_by = &(const struct diag_where){.file = "outer.vmf", .line = 2, .entity_id = 1},
};

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        count++;
        text += strlen(part);
    }
    return count;
}

static void a_message_names_its_place(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){0});
    struct diag *diag = console_env(shown->console)->diag;
    (void)diag_report(diag, DIAG_TEXT_SYNTAX, &place, "bad %s", "\033[2Jbrace");
    (void)diag_report(diag, DIAG_TEXT_SYNTAX, NULL, "again");
    assert_int_equal(finish(shown, STATUS_FAILED), 1);
    const struct diag_info *info = diag_info(DIAG_TEXT_SYNTAX);
    char expected[1024];
    snprintf(expected, sizeof expected,
             "a.vmf:7: error C003: %s: bad ?[2Jbrace (entity 3, side 9, at 0 64.5 -128)\n"
             "  instanced from outer.vmf:2 (entity 1)\n"
             "  fix: %s\n"
             "vbsp: error C003: %s: again\n"
             "vbsp: summary\n"
             "      2 errors C003: %s: side 9 at 0 64.5 -128 in a.vmf; again\n",
             info->title, info->fix, info->title, info->title);
    assert_string_equal(shown->err.text, expected);
    forget(shown);
}

static void many_of_a_kind_are_counted(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){0});
    struct diag *diag = console_env(shown->console)->diag;
    for (int i = 0; i < 57; i++)
        (void)diag_report(diag, DIAG_TEXT_REPAIRED, NULL, "n %d", i / 2);
    for (int i = 0; i < 3; i++) {
        struct diag_where where = {.file = "a.vmf", .line = 9, .solid_id = 4 + i / 2};
        (void)diag_report(diag, DIAG_SOLID_SIDES, &where, "%d", i);
    }
    (void)diag_report(diag, DIAG_TEXT_SYNTAX, &(struct diag_where){.file = "b", .line = 3}, "m");
    assert_int_equal(finish(shown, STATUS_FAILED), 1);
    assert_int_equal(occurrences(shown->err.text, ": warning C004:"), 5);
    const char *summary = strstr(shown->err.text, "vbsp: summary\n");
    assert_non_null(summary);
    char expected[1024];
    snprintf(expected, sizeof expected,
             "vbsp: summary\n"
             "      1 error C003: %s: b:3\n"
             "     57 warnings C004: %s: n 0; n 1; n 2; n 3; n 4; 52 more\n"
             "      3 warnings S004: %s: solid 4; solid 5; 1 more\n",
             diag_info(DIAG_TEXT_SYNTAX)->title, diag_info(DIAG_TEXT_REPAIRED)->title,
             diag_info(DIAG_SOLID_SIDES)->title);
    assert_string_equal(summary, expected);
    forget(shown);
}

static void all_of_a_kind_are_printed_if_verbose(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){.verbose = true});
    for (int i = 0; i < 57; i++)
        (void)diag_report(console_env(shown->console)->diag, DIAG_TEXT_REPAIRED, NULL, "n %d", i);
    assert_int_equal(finish(shown, STATUS_OK), 0);
    assert_int_equal(occurrences(shown->err.text, ": warning C004:"), 57);
    forget(shown);
}

static void what_came_once_is_not_told_again(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){.quiet = true});
    struct diag *diag = console_env(shown->console)->diag;
    (void)diag_report(diag, DIAG_TEXT_REPAIRED, NULL, "w");
    (void)diag_report(diag, DIAG_CORDON_ON, NULL, "n");
    (void)diag_report(diag, DIAG_CORDON_ON, NULL, "n");
    assert_int_equal(finish(shown, STATUS_OK), 0);
    assert_null(strstr(shown->err.text, "summary"));
    forget(shown);
}

/* Whatever the program made of it. */
static void a_run_that_reported_an_error_has_failed(void **state)
{
    (void)state;
    static const struct {
        int code;
        enum status status;
        int exit_status;
    } runs[] = {
        {DIAG_TEXT_REPAIRED, STATUS_OK, STATUS_OK},
        {DIAG_TEXT_SYNTAX, STATUS_OK, STATUS_FAILED},
        {DIAG_TEXT_SYNTAX, STATUS_LEAK, STATUS_FAILED},
        {DIAG_TEXT_SYNTAX, STATUS_USAGE, STATUS_USAGE},
        {DIAG_LEAK, STATUS_OK, STATUS_LEAK},
        {DIAG_LEAK, STATUS_LEAK, STATUS_LEAK},
        {DIAG_INTERNAL, STATUS_OK, STATUS_INTERNAL},
        {DIAG_INTERNAL, STATUS_FAILED, STATUS_INTERNAL},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct shown *shown = start((struct console_options){0});
        (void)diag_report(console_env(shown->console)->diag, runs[i].code, &place, "m");
        assert_int_equal(finish(shown, runs[i].status), runs[i].exit_status);
        forget(shown);
    }
}

static void the_json_summary_is_one_object(void **state)
{
    (void)state;
    struct shown *shown =
        start((struct console_options){.json = true, .diagnostics = DIAG_AS_JSON});
    struct diag *diag = console_env(shown->console)->diag;
    for (int i = 0; i < 7; i++)
        (void)diag_report(diag, DIAG_TEXT_SYNTAX, &place, "m");
    assert_int_equal(finish(shown, STATUS_FAILED), 1);
    assert_int_equal(occurrences(shown->err.text, "\n"), 9);
    assert_int_equal(occurrences(shown->err.text, "\"code\":\"C003\",\"severity\":\"error\""), 1);
    assert_non_null(
        strstr(shown->err.text, "\"count\":7,\"places\":[{\"message\":\"m\",\"file\":"));
    forget(shown);
}

static void json_is_an_object_a_line(void **state)
{
    (void)state;
    struct shown *shown =
        start((struct console_options){.json = true, .diagnostics = DIAG_AS_JSON});
    struct diag *diag = console_env(shown->console)->diag;
    (void)diag_report(diag, DIAG_TEXT_SYNTAX, &place, "a \"quoted\" \xff caf\xc3\xa9 \xed\xa0\x80");
    assert_int_equal(finish(shown, STATUS_FAILED), 1);
    assert_int_equal(occurrences(shown->err.text, "\n"), 3);
    assert_non_null(
        strstr(shown->err.text, "{\"program\":\"vbsp\",\"severity\":\"error\",\"code\":\"C003\""));
    assert_non_null(strstr(shown->err.text, "\"message\":\"a \\\"quoted\\\" ? caf\xc3\xa9 ???\""));
    assert_non_null(strstr(shown->err.text, "\"file\":\"a.vmf\",\"line\":7,\"entity\":3,\"side\":9,"
                                            "\"point\":[0.0,64.5,-128.0],\"placed_by\":{"));
    forget(shown);
}

static void a_log_has_a_line_a_phase(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){0});
    struct progress *progress = console_env(shown->console)->progress;
    console_stage(shown->console, "vbsp", "a.vmf");
    progress_begin(progress, "portals", 1000);
    for (int i = 0; i < 1000; i++)
        progress_step(progress);
    progress_end(progress);
    progress_count(progress, "portals", 12);
    progress_count(progress, "portals", 13);
    console_stage(shown->console, "vvis", NULL);
    assert_int_equal(finish(shown, STATUS_OK), 0);
    assert_ptr_equal(strstr(shown->out.text, "vbsp a.vmf\n  portals "), shown->out.text);
    assert_int_equal(occurrences(shown->out.text, "\n  portals "), 1);
    assert_int_equal(occurrences(shown->out.text, "\r"), 0);
    assert_null(strstr(shown->out.text, "portals 13"));
    assert_non_null(strstr(shown->out.text, "\nwarnings  none\ntime      vbsp "));
    assert_non_null(strstr(shown->out.text, ", total "));
    forget(shown);
}

/* Returns the seconds that it took, which on a busy machine are more. */
static double pause_for(int milliseconds)
{
    double start = clock_seconds(CLOCK_MONOTONIC);
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
    return clock_seconds(CLOCK_MONOTONIC) - start;
}

#define SILENT_SECONDS 0.01

/* A long phase with a log that may be silent for SILENT_SECONDS; what is printed. *seconds is the
 * time of the phase. */
static struct shown *long_phase(struct console_options options, size_t total, double *seconds)
{
    options.silent_seconds = SILENT_SECONDS;
    struct shown *shown = start(options);
    struct progress *progress = console_env(shown->console)->progress;
    console_stage(shown->console, "vvis", "a.bsp");
    progress_begin(progress, "portal flow", total);
    if (total)
        progress_steps(progress, total / 4);
    *seconds = pause_for(500);
    progress_end(progress);
    (void)pause_for(30); /* no phase */
    assert_int_equal(finish(shown, STATUS_OK), 0);
    return shown;
}

static void a_log_of_a_long_phase_is_not_silent(void **state)
{
    (void)state;
    double seconds;
    struct shown *shown = long_phase((struct console_options){0}, 1000, &seconds);
    size_t lines = occurrences(shown->out.text, "  portal flow           25 % after ");
    assert_true(lines >= 1 && (double)lines <= seconds / SILENT_SECONDS + 1);
    assert_int_equal(occurrences(shown->out.text, "\n  portal flow"), lines + 1);
    forget(shown);
    shown = long_phase((struct console_options){0}, 0, &seconds);
    assert_true(occurrences(shown->out.text, "  portal flow          going on after ") >= 1);
    forget(shown);
    shown = long_phase((struct console_options){.quiet = true}, 1000, &seconds);
    assert_int_equal(shown->out.size, 0);
    forget(shown);
}

static void a_phase_with_an_error_is_not_told_as_done(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){0});
    struct env *env = console_env(shown->console);
    console_stage(shown->console, "vbsp", "a.vmf");
    progress_begin(env->progress, "read", 0);
    (void)diag_report(env->diag, DIAG_FILE_READ, &place, "no such file");
    progress_end(env->progress);
    progress_begin(env->progress, "faces", 0);
    progress_end(env->progress);
    assert_int_equal(finish(shown, STATUS_FAILED), 1);
    assert_null(strstr(shown->out.text, "  read "));
    assert_non_null(strstr(shown->out.text, "  faces "));
    forget(shown);
}

static void quiet_says_nothing_but_diagnostics(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){.quiet = true});
    console_stage(shown->console, "vbsp", "a.vmf");
    progress_begin(console_env(shown->console)->progress, "portals", 0);
    progress_end(console_env(shown->console)->progress);
    (void)diag_report(console_env(shown->console)->diag, DIAG_TEXT_REPAIRED, NULL, "x");
    assert_int_equal(finish(shown, STATUS_LEAK), 3);
    assert_int_equal(shown->out.size, 0);
    assert_int_not_equal(shown->err.size, 0);
    forget(shown);
}

static void an_internal_error_has_its_own_status(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){0});
    enum status status =
        diag_report(console_env(shown->console)->diag, DIAG_INTERNAL, NULL, "broken");
    assert_int_equal(finish(shown, status), 4);
    forget(shown);
}

static char *text_of_file(const char *path)
{
    struct bytes bytes = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &bytes), 0);
    bytes_u8(&bytes, 0);
    char *text = strdup((const char *)bytes.data);
    bytes_free(&bytes);
    return text;
}

/* One run with a phase, a count and a warning; its output is discarded. */
static void run_with_log(const char *log, bool quiet)
{
    struct shown *shown =
        start((struct console_options){.log = log, .quiet = quiet, .verbose = true});
    struct env *env = console_env(shown->console);
    console_stage(shown->console, "vbsp", "a.vmf");
    progress_begin(env->progress, "faces", 0);
    progress_end(env->progress);
    progress_count(env->progress, "nodes", 12);
    diag_report(env->diag, DIAG_NOTHING_INSIDE, &place, "nobody");
    progress_wrote(env->progress, log);
    progress_wrote(env->progress, "/dev/null");
    finish(shown, STATUS_OK);
    assert_int_equal(shown->out.size == 0, quiet);
    forget(shown);
}

static void a_log_is_appended_to(void **state)
{
    (void)state;
    char path[] = "/tmp/brushwork-log-XXXXXX";
    close(mkstemp(path));
    for (int run = 0; run < 2; run++) {
        run_with_log(path, run == 1);
        char *text = text_of_file(path);
        static const char *const parts[] = {"vbsp a.vmf\n",      "  faces ",
                                            "nodes 12\n",        "warning V002",
                                            "warnings  1 V002 ", "wrote     /tmp/brushwork-log-"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            assert_int_equal(occurrences(text, parts[i]), run + 1);
        free(text);
    }
    remove(path);
}

static void a_log_that_cannot_be_is_told(void **state)
{
    (void)state;
    struct shown *shown = start((struct console_options){.log = "/nowhere/at/all.log"});
    assert_int_equal(finish(shown, STATUS_OK), 0);
    assert_non_null(strstr(shown->err.text, "C341"));
    forget(shown);
}

/* --- bar --- */

static void a_line_fits_any_terminal(void **state)
{
    (void)state;
    static const char *const names[] = {"faces", "second pass: portals",
                                        "a phase with a long name"};
    char line[BAR_LINE + 1];
    for (int columns = 20; columns <= 400; columns++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            for (int part = 0; part <= 4; part++) {
                bar_line(line, columns - 1, names[i], part / 4.0, "  about 20 s left");
                assert_true((int)strlen(line) < columns);
                assert_ptr_equal(strstr(line, "  "), line);
                assert_memory_equal(line + 2, names[i], 5);
                assert_non_null(strstr(line, part == 4 ? "100 %" : part == 1 ? "25 %" : " %"));
                bar_line(line, columns - 1, names[i], -1, "");
                assert_true((int)strlen(line) < columns);
                assert_memory_equal(line + 2, names[i], 5);
            }
}

static void room_is_for_the_bar_then_the_estimate(void **state)
{
    (void)state;
    char line[BAR_LINE + 1];
    bar_line(line, 79, "faces", 0.5, "  about 20 s left");
    assert_string_equal(line,
                        "  faces                [############............]  50 %  about 20 s left");
    bar_line(line, 50, "faces", 0.5, "  about 20 s left");
    assert_string_equal(line, "  faces                [#########..........]  50 %");
    bar_line(line, 19, "second pass: portals", 0.5, "  about 20 s left");
    assert_string_equal(line, "  second pass  50 %");
    bar_line(line, 0, "faces", 0.5, "");
    assert_string_equal(line, "");
}

SUITE(test_console)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_of_a_long_phase_is_not_silent),
        cmocka_unit_test(a_phase_with_an_error_is_not_told_as_done),
        cmocka_unit_test(a_log_is_appended_to),
        cmocka_unit_test(a_log_that_cannot_be_is_told),
        cmocka_unit_test(a_message_names_its_place),
        cmocka_unit_test(many_of_a_kind_are_counted),
        cmocka_unit_test(all_of_a_kind_are_printed_if_verbose),
        cmocka_unit_test(what_came_once_is_not_told_again),
        cmocka_unit_test(a_run_that_reported_an_error_has_failed),
        cmocka_unit_test(the_json_summary_is_one_object),
        cmocka_unit_test(json_is_an_object_a_line),
        cmocka_unit_test(a_log_has_a_line_a_phase),
        cmocka_unit_test(quiet_says_nothing_but_diagnostics),
        cmocka_unit_test(an_internal_error_has_its_own_status),
        cmocka_unit_test(a_line_fits_any_terminal),
        cmocka_unit_test(room_is_for_the_bar_then_the_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
