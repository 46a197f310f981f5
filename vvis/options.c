#include "vvis/options.h"

#define FIELD(name) offsetof(struct vvis_options, name)

static const struct option_def defs[] = {
    {.name = "fast",
     .kind = OPTION_FLAG,
     .offset = FIELD(fast),
     .help = "quick and loose: flood through the portals, without the exact flow"},
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
};

struct option_group vvis_option_group(size_t base)
{
    return (struct option_group){"Visibility", defs, sizeof defs / sizeof *defs, base, "vvis"};
}
