#include "vvis/options.h"

#define FIELD(name) offsetof(struct vvis_options, name)

static const struct option_def defs[] = {
    {.name = "fast",
     .kind = OPTION_FLAG,
     .offset = FIELD(fast),
     .help = "quick and loose: what pairs of portals let through, without the exact flow"},
    {.name = "radius_override",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(radius_override),
     .min = 0,
     .max = 1e6,
     .map_key = "_radius_override",
     .help = "clusters farther apart than this do not see each other; 0: no limit"},
    {.name = "portalflow",
     .kind = OPTION_FLAG,
     .offset = FIELD(portal_flow),
     .two_dashes = true,
     .help = "decide by portal and not by pair of clusters: slow, to check one by the other"},
    {.name = "nosort",
     .kind = OPTION_FLAG,
     .offset = FIELD(no_sort),
     .help = "take pairs of clusters, or portals, in file order and not the easiest first"},
    {.name = "cache",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .offset = FIELD(cache),
     .two_dashes = true,
     .help = "keep the visibility of each part of a map that no portal joins to another in this "
             "folder, and take from there what did not change; it may be emptied at any time"},
};

struct option_group vvis_option_group(size_t base)
{
    return (struct option_group){"Visibility", defs, sizeof defs / sizeof *defs, base, "vvis"};
}
