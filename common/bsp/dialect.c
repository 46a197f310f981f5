#include "common/bsp/dialect.h"

#include "common/bsp/flags.h"
#include "common/core/strings.h"

/* Rows of names that a game alone has. Brushes with such contents are not solid. */
#define DIALECT_CONTENTS(word, bit)                                                                \
    {.name = (word), .clears = Q3_CONTENTS_SOLID, .own_contents = (bit)}
#define DIALECT_SURFACE(word, bit) {.name = (word), .own_surface = (bit)}

/* Dialects of games that store flags as Quake 3 does, and have names of surfaceparm of their own.
 */

#define DIALECT(game)                                                                              \
    const struct dialect dialect_##game = {                                                        \
        .parms = game##_parms, .parm_count = sizeof game##_parms / sizeof *game##_parms}

/* Where a team cannot build: a brush, or a surface. Such a brush is as solid as without the name.
 */
static const struct dialect_parm tremulous_parms[] = {
    {.name = "noalienbuild", .own_contents = 0x1000},
    {.name = "nohumanbuild", .own_contents = 0x2000},
    {.name = "nobuild", .own_contents = 0x4000},
    DIALECT_SURFACE("noalienbuildsurface", 0x80000),
    DIALECT_SURFACE("nohumanbuildsurface", 0x100000),
    DIALECT_SURFACE("nobuildsurface", 0x200000),
};
DIALECT(tremulous);

/* A ladder is a volume besides its surface. */
static const struct dialect_parm elite_parms[] = {
    DIALECT_CONTENTS("shotclip", 0x40000),
    DIALECT_CONTENTS("ladder", 0x80),
    DIALECT_SURFACE("forcefield", 0x40000),
};
DIALECT(elite);

static const struct dialect_parm quakelive_parms[] = {
    DIALECT_SURFACE("snowsteps", 0x80000),
    DIALECT_SURFACE("woodsteps", 0x100000),
    DIALECT_SURFACE("dmgthrough", 0x200000),
};
DIALECT(quakelive);

/* A number in the bits 0x780000 and that of metalsteps, 0x1000. */
static const struct dialect_parm reaction_parms[] = {
    DIALECT_SURFACE("rq3_gravel", 0x80000),     DIALECT_SURFACE("rq3_wood", 0x81000),
    DIALECT_SURFACE("rq3_carpet", 0x100000),    DIALECT_SURFACE("rq3_metal2", 0x101000),
    DIALECT_SURFACE("rq3_glass", 0x180000),     DIALECT_SURFACE("rq3_grass", 0x181000),
    DIALECT_SURFACE("rq3_snow", 0x200000),      DIALECT_SURFACE("rq3_mud", 0x201000),
    DIALECT_SURFACE("rq3_wood2", 0x280000),     DIALECT_SURFACE("rq3_hardmetal", 0x281000),
    DIALECT_SURFACE("rq3_leaves", 0x300000),    DIALECT_SURFACE("rq3_cement", 0x301000),
    DIALECT_SURFACE("rq3_marble", 0x380000),    DIALECT_SURFACE("rq3_snow2", 0x381000),
    DIALECT_SURFACE("rq3_hardsteps", 0x400000), DIALECT_SURFACE("rq3_sand", 0x401000),
};
DIALECT(reaction);

/* The material of a surface, for steps and for traces of bullets. */
static const struct dialect_parm smokinguns_parms[] = {
    {.name = "metal", .surface = Q3_SURFACE_METALSTEPS},
    DIALECT_SURFACE("wood", 0x80000),
    DIALECT_SURFACE("cloth", 0x100000),
    DIALECT_SURFACE("dirt", 0x200000),
    DIALECT_SURFACE("glass", 0x400000),
    DIALECT_SURFACE("plant", 0x800000),
    DIALECT_SURFACE("sand", 0x1000000),
    DIALECT_SURFACE("snow", 0x2000000),
    DIALECT_SURFACE("stone", 0x4000000),
    DIALECT_SURFACE("grass", 0x10000000),
};
DIALECT(smokinguns);

