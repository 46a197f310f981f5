/* Reads surface properties ("metal", "wood"), the physical properties of materials, from the
 * scripts of a game.
 *
 * scripts/surfaceproperties_manifest.txt names the files, in order; where it is missing,
 * scripts/surfaceproperties.txt is read. A name that is listed again replaces the earlier one.
 * Without either, a few built-in ones are used, with the densities found in compiled maps. */
#ifndef ASSETS_MATERIALS_SURFACEPROPS_H
#define ASSETS_MATERIALS_SURFACEPROPS_H

#include "common/assets/assets.h"

struct surface_prop {
    const char *name; /* lower case */
    double density;   /* kg / m3 */
    double thickness; /* wall thickness in inches of hollow objects; 0: solid */
    double friction, elasticity, dampening;
    char game_material; /* the letter that selects sounds and decals in a game; 0: none */
};

struct surfaceprops;

/* Returns the built-in surface properties only. Free with surfaceprops_free. */
struct surfaceprops *surfaceprops_new(void);
/* Returns the surface properties of the game, or the built-in ones. A missing or invalid file is
 * reported (SURFACEPROPS_FILE) and skipped. Never NULL. */
struct surfaceprops *surfaceprops_load(struct assets *assets, struct diag *diag);
void surfaceprops_free(struct surfaceprops *props);

/* Adds the blocks of a script. The key `base` copies all values of another; a block without it
 * starts from "default". Fails like kv_parse in its lenient mode; `name` is for messages. */
NODISCARD enum status surfaceprops_parse(struct surfaceprops *props, const char *text, size_t size,
                                         const char *name, struct diag *diag);

/* Returns the surface property of that name, without regard to case, or NULL. */
const struct surface_prop *surfaceprops_find(const struct surfaceprops *props, const char *name);
/* Like surfaceprops_find, but returns "default" for an unknown name. Never NULL. */
const struct surface_prop *surfaceprops_get(const struct surfaceprops *props, const char *name);
/* Returns true when they come from a game, so that an unknown name deserves a warning. */
bool surfaceprops_are_of_game(const struct surfaceprops *props);

/* Infers a surface property from the name of a material, by its top folder, for a material without
 * a VMT: "concrete/wall01" is "concrete". Returns "default" for other folders. In 18 compiled maps
 * it is right for 79 of 86 materials in such folders; "default" would be right for 5. */
const char *surfaceprops_infer(const char *material);

#endif
