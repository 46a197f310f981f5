/* What the directives of a shader's block mean to a compiler. */
#ifndef ASSETS_SHADERS_SHADER_MEANING_H
#define ASSETS_SHADERS_SHADER_MEANING_H

#include "common/assets/shaders/shader.h"
#include "common/assets/shaders/shader_script.h"

/* Images that a block names, in the order of its lines; texts of the arena, NULL: none. */
struct shader_images {
    const char *editor; /* qer_editorimage */
    const char *light;  /* q3map_lightimage */
    const char *stage;  /* of the first stage that draws an image of its own */
    int stage_number;   /* of that stage, or of the one whose blending is known */
    bool plain_stage;   /* a stage draws $whiteimage and the like, without an image */
    bool has_colour;    /* q3map_lightRGB set `average` */
    int size[2];        /* q3map_textureSize, or 0 */
};

/* A keyword that has no effect here. */
typedef void shader_unheeded(void *context, const struct shader_directive *directive, bool known);
/* The block of another shader, for q3map_baseShader; NULL: there is none. */
typedef const struct shader_block *shader_lookup(void *context, const char *name);

struct shader_reader {
    struct arena *arena;
    shader_unheeded *unheeded; /* may be NULL */
    shader_lookup *lookup;     /* may be NULL */
    void *context;
};

/* A plain one: solid, lightmapped, defaults everywhere. */
void shader_defaults(struct shader *shader);
/* Lays the block over the shader, which has defaults. */
void shader_read_block(const struct shader_reader *reader, const struct shader_block *block,
                       struct shader *shader, struct shader_images *images);
void shader_free_lists(struct shader *shader);

/* The text of the built-in script: tool shaders under textures/common/. */
extern const char shader_builtin_script[];

#endif