/* --- dialect --- */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SAME(flag)   {(flag), (flag)}
#define TOP_BIT      INT32_MIN

/* --- id Tech 3 as Wolfenstein has it --- */

static const struct flag_pair wolf_contents[] = {
    SAME(Q3_CONTENTS_SOLID),      SAME(Q3_CONTENTS_LAVA),        SAME(Q3_CONTENTS_SLIME),
    SAME(Q3_CONTENTS_WATER),      SAME(Q3_CONTENTS_FOG),         SAME(Q3_CONTENTS_AREAPORTAL),
    SAME(Q3_CONTENTS_PLAYERCLIP), SAME(Q3_CONTENTS_MONSTERCLIP), SAME(Q3_CONTENTS_CLUSTERPORTAL),
    SAME(Q3_CONTENTS_DONOTENTER), SAME(Q3_CONTENTS_ORIGIN),      SAME(Q3_CONTENTS_DETAIL),
    SAME(Q3_CONTENTS_STRUCTURAL), SAME(Q3_CONTENTS_TRANSLUCENT), SAME(Q3_CONTENTS_TRIGGER),
    SAME(Q3_CONTENTS_NODROP),
};
static const struct flag_pair wolf_surface[] = {
    SAME(Q3_SURFACE_NODAMAGE),    SAME(Q3_SURFACE_SLICK),      SAME(Q3_SURFACE_SKY),
    SAME(Q3_SURFACE_LADDER),      SAME(Q3_SURFACE_NOIMPACT),   SAME(Q3_SURFACE_NOMARKS),
    SAME(Q3_SURFACE_NODRAW),      SAME(Q3_SURFACE_HINT),       SAME(Q3_SURFACE_SKIP),
    SAME(Q3_SURFACE_NOLIGHTMAP),  SAME(Q3_SURFACE_POINTLIGHT), SAME(Q3_SURFACE_METALSTEPS),
    SAME(Q3_SURFACE_NOSTEPS),     SAME(Q3_SURFACE_NONSOLID),   SAME(Q3_SURFACE_LIGHTFILTER),
    SAME(Q3_SURFACE_ALPHASHADOW), SAME(Q3_SURFACE_NODLIGHT),
};
/* Those of both games: ceramic is of the first alone, splash and landmine of Enemy Territory. */
static const struct dialect_parm wolf_parms[] = {
    {.name = "slag", .contents = Q3_CONTENTS_SLIME, .clears = Q3_CONTENTS_SOLID},
    {.name = "metal", .surface = Q3_SURFACE_METALSTEPS},
    {.name = "ai_nopass", .contents = Q3_CONTENTS_DONOTENTER, .clears = Q3_CONTENTS_SOLID},
    DIALECT_CONTENTS("ai_nopasslarge", 0x400000),
    DIALECT_CONTENTS("nonotenterlarge", 0x400000), /* as the game's own shaders spell it */
    DIALECT_CONTENTS("clipmissile", 0x80),
    DIALECT_CONTENTS("clipshot", 0x2000),
    DIALECT_CONTENTS("ai_nosight", 0x1000),
    DIALECT_CONTENTS("donotenterlarge", 0x400000),
    DIALECT_SURFACE("ceramic", 0x40),
    DIALECT_SURFACE("splash", 0x40),
    DIALECT_SURFACE("woodsteps", 0x40000),
    DIALECT_SURFACE("grasssteps", 0x80000),
    DIALECT_SURFACE("gravelsteps", 0x100000),
    DIALECT_SURFACE("glass", 0x200000),
    DIALECT_SURFACE("snowsteps", 0x400000),
    DIALECT_SURFACE("roofsteps", 0x800000),
    DIALECT_SURFACE("rubble", 0x1000000),
    DIALECT_SURFACE("carpetsteps", 0x2000000),
    DIALECT_SURFACE("monsterslick", 0x4000000),
    DIALECT_SURFACE("monsterslickwest", 0x8000000),
    DIALECT_SURFACE("monsterslicknorth", 0x10000000),
    DIALECT_SURFACE("monsterslickeast", 0x20000000),
    DIALECT_SURFACE("monsterslicksouth", 0x40000000),
    DIALECT_SURFACE("landmine", TOP_BIT),
};

