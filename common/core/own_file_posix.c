#include "common/core/own_file.h"

#include <sys/auxv.h>

/* The kernel leaves it there for the loader: what execve was given. */
const char *own_file_at_start(void)
{
    return (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
}
