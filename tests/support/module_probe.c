#include "tests/support/module_probe.h"

#include "common/core/module.h"

static int twice(int number)
{
    return 2 * number;
}

static const struct probe_functions functions = {twice};

MODULE_EXPORT("probe", PROBE_ABI, &functions);
