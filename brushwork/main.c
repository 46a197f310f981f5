#include "brushwork/verbs.h"

static const struct verb_table table = {
    .program = "brushwork",
    .summary = "compile maps into BSP files and inspect them",
    .operands = "FILE",
    .more = "The stages are also separate programs: vbsp, vvis and vrad.",
    .see_also = "vbsp 1 ,\n.Xr vrad 1 ,\n.Xr vvis 1",
    .verbs = brushwork_verbs,
    .count = VERBS,
    .has_pages = true,
};

int main(int argc, char **argv)
{
    return verb_table_run(&table, argc, argv);
}
