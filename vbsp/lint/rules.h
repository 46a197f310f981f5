/* Internal: what games and editors of a family of engines know, as far as checks ask: a row per
 * family in rules.c. */
#ifndef VBSP_LINT_RULES_H
#define VBSP_LINT_RULES_H

#include "vbsp/lint/lint.h"

struct lint_ctx;

/* How many numbers a key may have: a bit each. */
struct lint_number {
    const char *key;
    unsigned counts;
    const char *expected;
};

struct lint_rules {
    const char *const *references; /* keys whose value names an entity; ends with NULL */
    const struct lint_number *numbers;
    size_t number_count;
    bool has_ids;        /* the editor gives ids; otherwise solids are counted */
    bool has_inputs;     /* entities have inputs and outputs, parents, filters and soundscripts */
    bool has_fgd;        /* the game has an FGD, without which classes are not checked */
    bool checks_solids;  /* whether an entity has the solids that it needs: the compiler does not */
    bool closes_portals; /* an areaportal that no door touches is closed for good */
    bool (*has_game)(const struct assets *assets);
    /* True for a file of the key's value that is not there; *is_sound: a sound, or a sprite. */
    bool (*is_missing)(const struct lint_ctx *lint, const struct key_value *pair,
                       struct arena *arena, bool *is_sound);
};

/* Of a level, by what it was written for: it is not adapted to its target yet. */
const struct lint_rules *lint_rules_of_level(const struct level *level);
/* Of the engine that it is compiled for. */
const struct lint_rules *lint_rules_of_engine(const struct engine *engine);

#endif
