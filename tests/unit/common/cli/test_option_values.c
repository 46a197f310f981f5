#include "tests/support/suite.h"

#include <string.h>

#include "common/cli/option_values.h"
#include "common/core/array.h"
#include "common/diag/diag.h"

struct values {
    bool fast, light;
    int bounce, box[2];
    double scale, level;
    const char *name, *out;
    const char **pairs;
    int preset;
};

static const char *const presets[] = {"fast", "normal", NULL};

#define FIELD(member) offsetof(struct values, member)

static const struct option_def defs[] = {
    {.name = "fast", .kind = OPTION_FLAG, .offset = FIELD(fast)},
    {.name = "slow", .kind = OPTION_CLEAR, .offset = FIELD(fast)},
    {.name = "both", .kind = OPTION_FLAG, .offset = FIELD(fast)},
    {.name = "both", .kind = OPTION_FLAG, .offset = FIELD(light)},
    {.name = "bounce", .alias = "b", .kind = OPTION_INT, .offset = FIELD(bounce)},
    {.name = "box", .kind = OPTION_INT, .arity = 2, .offset = FIELD(box)},
    {.name = "scale", .kind = OPTION_NUMBER, .offset = FIELD(scale)},
    {.name = "level", .kind = OPTION_NUMBER_OR_NONE, .offset = FIELD(level)},
    {.name = "name", .kind = OPTION_TEXT, .offset = FIELD(name)},
    {.name = "out", .kind = OPTION_TEXT, .path = OPTION_WRITES, .offset = FIELD(out)},
    {.name = "pair", .kind = OPTION_LIST, .arity = 2, .offset = FIELD(pairs)},
    {.name = "preset", .kind = OPTION_CHOICE, .choices = presets, .offset = FIELD(preset)},
    {.name = "old", .kind = OPTION_IGNORED, .help = "nothing to do"},
    {.name = "job", .kind = OPTION_FLAG, .of_caller = true, .offset = FIELD(light)},
};

static const struct option_def own[] = {
    {.name = "mine", .kind = OPTION_FLAG, .offset = FIELD(light)},
};

/* Words of the group for a command line, joined by blanks. */
static void check_words(const char *const *given, int count, const char *wanted)
{
    const struct option_group group = {
        .title = "group", .defs = defs, .count = sizeof defs / sizeof *defs};
    const struct option_table table = {
        .program = "test", .defs = own, .count = 1, .groups = &group, .group_count = 1};
    struct values values = {0};
    struct option_result result;
    struct arena arena = {0};
    const char **words = NULL;
    char *argv[16] = {arena_strdup(&arena, "test")};
    struct diag *diag = diag_new(NULL, NULL);
    for (int i = 0; i < count; i++)
        argv[i + 1] = arena_strdup(&arena, given[i]);
    assert_int_equal(options_parse(&table, &values, count + 1, argv, &result, diag), STATUS_OK);
    option_words(&table, 0, &values, &result, &arena, &words);
    const char *text = "";
    for (size_t i = 0; i < arrlenu(words); i++)
        text = arena_printf(&arena, "%s%s%s", text, i ? " " : "", words[i]);
    assert_string_equal(text, wanted);
    arrfree(words);
    arrfree(values.pairs);
    options_free(&result);
    diag_free(diag);
    arena_free(&arena);
}

#define CHECK(wanted, ...)                                                                         \
    check_words((const char *const[]){__VA_ARGS__},                                                \
                (int)(sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *)), wanted)

static void values_are_given_again(void **state)
{
    (void)state;
    CHECK("--bounce 7", "-b", "7");
    CHECK("--box 1 -2", "-box", "1", "-2");
    CHECK("--scale 0.10000000000000001", "-scale", "0.1");
    CHECK("--level 3", "-level", "3", "map");
    CHECK("--slow --level", "-level", "-fast", "-slow");
    CHECK("--name a b", "-name", "a b");
    CHECK("--pair a b --pair c d", "-pair", "a", "b", "-pair", "c", "d");
    CHECK("--preset normal", "-preset", "NORMAL");
    CHECK("--both", "-both");
}

static void others_are_left_out(void **state)
{
    (void)state;
    CHECK("", "-mine");
    CHECK("", "-out", "x", "-job", "-old");
    CHECK("--slow", "-fast", "-slow");
    CHECK("--fast", "-slow", "-fast");
}

SUITE(test_option_values)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_given_again),
        cmocka_unit_test(others_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
