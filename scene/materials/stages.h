/* The stages of Quake 3's shaders, as far as they are drawn. */
#ifndef SCENE_MATERIALS_STAGES_H
#define SCENE_MATERIALS_STAGES_H

#include "common/assets/shaders/shader_script.h"

/* How a stage of a shader is blended with what is behind it. */

/* Factors, as OpenGL numbers them. */
enum blend_factor {
    BLEND_ZERO = 0,
    BLEND_ONE = 1,
    BLEND_SRC_COLOR = 0x300,
    BLEND_ONE_MINUS_SRC_COLOR = 0x301,
    BLEND_SRC_ALPHA = 0x302,
    BLEND_ONE_MINUS_SRC_ALPHA = 0x303,
    BLEND_DST_ALPHA = 0x304,
    BLEND_ONE_MINUS_DST_ALPHA = 0x305,
    BLEND_DST_COLOR = 0x306,
    BLEND_ONE_MINUS_DST_COLOR = 0x307,
    BLEND_SRC_ALPHA_SATURATE = 0x308,
};

/* The sum of what is drawn times `source`, and of what is behind times `target`. */
struct blend {
    int source, target; /* enum blend_factor */
};

/* A colour as it depends on what is behind: `added`, and the share `kept` of that, for each
 * channel. All are of the screen: 1 is white, and not linear. */
struct blended {
    float added[3], kept[3];
};

/* Nothing: what is behind, as it is. */
static const struct blended blended_none = {.kept = {1, 1, 1}};

/* Draws a colour with its alpha over what is there. */
void blend_over(struct blended *under, struct blend blend, const float rgba[4]);

enum {
    STAGE_IMAGES = 32,
    STAGE_CHANGES = 6,
    MOST_STAGES = 8,
    CHANGE_NUMBERS = 6,
    MOST_DEFORMS = 3
};

/* How the texture moves, or the brightness: a keyword of the script and its numbers. */
struct stage_change {
    const char *name; /* "scroll", "sin" ... */
    double numbers[CHANGE_NUMBERS];
};

struct shader_stage {
    const char *images[STAGE_IMAGES]; /* in turn */
    int image_count;
    double frequency;  /* of images, per second */
    bool is_light;     /* the lightmap */
    bool clamped;      /* shown once */
    bool vertex_alpha; /* opacity of vertices */
    bool shines;       /* opacity of a highlight */
    bool vertex_light; /* light of vertices */
    bool vertex_dark;  /* what that lacks of white */
    bool lit;          /* by the lightmap, or what the surface has in its place */
    bool doubled;      /* the light counts twice, as images have it */
    bool has_blend;    /* with what is behind it, or was drawn before */
    struct blend blend;
    const char *alpha; /* "GT0", "LT128", "GE128"; NULL: all is drawn */
    bool reflects;     /* texture coordinates of the environment */
    struct stage_change changes[STAGE_CHANGES];
    struct stage_change brightness, opacity; /* waves; without a name 1 */
    int change_count;
    bool has_colour;
    double colour[3]; /* 0 .. 1 as images have it, if it has one */
};

/* How vertices move: along a way in units, or along their normals. */
struct deform {
    double way[3];
    double spread; /* turns of the wave per unit of the sum of coordinates; 0: all move together */
    struct stage_change wave;
};

struct stage_list {
    int count, deform_count;
    struct shader_stage stages[MOST_STAGES];
    struct deform deforms[MOST_DEFORMS];
};

/* Reads the stages that have images; the lightmap becomes `lit` of those it is multiplied with.
 * Returns false when there is nothing to draw but one image with light: any program does that.
 * Texts are in the arena. */
bool stages_read(const struct shader_block *block, struct arena *arena, struct stage_list *out);

/* The image that a stage shows at a moment, in seconds. */
const char *stage_image_at(const struct shader_stage *stage, double seconds);

#endif
