/* Parallel loops over items with a fixed index.
 *
 * Each item writes its own slot; nothing else is shared, so that the result does not depend on the
 * number of threads. Items are handed out in index order, one at a time. */
#ifndef PARALLEL_PARALLEL_H
#define PARALLEL_PARALLEL_H

#include <stddef.h>

/* `thread` is 0 .. threads-1, for scratch memory. */
typedef void parallel_item(void *context, size_t index, int thread);

/* Threads to use: `asked`, or when that is 0 one a processor (cpu_count.h). At least 1. */
int parallel_threads(int asked);

/* Calls the body, and keeps threads at hand meanwhile for the loops that this thread begins in it.
 * Other loops work as well, but start threads of their own. Within another stage, it only calls the
 * body. */
typedef void parallel_body(void *context);
void parallel_stage(int threads, parallel_body *body, void *context);

void parallel_for(int threads, size_t count, parallel_item *item, void *context);

/* The same in stretches, one a thread, at least one. Each thread begins with that of its number,
 * which is the same in all loops, and then takes what is left of the others'. So a thread finds in
 * its cache what it left there in the loop before, and two do not write side by side. */
void parallel_chunks(int threads, size_t count, parallel_item *item, void *context);

/* The thread whose stretch has the item. */
int parallel_chunk_of(int threads, size_t count, size_t item);

/* In stretches of any length: that of thread t goes from first[t] to before first[t + 1]. */
void parallel_ranges(int threads, const size_t *first, parallel_item *item, void *context);

#endif