const struct dialect dialect_wolf = {
    .contents = wolf_contents,
    .contents_count = COUNT(wolf_contents),
    .surface = wolf_surface,
    .surface_count = COUNT(wolf_surface),
    .parms = wolf_parms,
    .parm_count = COUNT(wolf_parms),
};

/* --- the engine of Raven's games --- */

static const struct flag_pair raven_contents[] = {
    SAME(Q3_CONTENTS_SOLID),        {Q3_CONTENTS_LAVA, 0x2},
    {Q3_CONTENTS_WATER, 0x4},       {Q3_CONTENTS_FOG, 0x8},
    {Q3_CONTENTS_PLAYERCLIP, 0x10}, {Q3_CONTENTS_MONSTERCLIP, 0x20},
    {Q3_CONTENTS_BOTCLIP, 0x40},    {Q3_CONTENTS_TRIGGER, 0x400},
    {Q3_CONTENTS_NODROP, 0x800},    {Q3_CONTENTS_SLIME, 0x20000},
    SAME(Q3_CONTENTS_DETAIL),       {Q3_CONTENTS_TRANSLUCENT, TOP_BIT},
};
static const struct flag_pair raven_surface[] = {
    {Q3_SURFACE_SKY, 0x2000},       {Q3_SURFACE_SLICK, 0x4000},     {Q3_SURFACE_METALSTEPS, 0x8000},
    {Q3_SURFACE_NODAMAGE, 0x40000}, {Q3_SURFACE_NOIMPACT, 0x80000}, {Q3_SURFACE_NOMARKS, 0x100000},
    {Q3_SURFACE_NODRAW, 0x200000},  {Q3_SURFACE_NOSTEPS, 0x400000}, {Q3_SURFACE_NODLIGHT, 0x800000},
};

enum {
    RAVEN_SHOTCLIP = 0x80,
    RAVEN_TERRAIN = 0x1000,
    RAVEN_LADDER = 0x2000,
    RAVEN_ABSEIL = 0x4000,
    RAVEN_OPAQUE = 0x8000,
    RAVEN_OUTSIDE = 0x10000,
    RAVEN_INSIDE = 0x10000000,
    RAVEN_MATERIALS = 0x1f,
};
/* Volumes that light passes. */
#define RAVEN_VOLUME(word, bit)                                                                    \
    {.name = (word), .clears = Q3_CONTENTS_SOLID, .own_contents = (bit), .own_clears = RAVEN_OPAQUE}
#define RAVEN_CLEAR(word) {.name = (word), .own_clears = RAVEN_OPAQUE}

/* Those of all three games: inside and forcesight are of Jedi Academy alone. */
static const struct dialect_parm raven_parms[] = {
    RAVEN_VOLUME("shotclip", RAVEN_SHOTCLIP),
    RAVEN_VOLUME("terrain", RAVEN_TERRAIN),
    RAVEN_VOLUME("ladder", RAVEN_LADDER),
    RAVEN_VOLUME("abseil", RAVEN_ABSEIL),
    RAVEN_VOLUME("outside", RAVEN_OUTSIDE),
    {.name = "inside", .own_contents = RAVEN_INSIDE},
    {.name = "areaportal", .contents = Q3_CONTENTS_TRANSLUCENT, .own_clears = RAVEN_OPAQUE},
    RAVEN_CLEAR("nonopaque"),
    RAVEN_CLEAR("trigger"),
    RAVEN_CLEAR("playerclip"),
    RAVEN_CLEAR("monsterclip"),
    RAVEN_CLEAR("botclip"),
    RAVEN_CLEAR("nodrop"),
    RAVEN_CLEAR("fog"),
    DIALECT_SURFACE("forcefield", 0x10000),
    DIALECT_SURFACE("nomiscents", 0x1000000),
    DIALECT_SURFACE("forcesight", 0x2000000),
};
static const char *const raven_materials[] = {
    "solidwood", "hollowwood",  "solidmetal", "hollowmetal", "shortgrass",   "longgrass",
    "dirt",      "sand",        "gravel",     "glass",       "concrete",     "marble",
    "water",     "snow",        "ice",        "flesh",       "mud",          "bpglass",
    "dryleaves", "greenleaves", "fabric",     "canvas",      "rock",         "rubber",
    "plastic",   "tiles",       "carpet",     "plaster",     "shatterglass", "armor",
    "computer",  NULL,
};

