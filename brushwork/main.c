#include "brushwork/verbs.h"
#include "common/cli/farm_start.h"
#include "common/core/strings.h"

/* Sources are compiled, and BSPs shown. */
static const char *verb_for(const char *file)
{
    static const char *const endings[][2] = {
        {".vmf", "build"}, {".vmm", "build"}, {".map", "build"}, {".bsp", "info"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(file, endings[i][0]))
            return endings[i][1];
    return NULL;
}

static const struct verb_table table = {
    .verb_for = verb_for,
    .program = "brushwork",
    .summary = "compile maps into BSP files and inspect them",
    .operands = "FILE",
    .more = "The stages are also separate programs: vbsp, vvis and vrad.",
    .see_also = "vbsp 1 ,\n.Xr vrad 1 ,\n.Xr vvis 1",
    .verbs = brushwork_verbs,
    .count = VERBS,
    .has_pages = true,
};

static int run(int argc, char **argv)
{
    return verb_table_run(&table, argc, argv);
}

int main(int argc, char **argv)
{
    return farm_start(argc, argv, run, brushwork_farm_stages);
}
