#include "common/trace/failing_new.h"

/* std::set_new_handler: its library is a part of the program. */
typedef void ends(void);
ends *set_new_handler(ends *handler) __asm__("_ZSt15set_new_handlerPFvvE");

void failing_new_ends(void (*handler)(void))
{
    (void)set_new_handler(handler);
}
