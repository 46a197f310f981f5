#include <unistd.h>

#include "common/core/ending.h"

void ending_remove(const struct ending *ending)
{
    (void)unlinkat(ending->folder, ending->path, 0);
}
