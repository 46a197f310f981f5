/* The shaders of a game: from its scripts, from the built-in script, or of an image alone, made as
 * they are asked for. */
#ifndef ASSETS_SHADERS_SHADER_SET_H
#define ASSETS_SHADERS_SHADER_SET_H

#include "common/assets/mounts/search_paths.h"
#include "common/assets/shaders/shader.h"

struct shader_block;
struct shader_set;

/* Takes note of a shader that is missing. False: then it is reported. */
typedef bool shader_missing(void *context, const struct shader *shader);

/* Where shaders are from, all borrowed, and who wants them. */
struct shader_source {
    const struct env *env;
    const struct search_paths *paths; /* mounts may come to it later */
    bool sizes_only;                  /* of images: the mean colours are not wanted */
    shader_missing *missing;
    void *context; /* of `missing` */
};

struct shader_set *shader_set_new(const struct shader_source *source);
void shader_set_free(struct shader_set *set);

/* assets.h tells what these do. */
const struct shader *shader_set_find(struct shader_set *set, const char *name);
bool shader_set_pixels(const struct shader_set *set, const struct shader *shader, uint8_t **pixels,
                       int *width, int *height);
bool shader_set_image(struct shader_set *set, const char *name, uint8_t **pixels, int *width,
                      int *height);
void shader_set_report(const struct shader_set *set);

/* True when a script or the built-in set defines it. */
bool shader_set_defines(struct shader_set *set, const char *name);
/* The block of a script that defines the shader; NULL: there is none, but perhaps a built-in one.
 */
const struct shader_block *shader_set_block(struct shader_set *set, const char *name);

/* The shader that does what a tool texture of Source does, by its clean name, with or without
 * "textures/" in front; NULL: none. */
const char *shader_of_tool(const char *clean);

#endif
