/* Materials that cannot be looked up, by what their names tell.
 *
 * Whatever is behind something see-through is drawn and lit, so to take it for a wall costs more
 * than its own looks; where it turns out to be a wall, the map leaks, and the guess is withdrawn
 * (vbsp/portals/leak_guesses.h). Only words that mean one thing in the names of games' own
 * materials are here: a "window" is as often painted on a wall, and so is a "fence". */
#include <stdio.h>
#include <string.h>

#include "common/assets/materials/material_set.h"
#include "common/assets/mounts/asset_name.h"
#include "common/bsp/flags.h"

#define WATER  (SURFACE_WARP | SURFACE_NOLIGHT | SURFACE_NOSHADOWS | SURFACE_NODECALS)
#define UNSEEN (SURFACE_NODRAW | SURFACE_NOLIGHT)

struct name_rule {
    const char *pattern; /* of a clean name, or of a part of a tool's */
    int surface_flags, contents;
};

/* The first that matches counts. */
static const struct name_rule rules[] = {
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

/* Tools, by words of their names; the first that is found counts. A clip comes before what it
 * blocks as well, as %compilenpcclip does before the other keys. */
static const struct name_rule tools[] = {
    {"hint", UNSEEN | SURFACE_HINT, 0},
    {"skip", UNSEEN | SURFACE_SKIP, 0},
    {"sky*2d", SURFACE_SKY | SURFACE_SKY2D | SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"skyfog", SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"sky", SURFACE_SKY | SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"origin", UNSEEN, CONTENTS_ORIGIN | CONTENTS_DETAIL},
    {"occluder", SURFACE_NOLIGHT | SURFACE_TRIGGER, CONTENTS_SOLID},
    {"trigger", SURFACE_NOLIGHT | SURFACE_TRIGGER, CONTENTS_SOLID},
    {"grenade*clip", UNSEEN, CONTENTS_GRENADECLIP},
    {"drone*clip", UNSEEN, CONTENTS_DRONECLIP},
    {"npc*clip", UNSEEN, CONTENTS_MONSTERCLIP},
    {"monster*clip", UNSEEN, CONTENTS_MONSTERCLIP},
    {"bot*clip", UNSEEN, CONTENTS_MONSTERCLIP},
    {"player*clip", UNSEEN, CONTENTS_PLAYERCLIP},
    {"control*clip", UNSEEN, CONTENTS_PLAYERCLIP},
    {"clip", UNSEEN, CONTENTS_PLAYERCLIP | CONTENTS_MONSTERCLIP},
    {"block*los", UNSEEN, CONTENTS_BLOCKLOS | CONTENTS_DETAIL},
    {"block*sight", UNSEEN, CONTENTS_BLOCKLOS | CONTENTS_DETAIL},
    {"block*light", UNSEEN, CONTENTS_OPAQUE | CONTENTS_DETAIL},
    {"block", UNSEEN | SURFACE_TRANS, CONTENTS_WINDOW},
    {"invis*ladder", UNSEEN, CONTENTS_GRATE | CONTENTS_LADDER},
    {"invis", UNSEEN | SURFACE_TRANS, CONTENTS_GRATE},
    {"ladder", SURFACE_NOLIGHT, CONTENTS_GRATE | CONTENTS_LADDER},
    {"climb", SURFACE_NOLIGHT, CONTENTS_GRATE | CONTENTS_TEAM2 | CONTENTS_LADDER},
    {"nodraw", UNSEEN, CONTENTS_SOLID},
    /* Colours, to be seen as they are. */
    {"black*noportal", SURFACE_NOLIGHT | SURFACE_NOPORTAL, CONTENTS_SOLID},
    {"black", SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"white", SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"green", SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"nolight", SURFACE_NOLIGHT, CONTENTS_SOLID},
};
/* The other tools are marks for the compiler and the editor: not drawn. */
static const struct name_rule other_tool = {"", UNSEEN, CONTENTS_SOLID};

/* Returns the part after "tools" in the name of a tool, or NULL for one in no folder tools/. The
 * folder of a game or mod may come before that one, and its name before the tool's. */
static const char *tool_part(const char *clean_name)
{
    const char *folder = strstr(clean_name, "tools/");
    if (!folder || (folder != clean_name && folder[-1] != '/'))
        return NULL;
    const char *base = strrchr(clean_name, '/') + 1, *word = strstr(base, "tools");
    return word ? word + strlen("tools") : base;
}

static bool has_words(const char *words, const char *part)
{
    char pattern[32];
    (void)snprintf(pattern, sizeof pattern, "*%s*", words);
    return asset_pattern_matches(pattern, part);
}

static const struct name_rule *tool_rule(const char *part)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (has_words(tools[i].pattern, part))
            return &tools[i];
    return &other_tool;
}

static const struct name_rule *rule_of(const char *clean_name)
{
    const char *part = tool_part(clean_name);
    if (part)
        return tool_rule(part);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (asset_pattern_matches(rules[i].pattern, clean_name))
            return &rules[i];
    return NULL;
}

void guess_material(const char *clean_name, struct material *material)
{
    const struct name_rule *rule = rule_of(clean_name);
    if (!rule)
        return;
    material->surface_flags |= rule->surface_flags;
    material->contents = rule->contents;
    material->guessed = true;
    material->translucent = (rule->contents & (CONTENTS_WINDOW | CONTENTS_GRATE)) != 0;
    material->water = (rule->contents & (CONTENTS_WATER | CONTENTS_SLIME)) != 0;
    material->is_clip = (rule->contents & CONTENTS_CLIP) != 0;
}
