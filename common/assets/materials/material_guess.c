/* Materials that cannot be looked up, by what their names tell. What is behind something
 * see-through is drawn and lit, so to take it for a wall costs more than its own looks. Only words
 * that mean one thing in the names of games' own materials are here: most windows of the folder
 * glass/ are see-through, but a "window" elsewhere is as often painted on a wall, and so is a
 * "fence". */
#include "common/assets/materials/material_set.h"
#include "common/assets/mounts/asset_name.h"
#include "common/bsp/flags.h"

#define WATER (SURFACE_WARP | SURFACE_NOLIGHT | SURFACE_NOSHADOWS | SURFACE_NODECALS)

struct name_rule {
    const char *pattern; /* of a clean name */
    int surface_flags, contents;
};

/* The first that matches counts. */
static const struct name_rule rules[] = {
    /* Made for the compiler and the editor: lightmaps on them are never seen. */
    {"tools/*", SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"glass/*reflective*", 0, CONTENTS_SOLID},
    {"glass/*", SURFACE_TRANS, CONTENTS_WINDOW},
    {"*grate*", 0, CONTENTS_GRATE},
    {"*metaltruss*", 0, CONTENTS_GRATE},
    {"*metalfence*", 0, CONTENTS_GRATE},
    {"*chainlink*", 0, CONTENTS_GRATE},
    /* The engine draws slime with or without lightmaps. */
    {"nature/*slime*", SURFACE_NODECALS, CONTENTS_SLIME},
    {"nature/hazard_liquid*", SURFACE_NODECALS, CONTENTS_SLIME},
    {"nature/water*", WATER, CONTENTS_WATER},
    {"water/*", WATER, CONTENTS_WATER},
};

void guess_material(const char *clean_name, struct material *material)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!asset_pattern_matches(rules[i].pattern, clean_name))
            continue;
        material->surface_flags |= rules[i].surface_flags;
        material->contents = rules[i].contents;
        material->translucent = (rules[i].contents & (CONTENTS_WINDOW | CONTENTS_GRATE)) != 0;
        material->water = (rules[i].contents & (CONTENTS_WATER | CONTENTS_SLIME)) != 0;
        return;
    }
}
