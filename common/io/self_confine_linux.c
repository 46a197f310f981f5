#include <stdio.h>

#include "common/io/self_confine.h"

void self_confine(const struct fs_roots *roots, struct confine_layer out[CONFINE_LAYERS])
{
    int version = landlock_confine(roots);
    out[0] = (struct confine_layer){.name = "Landlock",
                                    .error = version > 0 ? 0 : -version,
                                    .loss = "only the program itself limits its files"};
    if (version > 0)
        (void)snprintf(out[0].name, sizeof out[0].name, "Landlock %d", version);
    out[1] = (struct confine_layer){
        .name = "seccomp",
        .error = seccomp_confine(),
        .loss = "the kernel does not keep it from starting programs and using the network"};
}
