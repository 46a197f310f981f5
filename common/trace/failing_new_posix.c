/* for RTLD_DEFAULT */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/trace/failing_new.h"

#include <dlfcn.h>
#include <string.h>

void failing_new_ends(void (*handler)(void))
{
    typedef void ends(void);
    ends *(*set_handler)(ends *);
    void *symbol = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
    memcpy(&set_handler, &symbol, sizeof symbol);
    if (symbol)
        (void)set_handler(handler);
}
