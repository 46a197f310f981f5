#include "common/core/entropy.h"

#include <sys/random.h>
#include <sys/types.h>

bool entropy_draw(void *out, size_t size)
{
    return getrandom(out, size, 0) == (ssize_t)size;
}
