#include "common/farm/launch.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct launcher {
    const char *rank, *count; /* variables */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
    {"PMI_RANK", "PMI_SIZE"},
};

/* Returns -1 without a number. */
static int number(launch_lookup *lookup, const char *name)
{
    const char *text = lookup(name);
    char *end;
    if (!text)
        return -1;
    int64_t value = strtoll(text, &end, 10);
    return end != text && !*end && value >= 0 && value < 1 << 30 ? (int)value : -1;
}

struct launch launch_find(launch_lookup *lookup)
{
    const char *choice = lookup("BRUSHWORK_MPI");
    if (choice && strcmp(choice, "0") == 0)
        return (struct launch){.count = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int rank = number(lookup, launchers[i].rank), count = number(lookup, launchers[i].count);
        if (rank < 0)
            continue;
        return (struct launch){rank, count > 0 ? count : 0, launchers[i].rank};
    }
    return (struct launch){.count = 1};
}
