/* The materials of a game, made as they are asked for: of VMTs, of a catalogue, built in, or of
 * shaders. */
#ifndef ASSETS_MATERIALS_MATERIAL_SET_H
#define ASSETS_MATERIALS_MATERIAL_SET_H

#include "common/assets/assets.h"
#include "common/assets/mounts/search_paths.h"
#include "common/assets/shaders/shader_set.h"
#include "common/assets/textures/texdata.h"

/* What materials are made from; borrowed. */
struct material_source {
    const struct env *env;
    const struct search_paths *paths; /* mounts may come to it later */
    const struct texdata *catalogue;  /* rows may come to it until the first is asked for */
    bool quake3;                      /* names mean shaders */
    bool sizes_only;                  /* as in struct assets_options */
};

struct material_set;

struct material_set *material_set_new(const struct material_source *source);
void material_set_free(struct material_set *set);
struct shader_set *material_set_shaders(const struct material_set *set);

/* assets.h tells what these do. */
const struct material *material_set_find(struct material_set *set, const char *name);
bool material_set_has(const struct material_set *set, const char *name);
void material_set_hold(struct material_set *set);
const struct material **material_set_release(struct material_set *set);

/* What a shader means in the core's terms: fills all but the name. */
void shader_material(const struct shader *shader, struct material *material);

/* The materials that every mapper uses, known without a game: tools/ and the measuring textures of
 * dev/. By a name as asset_material_name has it; NULL when it is not among them. */
const struct material *builtin_material(const char *clean_name);

#endif
