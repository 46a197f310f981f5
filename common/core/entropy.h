/* Random numbers of the system, which nobody can foresee. */
#ifndef CORE_ENTROPY_H
#define CORE_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false, with *out undefined, when the system has none. At most 256 bytes. */
bool entropy_draw(void *out, size_t size);

#endif