const struct dialect dialect_raven = {
    .contents = raven_contents,
    .contents_count = COUNT(raven_contents),
    .surface = raven_surface,
    .surface_count = COUNT(raven_surface),
    .parms = raven_parms,
    .parm_count = COUNT(raven_parms),
    .plain_contents = RAVEN_OPAQUE,
    .materials = RAVEN_MATERIALS,
    .material_names = raven_materials,
};

/* --- flags --- */

static struct dialect_flags read_flags(const struct flag_pair *pairs, size_t count, int32_t stored)
{
    struct dialect_flags flags = {0, stored};
    for (size_t i = 0; i < count; i++)
        if (stored & pairs[i].stored) {
            flags.meaning |= pairs[i].meaning;
            flags.own &= ~pairs[i].stored;
        }
    return flags;
}

static int32_t store_flags(const struct flag_pair *pairs, size_t count, struct dialect_flags flags)
{
    int32_t stored = flags.own;
    for (size_t i = 0; i < count; i++)
        if (flags.meaning & pairs[i].meaning)
            stored |= pairs[i].stored;
    return stored;
}

/* Otherwise the bits are their meaning. */
static bool has_own_bits(const struct dialect *dialect)
{
    return dialect && dialect->contents_count;
}

struct dialect_flags dialect_contents(const struct dialect *dialect, int32_t stored)
{
    if (!has_own_bits(dialect))
        return (struct dialect_flags){stored, 0};
    return read_flags(dialect->contents, dialect->contents_count, stored);
}

struct dialect_flags dialect_surface(const struct dialect *dialect, int32_t stored)
{
    if (!has_own_bits(dialect))
        return (struct dialect_flags){stored, 0};
    return read_flags(dialect->surface, dialect->surface_count, stored);
}

int32_t dialect_unstored_surface(const struct dialect *dialect)
{
    int32_t unstored = has_own_bits(dialect) ? -1 : 0;
    for (size_t i = 0; unstored && i < dialect->surface_count; i++)
        unstored &= ~dialect->surface[i].meaning;
    return unstored;
}

int32_t dialect_store_contents(const struct dialect *dialect, struct dialect_flags flags)
{
    if (!has_own_bits(dialect))
        return flags.meaning | flags.own;
    return store_flags(dialect->contents, dialect->contents_count, flags);
}

int32_t dialect_store_surface(const struct dialect *dialect, struct dialect_flags flags)
{
    if (!has_own_bits(dialect))
        return flags.meaning | flags.own;
    return store_flags(dialect->surface, dialect->surface_count, flags);
}

/* --- names --- */

const struct dialect_parm *dialect_parm_find(const struct dialect *dialect, const char *name)
{
    for (size_t i = 0; dialect && i < dialect->parm_count; i++)
        if (str_equal_nocase(dialect->parms[i].name, name))
            return &dialect->parms[i];
    return NULL;
}

int32_t dialect_material(const struct dialect *dialect, const char *name)
{
    const char *const *names = dialect ? dialect->material_names : NULL;
    for (int32_t i = 0; names && names[i]; i++)
        if (str_equal_nocase(names[i], name))
            return i + 1;
    return 0;
}
