/* How a stage of a shader is blended with what is behind it. */
#ifndef SCENE_MATERIALS_BLEND_H
#define SCENE_MATERIALS_BLEND_H

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

#endif
