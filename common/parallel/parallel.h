/* Parallel loops over items with a fixed index.
 *
 * Each item writes its own slot; nothing else is shared, so that the result does not depend on the
 * number of threads. Items are handed out in index order, one at a time. */
#ifndef PARALLEL_PARALLEL_H
#define PARALLEL_PARALLEL_H

#include <signal.h>
#include <stddef.h>

/* `thread` is 0 .. threads-1, for scratch memory. */
typedef void parallel_item(void *context, size_t index, int thread);

/* Returns the number of threads to use: `asked`, or one per CPU (cpu_count.h) when that is 0. At
 * least 1. */
int parallel_threads(int asked);

/* Starts what OpenMP needs from the system, without threads, so that it needs nothing more of the
 * file system when the first loop runs. */
void parallel_prepare(void);

/* Calls the body, and keeps a thread pool for the loops that this thread runs in it. Loops of other
 * threads work as well, but start their own threads. Within another stage it only calls the
 * body. */
typedef void parallel_body(void *context);
void parallel_stage(int threads, parallel_body *body, void *context);

void parallel_for(int threads, size_t count, parallel_item *item, void *context);

/* Like parallel_for; when *stop becomes nonzero, items that have not begun are left out. Then the
 * caller must not use the result: it asks env_go_on first. `stop` may be NULL. */
void parallel_for_until(const volatile sig_atomic_t *stop, int threads, size_t count,
                        parallel_item *item, void *context);

/* Like parallel_for, in static chunks, one per thread, with stealing: each thread starts with the
 * chunk of its number, which is the same in all loops, and then takes items that are left of the
 * others'. So a thread finds in its cache what it wrote in the previous loop, and two threads do
 * not write to neighbouring memory. */
void parallel_chunks(int threads, size_t count, parallel_item *item, void *context);

/* Returns the thread whose chunk has the item. */
int parallel_chunk_of(int threads, size_t count, size_t item);

/* Like parallel_chunks, with chunks of any length: thread t starts with first[t] up to, not
 * including, first[t + 1]. */
void parallel_ranges(int threads, const size_t *first, parallel_item *item, void *context);

#endif
