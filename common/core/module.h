/* Optional modules: shared objects of this release that a program loads when it needs them, so that
 * it depends on none of their libraries.
 *
 * A module is built from modules/NAME and installed as lib/brushwork/NAME.so. It exports one symbol
 * (MODULE_EXPORT): a table of functions, whose form a header of the program declares together with
 * its number (the ABI). Modules share no code and no memory with the program: tables have plain
 * types only. */
#ifndef CORE_MODULE_H
#define CORE_MODULE_H

#include <stdint.h>

struct module_export {
    char name[16]; /* of the module */
    uint32_t abi;
    const void *functions;
};

/* In the source of a module: exports the table at `functions_`. */
#define MODULE_EXPORT(name_, abi_, functions_)                                                     \
    extern const struct module_export brushwork_module;                                            \
    __attribute__((visibility("default"))) const struct module_export brushwork_module = {         \
        .name = name_, .abi = abi_, .functions = functions_}

struct module {
    const void *functions; /* valid until the process ends; NULL: see `absent` and `reason` */
    int absent;            /* it is not installed; else it is there and cannot be used */
    char reason[512];      /* a phrase for a message, with the file or the folder */
};

/* Loads a module of this release. It is searched in lib/brushwork, and in lib/ARCH/brushwork, of
 * the folder that the program's bin is in, and then in `brushwork` beside the shared library that
 * has this code. A module is loaded once per process and stays. */
struct module module_load(const char *name, uint32_t abi);

#endif
