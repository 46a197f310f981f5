/* Interprets the directives of a shader's block for a compiler. */
#ifndef ASSETS_SHADERS_SHADER_MEANING_H
#define ASSETS_SHADERS_SHADER_MEANING_H

#include "common/assets/shaders/shader.h"
#include "common/assets/shaders/shader_script.h"
#include "common/bsp/dialect.h"

/* Images that a block names, in the order of its lines; texts are in the arena, NULL: none. */
struct shader_images {
    const char *editor; /* qer_editorimage */
    const char *light;  /* q3map_lightimage */
    const char *stage;  /* of the first stage that draws an image of its own */
    int stage_number;   /* of that stage, or of the first with known blending */
    bool plain_stage;   /* a stage draws $whiteimage or the like, without an image */
    bool has_colour;    /* q3map_lightRGB set `average` */
    int size[2];        /* q3map_textureSize, or 0 */
};

/* Called for a keyword that has no effect here; `known` when another compiler or the engine has
 * it. */
typedef void shader_ignored(void *context, const struct shader_directive *directive, bool known);
/* Returns the block of another shader, for q3map_baseShader, or NULL. */
typedef const struct shader_block *shader_lookup(void *context, const char *name);

struct shader_reader {
    struct arena *arena;
    shader_ignored *ignored; /* may be NULL */
    shader_lookup *lookup;   /* may be NULL */
    void *context;
    const struct custom_parm *custom; /* stb_ds array: parameters of the game */
    const struct dialect *dialect;    /* of the game's flags; NULL: that of Quake 3 */
};

/* Fills in a plain shader: solid, lightmapped, default values. */
void shader_defaults(struct shader *shader);
/* Adds what shaders of a game have by themselves. */
void shader_apply_dialect(const struct dialect *dialect, struct shader *shader);
/* Applies the block to the shader, which has default values. */
void shader_read_block(const struct shader_reader *reader, const struct shader_block *block,
                       struct shader *shader, struct shader_images *images);
/* Applies `surfaceparm PARM`. */
void shader_apply_parm(const struct shader_reader *reader, const char *parm, struct shader *shader);
void shader_free_lists(struct shader *shader);

/* All keywords of directives that the reader knows, those that it ignores included, and all names
 * of surfaceparm; NULL past the last. */
const char *shader_keyword(size_t index);
const char *shader_parm(size_t index);

/* Text of the built-in script: tool shaders under textures/common/. */
extern const char shader_builtin_script[];

#endif
