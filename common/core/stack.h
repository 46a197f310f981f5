/* The stack of a program. A shell or a batch system may give a process a small one (`ulimit -s`),
 * whose end is a crash. */
#ifndef CORE_STACK_H
#define CORE_STACK_H

#include <stddef.h>

/* Bytes that each thread has: what most systems give, and more than the deepest map needs. */
#define STACK_SIZE ((size_t)8 << 20)

/* Calls call(context) with a stack of at least STACK_SIZE, also in the threads that are started
 * from here on, and returns what it does. A part of main: one call in a process. It is made in this
 * thread, so that a sandbox confines all of the process; where there is no memory for a stack, on
 * that of the caller. */
int stack_call(int (*call)(void *context), void *context);

#endif
