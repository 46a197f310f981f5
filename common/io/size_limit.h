/* The most bytes that are read of a file, by its kind: sources and content come from strangers, and
 * no file that a game loads is near these sizes. */
#ifndef IO_SIZE_LIMIT_H
#define IO_SIZE_LIMIT_H

#include <stdint.h>

/* Of a file, or of a member of an archive, of that name. */
uint64_t size_limit_of(const char *name);

#endif
