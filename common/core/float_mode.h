/* The floating-point mode of a thread: rounding, what becomes of denormal numbers, traps.
 *
 * Results depend on it, and it belongs to whoever has the thread: a library that was built with
 * -ffast-math makes the processor flush denormals in each process that loads it, a program may
 * round upward or trap. So all work is done in the default mode of C, and the thread gets its own
 * one back. */
#ifndef CORE_FLOAT_MODE_H
#define CORE_FLOAT_MODE_H

#include <fenv.h>

struct float_mode {
    fenv_t environment;
    unsigned vector_unit; /* its register, where the environment of C leaves it out */
};

/* Keeps the mode of this thread in *before, and sets the default: to nearest, denormals kept, no
 * traps. New threads have the mode of the one that starts them. */
void float_mode_begin(struct float_mode *before);

/* Sets the mode of this thread, exception flags included, to what float_mode_begin found. */
void float_mode_end(const struct float_mode *before);

#endif
