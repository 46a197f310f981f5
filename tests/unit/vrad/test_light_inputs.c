/* Options as other ranks get them, by their table. */
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/cli/options.h"
#include "tests/support/options_in_key.h"
#include "vrad/target/quake3/pages/tone_options.h"
#include "vrad/vrad.h"

/* A value that a command line can set, other than that of `field` where there is one. */
static void change(const struct option_def *def, char *field)
{
    int count = def->arity > 1 ? def->arity : 1;
    for (int i = 0; i < count; i++) {
        double number = def->max > def->min ? (def->min + def->max) / 2 : 3 + i;
        if (def->kind == OPTION_INT)
            ((int *)(void *)field)[i] = (int)number;
        if (def->kind == OPTION_NUMBER || def->kind == OPTION_NUMBER_OR_NONE)
            ((double *)(void *)field)[i] = number;
    }
    if (def->kind == OPTION_FLAG)
        *(bool *)(void *)field = true;
    if (def->kind == OPTION_CLEAR)
        *(bool *)(void *)field = false;
    if (def->kind == OPTION_CHOICE)
        *(int *)(void *)field = 0;
    if (def->kind == OPTION_TEXT)
        *(const char **)(void *)field = "a text";
}

static bool comes_back(const struct vrad_options *options, struct vrad_options *out,
                       struct arena *texts)
{
    const struct option_group group = vrad_option_group(0);
    struct bytes bytes = {0}, again = {0};
    option_group_append(&group, options, &bytes);
    struct byte_reader from = byte_reader(bytes.data, bytes.size);
    *out = vrad_defaults;
    bool fits = option_group_read(&group, &from, out, texts) && from.at == from.size;
    option_group_append(&group, out, &again);
    fits = fits && bytes_equal(&bytes, &again);
    bytes_free(&bytes);
    bytes_free(&again);
    return fits;
}

static void every_option_comes_back(void **state)
{
    const struct option_group group = vrad_option_group(0);
    struct arena arena = {0};
    struct vrad_options read, all = vrad_defaults;
    (void)state;
    option_group_own_parts(&group, &all, &arena);
    for (size_t i = 0; i < group.count; i++) {
        struct vrad_options options = vrad_defaults;
        option_group_own_parts(&group, &options, &arena);
        change(&group.defs[i], option_field(&group.defs[i], &options));
        change(&group.defs[i], option_field(&group.defs[i], &all));
        assert_true(comes_back(&options, &read, &arena));
    }
    assert_true(comes_back(&all, &read, &arena));
    assert_true(read.fast && read.bounce == 500);
    assert_string_equal(read.lights_file, "a text");
    arena_free(&arena);
}

static void values_of_no_command_line_are_refused(void **state)
{
    struct vrad_options options = vrad_defaults, read;
    struct arena arena = {0};
    (void)state;
    options.bounce = -1;
    assert_false(comes_back(&options, &read, &arena));
    options.bounce = 1 << 30;
    assert_false(comes_back(&options, &read, &arena));
    options = vrad_defaults;
    struct tone_options tone = tone_defaults;
    options.quake3.tone = &tone;
    tone.gamma = (double)NAN;
    assert_false(comes_back(&options, &read, &arena));
    tone.gamma = (double)INFINITY;
    assert_false(comes_back(&options, &read, &arena));
    arena_free(&arena);
}

static void cut_options_are_refused(void **state)
{
    const struct option_group group = vrad_option_group(0);
    struct vrad_options read;
    struct arena arena = {0};
    struct bytes bytes = {0};
    (void)state;
    option_group_append(&group, &vrad_defaults, &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        struct byte_reader from = byte_reader(bytes.data, size);
        read = vrad_defaults;
        assert_false(option_group_read(&group, &from, &read, &arena));
        assert_true(from.failed);
    }
    bytes_free(&bytes);
    arena_free(&arena);
}

/* The options of vrad in the keys of what it keeps. */

static void each_option_is_in_the_key(void **state)
{
    (void)state;
    assert_true(expect_options_in_key(&vrad_stage, sizeof(struct vrad_options)) > 5);
}

SUITE(test_light_inputs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_comes_back),
        cmocka_unit_test(values_of_no_command_line_are_refused),
        cmocka_unit_test(cut_options_are_refused),
        cmocka_unit_test(each_option_is_in_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
