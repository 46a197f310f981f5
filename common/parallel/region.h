/* Parallel regions: threads that run one function together. */
#ifndef PARALLEL_REGION_H
#define PARALLEL_REGION_H

/* `number` is 0 .. count-1; 0 is the thread that started the region. `count` is how many there are,
 * which may be fewer than were asked for. */
typedef void region_body(void *context, int number, int count);

/* Before the first region, so that it needs nothing more of the file system. */
void region_prepare(void);

/* Runs body(context, ...) in this thread and threads - 1 others, with the stacks of core/stack.h,
 * and returns when all have ended. A region may be started within another. Threads that have ended
 * do not spin. */
void region_run(int threads, region_body *body, void *context);

#endif
