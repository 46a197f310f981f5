/* A rule in the syntax of Make, which Ninja reads, too: what compilers write for -MD. */
#ifndef TEXT_MAKE_RULE_H
#define TEXT_MAKE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"

/* Paths; at least one of each. */
struct make_rule {
    const char *const *targets;
    size_t target_count;
    const char *const *inputs;
    size_t input_count;
};

/* Appends "TARGETS: INPUTS", and an empty rule for each input, by which a removed one counts as
 * changed instead of ending Make. Names with % or = get none, since a rule for them has another
 * meaning. Returns NULL; or, with *out unchanged, a path that GNU Make cannot read in any form. */
const char *make_rule_format(const struct make_rule *rule, struct bytes *out);

/* Returns the inputs of the first rule of a text that make_rule_format has made: an stb_ds array;
 * the paths are in the arena. */
const char **make_rule_inputs(struct arena *arena, const char *text);

#endif
