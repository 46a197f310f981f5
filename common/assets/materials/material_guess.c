#include <string.h>

#include "common/assets/materials/material_set.h"
#include "common/bsp/flags.h"

/* Tool materials are made for the compiler and the editor: lightmaps on them are never seen. */
static bool is_tool(const char *clean_name)
{
    return strncmp(clean_name, "tools/", strlen("tools/")) == 0;
}

void guess_material(const char *clean_name, struct material *material)
{
    if (is_tool(clean_name))
        material->surface_flags |= SURFACE_NOLIGHT;
}
