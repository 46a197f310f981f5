/* Work in small steps that is done beside the rest: by threads that would wait otherwise, between
 * parallel loops and at their ends. What a copy from file to file takes fits in there. */
#ifndef PARALLEL_ASIDE_H
#define PARALLEL_ASIDE_H

#include <stdbool.h>

struct aside;

/* One step, of some tens of microseconds. Returns whether there are more. No two steps are done at
 * a time, but each may be done in another thread. */
typedef bool aside_step(void *context);

/* With one thread, or while other work is aside, all is done when this returns. *context has to
 * live until aside_end. */
struct aside *aside_begin(int threads, aside_step *step, void *context);

/* Does what is left of it, or leaves that undone. NULL is fine. */
void aside_end(struct aside *aside);
void aside_drop(struct aside *aside);

/* For who waits: does a step. False when there is none to do. */
bool aside_help(void);

#endif
