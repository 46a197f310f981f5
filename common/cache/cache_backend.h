/* Where a cache keeps its entries: a folder or a server. */
#ifndef CACHE_CACHE_BACKEND_H
#define CACHE_CACHE_BACKEND_H

#include "common/cache/cache.h"

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
    /* Appends the value; leaves *out unchanged otherwise. */
    struct cache_answer (*get)(struct cache_backend *backend, const struct cache_key *key,
                               struct bytes *out);
    struct cache_answer (*put)(struct cache_backend *backend, const struct cache_key *key,
                               const struct bytes *value);
    void (*close)(struct cache_backend *backend);
};

struct cache_backend {
    const struct cache_backend_ops *ops;
};

/* Makes an answer with a reason. */
__attribute__((format(printf, 2, 3))) struct cache_answer cache_answer(enum cache_outcome outcome,
                                                                       const char *format, ...);

#endif
