/* What the parts of assets.h share. */
#ifndef ASSETS_ASSETS_PARTS_H
#define ASSETS_ASSETS_PARTS_H

#include "common/assets/assets.h"
#include "common/assets/mounts/mount.h"

struct shader_block;
struct shader_set;

const struct env *assets_env(const struct assets *assets);
/* The same as assets_read by a name as asset_name has it. */
bool assets_read_clean(const struct assets *assets, const char *clean, struct bytes *out);
/* The same, but no more than its first `most` bytes have to come. */
bool assets_read_start(const struct assets *assets, const char *clean, size_t most,
                       struct bytes *out);
/* Visits the files of a folder in each mount that can list, from the first mount on. */
void assets_list(const struct assets *assets, const char *folder, mount_visit *visit,
                 void *context);
struct shader_set *assets_shaders(struct assets *assets);
bool assets_holds(const struct assets *assets);
/* Keeps a shader that is missing as assets_release_missing gives it. */
void assets_hold_shader(struct assets *assets, const struct shader *shader);
/* Whether looks are wanted, or sizes only. */
bool assets_wants_colours(const struct assets *assets);

/* The shaders of a game: made as they are asked for. */
struct shader_set *shader_set_new(struct assets *assets);
void shader_set_free(struct shader_set *set);
/* Whether a script or the built-in set defines it. */
bool shader_set_defines(struct shader_set *set, const char *name);

/* The block of a script that defines the shader; NULL: there is none, but perhaps a built-in one.
 */
const struct shader_block *assets_shader_block(struct assets *assets, const char *name);

/* The shader that does what a tool texture of Source does, by its clean name, with or without
 * "textures/" in front; NULL: none. */
const char *shader_of_tool(const char *clean);
/* What a shader means in the core's terms: fills all but the name. */
void shader_material(const struct shader *shader, struct material *material);

#endif
