#include "common/core/module.h"

#include <stdio.h>

/* None is built: each is for a library that a system has, or has not. */
struct module module_load(const char *name, uint32_t abi)
{
    (void)abi;
    struct module module = {.absent = 1};
    (void)snprintf(module.reason, sizeof module.reason, "the module %s does not exist for Windows",
                   name);
    return module;
}
