/* Work in small steps that is done beside the rest: by threads that would wait otherwise, between
 * parallel loops and at their ends. What a copy from file to file takes fits in there. */
#ifndef PARALLEL_BACKGROUND_H
#define PARALLEL_BACKGROUND_H

#include <stdbool.h>

struct background_task;

/* One step, of some tens of microseconds. Returns whether there are more. No two steps are done at
 * a time, but each may be done in another thread. */
typedef bool background_step(void *context);

/* With one thread, or while another task is in the background, all is done when this returns.
 * *context has to live until background_finish. */
struct background_task *background_begin(int threads, background_step *step, void *context);

/* Does what is left of it, or leaves that undone. NULL is fine. */
void background_finish(struct background_task *task);
void background_cancel(struct background_task *task);

/* For who waits: does a step. False when there is none to do. */
bool background_run_step(void);

#endif
