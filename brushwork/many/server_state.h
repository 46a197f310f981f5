/* Memory of several processes for what they know of the server of their cache. */
#ifndef MANY_SERVER_STATE_H
#define MANY_SERVER_STATE_H

#include "common/cache/cache_shared.h"

/* Makes memory for it and a descriptor by which other processes can have it (child_start), or
 * returns NULL: then each finds out by itself. */
struct cache_shared *server_state_new(int *descriptor);

/* Maps that of another process, or returns NULL. */
struct cache_shared *server_state_map(int descriptor);

/* Of the process that made it. NULL and -1 are fine. */
void server_state_free(struct cache_shared *shared, int descriptor);

#endif
