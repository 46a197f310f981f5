#include "vvis/vvis.h"

#include "vvis/resolve_options.h"

#define FIELD(name) offsetof(struct vvis_options, name)

static const struct option_part resolve_part = {FIELD(resolve), sizeof(struct resolve_options)};

#define RESOLVE(field) .part = &resolve_part, .offset = offsetof(struct resolve_options, field)

static const struct option_def defs[] = {
    {.name = "fast",
     .kind = OPTION_FLAG,
     .offset = FIELD(fast),
     .use = OPTION_COMMON,
     .help = "decide only what takes little work; what is undecided then is visible (PVS may be "
             "larger)"},
    {.name = "radius_override",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(radius_override),
     .min = 0,
     .max = 1e6,
     .map_key = "_radius_override",
     .use = OPTION_COMMON,
     .help = "clusters farther apart than this do not see each other; 0: no limit"},
    {.name = "portalflow",
     .kind = OPTION_FLAG,
     RESOLVE(portal_flow),
     .two_dashes = true,
     .help = "decide visibility per portal instead of per pair of clusters (slow, a cross-check)"},
    {.name = "nosort",
     .kind = OPTION_FLAG,
     RESOLVE(no_sort),
     .help = "process pairs of clusters, or portals, in file order instead of easiest first"},
    {.name = "budget",
     .argument = "CHAINS",
     .kind = OPTION_NUMBER,
     RESOLVE(budget),
     .max = 1e15,
     .two_dashes = true,
     .help =
         "stop deciding after this many chains, distributed among connected components by their "
         "portals, and take what is undecided as visible; repeatable; 0: no limit"},
    {.name = "budget-seconds",
     .argument = "SECONDS",
     .kind = OPTION_NUMBER,
     RESOLVE(budget_seconds),
     .max = 1e7,
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help = "stop deciding after this time, as --budget does; no two runs need be equal, and "
             "--cache keeps none; 0: no limit"},
    {.name = "tmpout",
     .kind = OPTION_IGNORED,
     .help = "visibility is written into the BSP; see -tmpin and -o"},
};

struct option_group vvis_option_group(size_t base)
{
    return (struct option_group){"Visibility", defs, sizeof defs / sizeof *defs, base, "vvis"};
}
