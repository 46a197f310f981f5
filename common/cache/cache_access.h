/* Headers and signatures by which requests to a server name their user, from struct cache_access.
 */
#ifndef CACHE_CACHE_ACCESS_H
#define CACHE_CACHE_ACCESS_H

#include "common/cache/cache.h"
#include "common/cache/http_module.h"
#include "common/core/arena.h"

struct cache_headers {
    struct arena texts;
    const char **lines; /* stb_ds array */
    const char *region, *user;
    const char *fault; /* why it cannot be used, without any of it; or NULL */
};

/* `access` is borrowed. Free with cache_headers_free. */
void cache_headers_make(struct cache_headers *headers, const struct cache_access *access);
void cache_headers_free(struct cache_headers *headers);

/* Sets these of a request whose body is set. What only it has is in the arena. */
void cache_headers_set(const struct cache_headers *headers, struct arena *arena,
                       struct http_request *request);

#endif
