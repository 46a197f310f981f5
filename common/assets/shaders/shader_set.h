/* The shaders of a game, created on first use: from its scripts, the built-in script, or an image
 * alone. */
#ifndef ASSETS_SHADERS_SHADER_SET_H
#define ASSETS_SHADERS_SHADER_SET_H

#include "common/assets/assets.h"
#include "common/assets/mounts/search_paths.h"
#include "common/assets/shaders/shader.h"

struct shader_block;
struct shader_set;

/* Called for a missing shader. When it returns false, the shader is reported. */
typedef bool shader_missing(void *context, const struct shader *shader);

/* Sources of shaders, all borrowed, and the user of the set. */
struct shader_source {
    const struct env *env;
    const struct search_paths *paths; /* mounts may be added later */
    bool sizes_only;                  /* the mean colours of images are not needed */
    struct shader_parms parms;
    shader_missing *missing;
    void *context; /* for `missing` */
};

struct shader_set *shader_set_new(const struct shader_source *source);
void shader_set_free(struct shader_set *set);

/* assets.h documents these. */
const struct shader *shader_set_find(struct shader_set *set, const char *name);
bool shader_set_pixels(const struct shader_set *set, const struct shader *shader, uint8_t **pixels,
                       int *width, int *height);
bool shader_set_image(struct shader_set *set, const char *name, uint8_t **pixels, int *width,
                      int *height);
void shader_set_report(const struct shader_set *set, struct diag *diag);

/* True when a script or the built-in set defines it. */
bool shader_set_defines(struct shader_set *set, const char *name);
/* Returns the script's block that defines the shader, or NULL when no script does; it may still be
 * built in. */
const struct shader_block *shader_set_block(struct shader_set *set, const char *name);

#endif
