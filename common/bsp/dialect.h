/* How a game of the Quake 3 family stores flags of shaders. The programs know them by the bits of
 * Quake 3 (flags.h), their meaning; a game may store a meaning as another bit or not at all, and
 * has bits that mean nothing to a compiler: its own. NULL is the dialect of Quake 3, whose bits are
 * their meaning. */
#ifndef BSP_DIALECT_H
#define BSP_DIALECT_H

#include <stddef.h>
#include <stdint.h>

#include "common/bsp/flags.h"

/* Contents or surface flags of a shader: what they mean, and the game's own bits. */
struct dialect_flags {
    int32_t meaning, own;
};

struct flag_pair {
    int32_t meaning, stored;
};

/* A name of surfaceparm that Quake 3 does not have, or that does more here. */
struct dialect_parm {
    const char *name;
    int32_t contents, clears;         /* meaning: contents that are set and removed */
    int32_t surface;                  /* meaning */
    int32_t own_contents, own_clears; /* bits of the game */
    int32_t own_surface;
};

struct dialect {
    const struct flag_pair *contents, *surface; /* all that the game has; none: as Quake 3 */
    size_t contents_count, surface_count;
    const struct dialect_parm *parms;
    size_t parm_count;
    int32_t plain_contents; /* own bits of a shader that says nothing else */
    int32_t materials;      /* own surface bits that are a number, set by q3map_material */
    const char *const *material_names; /* numbers from 1 on; ends with NULL; or NULL */
};

extern const struct dialect dialect_wolf;  /* Return to Castle Wolfenstein, Enemy Territory */
extern const struct dialect dialect_raven; /* Jedi Outcast, Jedi Academy, Soldier of Fortune II */

/* Of games that have the bits of Quake 3 and names of their own. */
extern const struct dialect dialect_tremulous; /* and Unvanquished */
extern const struct dialect dialect_elite;     /* Elite Force */
extern const struct dialect dialect_quakelive;
extern const struct dialect dialect_reaction;
extern const struct dialect dialect_smokinguns;

/* Return the meaning of stored flags, and the bits without one. */
struct dialect_flags dialect_contents(const struct dialect *dialect, int32_t stored);
struct dialect_flags dialect_surface(const struct dialect *dialect, int32_t stored);

/* Surface flags that the game cannot store: only the scripts say that a shader has them. */
int32_t dialect_unstored_surface(const struct dialect *dialect);

/* The flags as they are stored. Meanings that the game does not have are left out. */
int32_t dialect_store_contents(const struct dialect *dialect, struct dialect_flags flags);
int32_t dialect_store_surface(const struct dialect *dialect, struct dialect_flags flags);

/* The game's parameter of that name, without regard to case, or NULL. */
const struct dialect_parm *dialect_parm_find(const struct dialect *dialect, const char *name);
/* The own surface bits of a material by its name, as q3map_material has it; 0: unknown. */
int32_t dialect_material(const struct dialect *dialect, const char *name);

#endif
