#include "common/core/stack.h"

/* The program's file says how large the stacks of its threads are (CMakeLists.txt), and nothing
 * that starts it makes them smaller. */
int stack_call(int (*call)(void *context), void *context)
{
    return call(context);
}
