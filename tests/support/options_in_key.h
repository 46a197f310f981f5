/* Every option in the table of a stage is in the key of its results: another value gives another
 * key. Only options of a run and names of outputs are left out. */
#ifndef TESTS_OPTIONS_IN_KEY_H
#define TESTS_OPTIONS_IN_KEY_H

#include <string.h>

#include "common/cache/cache_entry.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/stage/stage.h"
#include "tests/support/suite.h"

/* Sets another value than 0, in the last place of those that have several. */
static inline void set_other_value(const struct option_def *def, char *field)
{
    static const char *const text = "other";
    const int last = def->arity > 1 ? def->arity - 1 : 0;
    switch (option_value(def)) {
    case VALUE_BOOL:
        *(bool *)(void *)field = true;
        break;
    case VALUE_INTS:
        ((int *)(void *)field)[last] = 1;
        break;
    case VALUE_NUMBERS:
        ((double *)(void *)field)[last] = 0.5;
        break;
    case VALUE_CHOICE:
        *(int *)(void *)field = 1;
        break;
    case VALUE_TEXT:
        *(const char **)(void *)field = text;
        break;
    case VALUE_LIST:
        arrput(*(const char ***)(void *)field, text);
        break;
    case VALUE_NONE:
        break;
    }
}

/* The key of a run of a program that has the stage alone. */
static inline void key_of_values(const struct stage *stage, void *values,
                                 unsigned char out[SHA256_SIZE])
{
    const struct option_group group = stage->options(0);
    const struct option_table table = {.program = "test", .groups = &group, .group_count = 1};
    const struct program program = {.table = &table, .values = values};
    stage_options_key(stage, &program, out);
}

/* Values that are all 0, with parts of their own. */
static inline char *values_of_zero(const struct option_group *group, size_t size,
                                   struct arena *parts)
{
    char *values = memory_zalloc(size, 1);
    for (size_t i = 0; i < group->count; i++) {
        const struct option_part *part = group->defs[i].part;
        const void *zeros = part ? arena_alloc(parts, 1, part->size) : NULL;
        if (part)
            memcpy(values + part->at, &zeros, sizeof zeros);
    }
    option_group_own_parts(group, values, parts);
    return values;
}

/* `size`: of the values. Returns how many options are in the key. */
static inline int expect_options_in_key(const struct stage *stage, size_t size)
{
    const struct option_group group = stage->options(0);
    unsigned char zero[SHA256_SIZE], other[SHA256_SIZE];
    int count = 0;
    assert_true(cache_kind_is_known(stage->name)); /* else its results are not listed or removed */
    for (size_t i = 0; i < group.count; i++) {
        const struct option_def *def = &group.defs[i];
        if (option_value(def) == VALUE_NONE)
            continue;
        struct arena parts = {0};
        char *values = values_of_zero(&group, size, &parts), *field = option_field(def, values);
        key_of_values(stage, values, zero);
        set_other_value(def, field);
        key_of_values(stage, values, other);
        bool is_in_key = memcmp(zero, other, sizeof zero) != 0;
        if (is_in_key == (def->of_run || def->path == OPTION_WRITES))
            fail_msg("-%s is %sin the key", def->name, is_in_key ? "" : "not ");
        if (option_value(def) == VALUE_LIST)
            arrfree(*(const char ***)(void *)field);
        memory_free(values);
        arena_free(&parts);
        count += is_in_key;
    }
    return count;
}

#endif
