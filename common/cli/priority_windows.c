#include "common/cli/priority.h"

#include <windows.h>

void priority_lower(void)
{
    (void)SetPriorityClass(GetCurrentProcess(), IDLE_PRIORITY_CLASS);
}
