/* nice() is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "common/cli/priority.h"

#include <unistd.h>

enum { NICEST = 19 };

/* The value that comes back may be -1 either way. */
void priority_lower(void)
{
    (void)!nice(NICEST);
}
