/* Facts about the games' own materials from compiled maps, for those whose files are not here. */
#include <stdlib.h>
#include <string.h>

#include "common/assets/materials/material_set.h"

#define FACT(material, width, height, view_width, view_height, r, g, b, surface, makes, prop)      \
    {.name = (material),                                                                           \
     .size = {width, height, view_width, view_height},                                             \
     .reflectivity = {r, g, b},                                                                    \
     .flags = (surface),                                                                           \
     .contents = (makes),                                                                          \
     .surface_prop = (prop)},

static const struct texdata_row facts[] = {
#include "common/assets/materials/material_facts.def"
};

static int compare(const void *name, const void *fact)
{
    return strcmp(name, ((const struct texdata_row *)fact)->name);
}

const struct texdata_row *material_facts(size_t *count)
{
    *count = sizeof facts / sizeof *facts;
    return facts;
}

const struct texdata_row *material_fact(const char *clean_name)
{
    return bsearch(clean_name, facts, sizeof facts / sizeof *facts, sizeof *facts, compare);
}
