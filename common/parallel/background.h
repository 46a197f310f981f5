/* Background tasks: work in small steps that is done by threads that would otherwise wait, between
 * parallel loops and at their ends; for example a copy from file to file. */
#ifndef PARALLEL_BACKGROUND_H
#define PARALLEL_BACKGROUND_H

#include <stdbool.h>

struct background_task;

/* Does one step of some tens of microseconds; returns true when there are more. Steps never run
 * concurrently, but may run on different threads. */
typedef bool background_step(void *context);

/* Starts a task. With one thread, or while another task is in the background, it is completed when
 * this returns. *context must live until background_finish or background_cancel. */
struct background_task *background_begin(int threads, background_step *step, void *context);

/* Does the remaining steps, or drops them, and frees the task. NULL is fine. */
void background_finish(struct background_task *task);
void background_cancel(struct background_task *task);

/* Does a step; called by threads that wait. Returns false when there is no task. */
bool background_run_step(void);

#endif
