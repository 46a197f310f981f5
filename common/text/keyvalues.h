/* KeyValues: a tree of keys with a value or a block, in order, with line numbers.
 *
 * Keys compare without case; a look-up takes the first of equals. Text that is a little broken (a
 * missing brace at the end, a key without a value) is repaired with one warning, as the engine's
 * own reader is lenient; a file with no sense in it fails. Depth is limited, so hostile input
 * cannot exhaust the stack. */
#ifndef TEXT_KEYVALUES_H
#define TEXT_KEYVALUES_H

#include "common/core/arena.h"
#include "common/diag/diag.h"

struct kv {
    const char *key;
    const char *value;   /* NULL for a block */
    struct kv *children; /* first of the block */
    struct kv *next;
    int line;
};

/* Whether the text must be whole: a VMF with a missing brace has lost part of the map, so it fails
 * with TEXT_SYNTAX; a material is repaired with TEXT_REPAIRED. */
enum kv_mode { KV_LENIENT, KV_STRICT };

/* *out is a block without a key whose children are the roots. Strings are in the arena. */
NODISCARD enum status kv_parse(const char *text, size_t size, const char *name, enum kv_mode mode,
                               struct arena *arena, struct diag *diag, struct kv **out);

const struct kv *kv_find(const struct kv *block, const char *key); /* value or block */
const char *kv_value(const struct kv *block, const char *key);     /* NULL: not there */

#endif
