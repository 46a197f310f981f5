/* Surface properties: what physics knows of a stuff ("metal", "wood"), from the scripts of a game.
 *
 * scripts/surfaceproperties_manifest.txt names the files, in order; where it is missing it is
 * scripts/surfaceproperties.txt. A name that is listed again replaces the earlier one. Without
 * either, a few built-in ones stand in, with the densities that compiled maps tell of. */
#ifndef ASSETS_MATERIALS_SURFACEPROPS_H
#define ASSETS_MATERIALS_SURFACEPROPS_H

#include "common/assets/assets.h"

struct surface_prop {
    const char *name; /* in small letters */
    double density;   /* kg / m3 */
    double thickness; /* inches; above 0: things of it are hollow, with walls that thick */
    double friction, elasticity, dampening;
    char game_material; /* the letter by which a game tells sounds and decals; 0: none */
};

struct surfaceprops;

/* Only the built-in ones. Free with surfaceprops_free. */
struct surfaceprops *surfaceprops_new(void);
/* Those of the game, as far as there are any; a file that is missing or makes no sense is reported
 * (SURFACEPROPS_FILE) and left out. Never NULL. */
struct surfaceprops *surfaceprops_load(struct assets *assets, struct diag *diag);
void surfaceprops_free(struct surfaceprops *props);

/* Adds the blocks of a script. `base` copies all of another; a block without it starts from
 * "default". Fails like kv_parse in its lenient mode; `name` is for messages. */
NODISCARD enum status surfaceprops_parse(struct surfaceprops *props, const char *text, size_t size,
                                         const char *name, struct diag *diag);

/* The one of that name, without regard to case, or NULL. */
const struct surface_prop *surfaceprops_find(const struct surfaceprops *props, const char *name);
/* Never NULL: "default" for a name that is not known. */
const struct surface_prop *surfaceprops_get(const struct surfaceprops *props, const char *name);
/* Whether they are those of a game, so that a name that is not there is worth a word. */
bool surfaceprops_are_of_game(const struct surfaceprops *props);

/* A name of one for a material of which only the name is known: by the folder that it is in, as
 * content has them: "concrete/wall01" is "concrete"; "default" when
 * the folder tells nothing. In 18 compiled maps it is right for 79 of 86 materials of such
 * folders; "default" would be for 5. */
const char *surfaceprops_infer(const char *material);

#endif
