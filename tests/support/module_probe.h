/* The module that tests load. */
#ifndef TESTS_MODULE_PROBE_H
#define TESTS_MODULE_PROBE_H

enum { PROBE_ABI = 7 };

struct probe_functions {
    int (*twice)(int number);
};

#endif
