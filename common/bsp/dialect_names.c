/* Dialects of games that store flags as Quake 3 does, and have names of surfaceparm of their own.
 */
#include "common/bsp/dialect.h"

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
