/* What the materials of a map look like: their textures where those are at hand, else one colour.
 */
#ifndef RENDER_SCENE_LOOKS_H
#define RENDER_SCENE_LOOKS_H

#include "common/assets/assets.h"
#include "render/scene/texture.h"

struct look {
    float colour[3];                     /* linear: instead of a texture, or what tints it */
    float opacity;                       /* of a whole, 0 .. 1 */
    const struct texture *base, *second; /* NULL: none; second is blended in on displacements */
    bool has_colour;                     /* the material told it */
    bool found;                          /* there is a material of that name */
    bool alpha_tested;                   /* what is less opaque than one half is not there at all */
    bool translucent;                    /* its alpha counts */
    bool unlit, water;
};

struct texture_cell {
    char *key;
    struct texture *value;
};

struct look_cell {
    char *key;
    struct look value;
};

struct looks {
    const struct env *env;
    struct assets *assets;
    struct diag *quiet; /* what compilers tell of materials is not for pictures */
    struct arena arena;
    struct texture_cell *textures; /* stb_ds maps by clean name */
    struct look_cell *cells;
    size_t textured, plain; /* materials with and without a texture */
};

void looks_open(const struct env *env, struct assets *assets, struct looks *out);
void looks_free(struct looks *looks);

/* The look of a material; `colour` is taken where there is no texture. */
struct look looks_find(struct looks *looks, const char *material, const float colour[3]);

/* The same for a shader of Quake 3, as a BSP names it. */
struct look looks_find_shader(struct looks *looks, const char *shader, const float colour[3]);

#endif
