/* Every option of a stage is in the keys of its checkpoints and cached results: another value gives
 * another fingerprint. Only options of a run, which no stage has, are left out. */
#ifndef TESTS_OPTIONS_IN_KEY_H
#define TESTS_OPTIONS_IN_KEY_H

#include <string.h>

#include "common/cli/options.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/sha256.h"
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

static inline void hash_values(const struct option_group *group, const void *values,
                               unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    option_group_hash(group, values, &hash);
    sha256_end(&hash, out);
}

/* `size`: of the values. Returns how many options have one. */
static inline int expect_options_in_key(const struct option_group *group, size_t size)
{
    unsigned char zero[SHA256_SIZE], other[SHA256_SIZE];
    int count = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct option_def *def = &group->defs[i];
        if (option_value(def) == VALUE_NONE)
            continue;
        char *values = memory_zalloc(size, 1), *field = values + group->base + def->offset;
        hash_values(group, values, zero);
        set_other_value(def, field);
        hash_values(group, values, other);
        if (memcmp(zero, other, sizeof zero) == 0)
            fail_msg("-%s is not in the key", def->name);
        if (option_value(def) == VALUE_LIST)
            arrfree(*(const char ***)(void *)field);
        memory_free(values);
        count++;
    }
    return count;
}

#endif
