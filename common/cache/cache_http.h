/* A cache on a server that takes GET and PUT. Its folders are those of a cache in a folder; of an
 * address that ends in /ac, the names of entries are hashes, as those of the action cache of Bazel
 * (bazel-remote serves one). */
#ifndef CACHE_CACHE_HTTP_H
#define CACHE_CACHE_HTTP_H

#include "common/cache/cache_backend.h"

/* All is borrowed. The module http is loaded when it is first needed. A server that `state` counts
 * as lost meanwhile is not waited for. */
struct cache_backend *cache_http_new(const struct env *env, const struct cache_options *options,
                                     const char *place, struct cache_shared *state);

#endif
