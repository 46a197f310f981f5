/* KeyValues: a tree of keys with a value or a block, in order, with line numbers.
 *
 * Keys are compared without regard to case; a look-up returns the first of equals. Slightly invalid
 * text (a missing brace at the end, a key without a value) is repaired with one warning, because
 * the engine's own reader is lenient; otherwise parsing fails. Depth is limited, so that malicious
 * input cannot exhaust the stack. */
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

/* Strictness: a VMF with a missing brace has lost a part of the map, so it fails with TEXT_SYNTAX;
 * a material is repaired with TEXT_REPAIRED. */
enum kv_mode {
    KV_LENIENT,
    KV_STRICT,
    KV_STRICT_QUOTES, /* and \" is an ENTITY_QUOTE (entities.h) */
};

/* *out is a block without a key whose children are the roots. Strings are in the arena. */
NODISCARD enum status kv_parse(const char *text, size_t size, const char *name, enum kv_mode mode,
                               struct arena *arena, struct diag *diag, struct kv **out);

const struct kv *kv_find(const struct kv *block, const char *key); /* value or block */
const char *kv_value(const struct kv *block, const char *key);     /* NULL: not there */

#endif
