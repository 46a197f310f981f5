/* The key of visibility, which follows from the table of options. */
#include "tests/support/suite.h"

#include <string.h>

#include "tests/support/options_in_key.h"
#include "vvis/resume/cache_key.h"
#include "vvis/vvis.h"

static void key_of(const struct vvis_options *options, unsigned char out[SHA256_SIZE])
{
    const struct prt prt = {.cluster_count = 2};
    cache_key(&(struct cache_key_source){.prt = &prt, .options = options, .radius = 100}, out);
}

/* Sets another value than the default. Returns false for an option that has none. */
static bool change(const struct option_def *def, char *field)
{
    switch (option_value(def)) {
    case VALUE_BOOL:
        *(bool *)(void *)field = !*(bool *)(void *)field;
        return true;
    case VALUE_INTS:
    case VALUE_CHOICE:
        (*(int *)(void *)field)++;
        return true;
    case VALUE_NUMBERS:
        *(double *)(void *)field += 1;
        return true;
    case VALUE_TEXT:
        *(const char **)(void *)field = "another";
        return true;
    case VALUE_LIST:
    case VALUE_NONE:
        break;
    }
    return false;
}

/* Nobody adds an option to the key by hand, nor forgets it. */
static void every_option_is_in_the_key(void **state)
{
    const struct option_group group = vvis_option_group(0);
    unsigned char of_defaults[SHA256_SIZE], key[SHA256_SIZE];
    struct arena arena = {0};
    int changed = 0;
    (void)state;
    key_of(&vvis_defaults, of_defaults);
    for (size_t i = 0; i < group.count; i++) {
        struct vvis_options options = vvis_defaults;
        option_group_own_parts(&group, &options, &arena);
        if (!change(&group.defs[i], option_field(&group.defs[i], &options)))
            continue;
        key_of(&options, key);
        assert_true(group.defs[i].of_run == (memcmp(key, of_defaults, sizeof key) == 0));
        changed++;
    }
    assert_true(changed >= 6);
    arena_free(&arena);
}

/* The options of vvis in the keys of what it keeps. */

static void each_option_is_in_the_key(void **state)
{
    (void)state;
    assert_true(expect_options_in_key(&vvis_stage, sizeof(struct vvis_options)) > 5);
}

SUITE(test_vis_key)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_in_the_key),
        cmocka_unit_test(each_option_is_in_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
