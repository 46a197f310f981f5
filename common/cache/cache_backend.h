/* Where a cache keeps its entries: a folder or a server. */
#ifndef CACHE_CACHE_BACKEND_H
#define CACHE_CACHE_BACKEND_H

#include "common/cache/cache_entry.h"

enum { CACHE_REASON = 256 };

enum cache_outcome {
    CACHE_DONE,
    CACHE_ABSENT,  /* there is no entry of the key */
    CACHE_DAMAGED, /* what is there is not one */
    CACHE_FAILED,  /* the place cannot be used */
    CACHE_DENIED,  /* by this user */
};

struct cache_answer {
    enum cache_outcome outcome;
    char reason[CACHE_REASON]; /* of CACHE_DAMAGED, _FAILED and _DENIED: what was found, where */
};

struct cache_backend;

struct cache_backend_ops {
    /* Sets an empty *out to an entry whose header is one of the key (cache_entry_open), and which
     * has as much as that says; nothing else of it is checked. */
    struct cache_answer (*get)(struct cache_backend *backend, const struct cache_key *key,
                               struct cache_entry *out);
    struct cache_answer (*put)(struct cache_backend *backend, const struct cache_key *key,
                               const struct cache_entry *entry);
    /* Removes an entry that is none. NULL: it cannot. */
    void (*drop)(struct cache_backend *backend, const struct cache_key *key);
    void (*close)(struct cache_backend *backend);
};

struct cache_backend {
    const struct cache_backend_ops *ops;
};

/* Makes an answer with a reason. */
__attribute__((format(printf, 2, 3))) struct cache_answer cache_answer(enum cache_outcome outcome,
                                                                       const char *format, ...);

#endif
