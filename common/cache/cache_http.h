/* A cache on a server that takes GET and PUT: its folders are those of a cache in a folder. */
#ifndef CACHE_CACHE_HTTP_H
#define CACHE_CACHE_HTTP_H

#include "common/cache/cache_backend.h"

/* All is borrowed. The module http is loaded when it is first needed. */
struct cache_backend *cache_http_new(const struct env *env, const struct cache_options *options);

#endif
