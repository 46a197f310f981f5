/* Memory of several processes for what they know of the server of their cache. */
#ifndef MANY_SERVER_STATE_H
#define MANY_SERVER_STATE_H

#include "common/cache/cache_shared.h"

/* Makes memory for it and a descriptor by which other processes can have it, or returns NULL: then
 * each finds out by itself. The descriptor is closed by exec. */
struct cache_shared *server_state_new(int *descriptor);

/* Maps that of another process, or returns NULL. */
struct cache_shared *server_state_map(int descriptor);

void server_state_free(struct cache_shared *shared); /* NULL is fine */

#endif
