#include "common/bsp/engine.h"
#include "vbsp/lint/checks.h"

#define COUNT(n) (1u << (n))
#define LIGHT    (COUNT(1) | COUNT(3) | COUNT(4) | COUNT(8)), "red green blue brightness"

static const char *const source_references[] = {"target",       "parentname",   "filtername",
                                                "damagefilter", "LaserTarget",  "LightningStart",
                                                "NextKey",      "LightningEnd", NULL};
static const char *const quake3_references[] = {"target", NULL};

static const struct lint_number source_numbers[] = {
    {"origin", COUNT(3), "three numbers"},
    {"angles", COUNT(3), "three numbers"},
    {"_light", LIGHT},
    {"_lightHDR", LIGHT},
    {"_ambient", LIGHT},
    {"_ambientHDR", LIGHT},
};
static const struct lint_number quake3_numbers[] = {
    {"origin", COUNT(3), "three numbers"}, {"angles", COUNT(3), "three numbers"},
    {"angle", COUNT(1), "a number"},       {"light", COUNT(1), "a number"},
    {"_color", COUNT(3), "three numbers"},
};

static bool has_source_game(const struct assets *assets)
{
    return assets_game_folder(assets) != NULL;
}

static bool has_quake3_game(const struct assets *assets)
{
    return assets_mounts(assets) > 0;
}

static const struct lint_rules rules[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] =
        {
            .references = source_references,
            .numbers = source_numbers,
            .number_count = sizeof source_numbers / sizeof *source_numbers,
            .has_ids = true,
            .has_inputs = true,
            .has_fgd = true,
            .checks_solids = true,
            .has_game = has_source_game,
            .is_missing = lint_source_is_missing,
        },
    [ENGINE_QUAKE3] =
        {
            .references = quake3_references,
            .numbers = quake3_numbers,
            .number_count = sizeof quake3_numbers / sizeof *quake3_numbers,
            .closes_portals = true,
            .has_game = has_quake3_game,
            .is_missing = lint_quake3_is_missing,
        },
};

const struct lint_rules *lint_rules_of_engine(const struct engine *engine)
{
    return &rules[engine->family];
}

/* A level with counted ids is one of Radiant's. */
const struct lint_rules *lint_rules_of_level(const struct level *level)
{
    return &rules[level->counted_ids ? ENGINE_QUAKE3 : ENGINE_SOURCE];
}
