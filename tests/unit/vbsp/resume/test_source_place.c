#include "tests/support/suite.h"

#include <string.h>

#include "common/diag/codes/bsp_targets.def"
#include "common/resume/fs_trace.h"
#include "vbsp/resume/source_place.h"

static void ignore(void *context, const char *name, bool is_directory)
{
    (void)context;
    (void)name;
    (void)is_directory;
}

/* A compile of the source that has asked for the files and listed the folder (or NULL), with a path
 * that an option gives (or NULL). */
struct compiled {
    const char *source, *given;
    const char *files[2], *folder, *message;
    bool is_bound;
};

static bool binds(const struct compiled *compiled)
{
    struct fs *files = fs_memory_new(), *asked = fs_trace_new(files);
    struct diag *messages = diag_new(NULL, NULL);
    struct source_place place = {0};
    const char *const given[SOURCE_PLACE_GIVEN] = {compiled->given};
    (void)asked->ops->kind(asked, compiled->source);
    for (int i = 0; i < 2 && compiled->files[i]; i++)
        (void)asked->ops->kind(asked, compiled->files[i]);
    if (compiled->folder)
        (void)asked->ops->list(asked, compiled->folder, ignore, NULL);
    if (compiled->message)
        (void)diag_report(messages, DIAG_BSP_TARGET, NULL, "%s", compiled->message);
    source_place_begin(&place, compiled->source, given, asked);
    source_place_judge(&place, messages);
    bool is_bound = place.is_bound;
    source_place_free(&place);
    diag_free(messages);
    fs_trace_free(asked);
    fs_memory_free(files);
    return is_bound;
}

static void results_are_bound_by_paths_of_two_meanings(void **state)
{
    (void)state;
    static const struct compiled all[] = {
        {"/x/maps/a.vmf", NULL, {0}, NULL, NULL, false},
        {"/x/maps/a.vmf", "/g/game", {"/x/maps/b.vmf"}, "/x/maps", "brush is flat", false},
        {"/x/maps/a.vmf", "/g/game", {"/x/b.vmf", "/g/game/c.vmf"}, "/x", NULL, false},
        {"a.vmf", NULL, {"b.vmf"}, ".", NULL, false},
        {"maps/a.vmf", NULL, {"../b.vmf"}, NULL, NULL, false},
        /* from the root, or of the game */
        {"/x/maps/a.vmf", NULL, {"/y/b.vmf"}, NULL, NULL, true},
        {"/x/maps/a.vmf", NULL, {"/x"}, NULL, NULL, true},
        {"/x/maps/a.vmf", "/x/game", {"/x/b.vmf"}, NULL, NULL, true},
        {"/x/maps/a.vmf", "/x/game", {"/x/maps/b.vmf"}, NULL, NULL, false},
        {"/x/maps/a.vmf", "/x", {0}, NULL, NULL, true},
        {"a.vmf", "game", {0}, NULL, NULL, true},
        /* not as a search names them */
        {"./a.vmf", NULL, {0}, NULL, NULL, true},
        {"/x//a.vmf", NULL, {0}, NULL, NULL, true},
        /* messages */
        {"/x/maps/a.vmf", NULL, {0}, NULL, "not found in /x", true},
        {"a.vmf", NULL, {0}, NULL, "not found in ., /g", true},
        {"a.vmf", NULL, {0}, NULL, "not found. Nothing is", false},
        {"one/a.vmf", NULL, {0}, NULL, "none of two", false},
        {"one/a.vmf", NULL, {0}, NULL, "\"one/b.vmf\" is missing", true},
        {"one/a.vmf", NULL, {0}, NULL, "searched in two, one", true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (binds(&all[i]) != all[i].is_bound)
            fail_msg("case %zu: %s", i, all[i].is_bound ? "not bound" : "bound");
}

/* A file, and the one that has its place beside another source. */
static void files_are_found_beside_another_source(void **state)
{
    (void)state;
    static const char *const all[][4] = {
        {"/x/maps/a.vmf", "/x/maps/sub/b.vmf", "maps/a.vmf", "maps/sub/b.vmf"},
        {"/x/maps/a.vmf", "/x/maps", "a.vmf", "."},
        {"/x/maps/a.vmf", "/x/b.vmf", "maps/a.vmf", "b.vmf"},
        {"/x/maps/a.vmf", "/x/b.vmf", "a.vmf", "../b.vmf"},
        {"a.vmf", "b.vmf", "/x/y/a.vmf", "/x/y/b.vmf"},
        {"a.vmf", "../b.vmf", "/x/y/a.vmf", "/x/b.vmf"},
        {"a.vmf", "../b.vmf", "/x/a.vmf", "/b.vmf"},
        {"/x/a.vmf", "/g/c.vmf", "/y/a.vmf", "/g/c.vmf"},
    };
    const char *const given[SOURCE_PLACE_GIVEN] = {"/g"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct source_place one = {0}, other = {0};
        source_place_begin(&one, all[i][0], given, NULL);
        source_place_begin(&other, all[i][2], given, NULL);
        const char *kept = source_place_shorten(&one, all[i][1]);
        assert_string_equal(source_place_lengthen(&one, kept), all[i][1]);
        assert_string_equal(source_place_lengthen(&other, kept), all[i][3]);
        source_place_free(&one);
        source_place_free(&other);
    }
}

SUITE(test_source_place)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_bound_by_paths_of_two_meanings),
        cmocka_unit_test(files_are_found_beside_another_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
