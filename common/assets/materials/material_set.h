/* The materials of a game, created on first use: from VMTs, a catalogue, the built-in set, or
 * shaders. */
#ifndef ASSETS_MATERIALS_MATERIAL_SET_H
#define ASSETS_MATERIALS_MATERIAL_SET_H

#include "common/assets/assets.h"
#include "common/assets/mounts/search_paths.h"
#include "common/assets/shaders/shader_set.h"
#include "common/assets/textures/texdata.h"

/* Sources of materials; borrowed. */
struct material_source {
    const struct env *env;
    const struct search_paths *paths; /* mounts may be added later */
    const struct texdata *catalogue;  /* rows may be added until the first material is requested */
    bool has_shaders;                 /* names mean shaders */
    bool sizes_only;                  /* as in struct assets_options */
    struct shader_parms parms;        /* the same */
};

struct material_set;

struct material_set *material_set_new(const struct material_source *source);
void material_set_free(struct material_set *set);
struct shader_set *material_set_shaders(const struct material_set *set);

/* assets.h documents these. */
const struct material *material_set_find(struct material_set *set, const char *name);
bool material_set_has(const struct material_set *set, const char *name);
void material_set_hold(struct material_set *set);
const struct material **material_set_release(struct material_set *set);

/* Contents of what a team climbs, of Left 4 Dead. */
enum { CONTENTS_TEAM2 = 0x1000 };

/* Returns a material that is known without a game (tools/ and the measuring textures of dev/), or
 * NULL when it is not built in. The name is one of asset_material_name. */
const struct material *builtin_material(const char *clean_name);

/* Returns what compiled maps say of a material of the games, or NULL. */
const struct texdata_row *material_fact(const char *clean_name);
/* All of them, sorted by name. */
const struct texdata_row *material_facts(size_t *count);

/* Changes a missing material, which is plain and opaque, by what its name tells of its use. */
void guess_material(const char *clean_name, struct material *material);

#endif
