/* Something that is done beside what follows: a wait for a disk, a copy from file to file. */
#ifndef CORE_ASIDE_H
#define CORE_ASIDE_H

struct aside;

typedef void aside_work(void *context);

/* Begins it in a thread of its own; with one thread, or where there are no more, it is done when
 * this returns. *context has to live until aside_end. */
struct aside *aside_begin(int threads, aside_work *work, void *context);

/* Waits for it. NULL is fine. */
void aside_end(struct aside *aside);

#endif
