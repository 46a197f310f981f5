/* Internal: the values of brushwork render, and what its parts share. */
#ifndef BRUSHWORK_RENDER_RENDER_VERB_H
#define BRUSHWORK_RENDER_RENDER_VERB_H

#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "common/bsp/sidecar/prt.h"
#include "common/cli/program.h"
#include "render/minimap.h"

/* Values of --minimap. */
struct minimap_values {
    struct minimap_options options;
    double bounds[6];
    bool wanted, black, white;
};

/* Rows of the table of options; `at` is the field of the values. */
/* clang-format off */
#define MINIMAP_NUMBER(values, at, option, member, low, high, what)                                \
    {.name = (option), .argument = "N", .kind = OPTION_NUMBER,                                     \
     .offset = offsetof(values, at.options.member), .min = (low), .max = (high),                   \
     .two_dashes = true, .use = OPTION_RARE, .help = (what)}

#define MINIMAP_OPTIONS(values, at)                                                                \
    VERB_FLAG(values, "minimap", at.wanted,                                                        \
              "draw the map from above, by the thickness of its brushes, as a TGA"),               \
    MINIMAP_NUMBER(values, at, "border", border, 0, 0.49,                                          \
                   "with --minimap: part of the side that stays free at each edge"),               \
    MINIMAP_NUMBER(values, at, "boost", boost, 0.001, 1000,                                        \
                   "with --minimap: above 1, thin things become brighter"),                        \
    MINIMAP_NUMBER(values, at, "sharpen", sharpen, 0, 1000,                                        \
                   "with --minimap: strength of sharpening; 0: none"),                             \
    MINIMAP_NUMBER(values, at, "brightness", brightness, -1000, 1000,                              \
                   "with --minimap: added to each value, 1 is white"),                             \
    MINIMAP_NUMBER(values, at, "contrast", contrast, -1000, 1000,                                  \
                   "with --minimap: factor of each value"),                                        \
    {.name = "minmax", .argument = "X Y Z X Y Z", .kind = OPTION_NUMBER,                           \
     .offset = offsetof(values, at.bounds), .min = -1e6, .max = 1e6, .arity = 6,                   \
     .two_dashes = true,                                                                           \
     .use = OPTION_RARE, .help = "with --minimap: two corners of the part to show (default: all solid brushes)"},      \
    VERB_RARE_FLAG(values, "no-keepaspect", at.options.stretch,                                         \
              "with --minimap: fill the picture, whatever the aspect of the map"),                 \
    VERB_RARE_FLAG(values, "no-autolevel", at.options.keep_levels,                                      \
              "with --minimap: 0 is air, 1 is solid from top to bottom"),                          \
    VERB_RARE_FLAG(values, "black", at.black,                                                           \
              "with --minimap: black with the values as alpha, not shades of grey"),               \
    VERB_RARE_FLAG(values, "white", at.white, "with --minimap: white with the values as alpha")
/* clang-format on */

/* Writes the picture of the operand to `out`, or beside it as NAME_mini.tga. */
NODISCARD enum status render_minimap(const struct program *program,
                                     const struct minimap_values *values, const char *out);

/* Refuses two choices of what is drawn, options without an effect on that, and a wrong number of
 * files. */
NODISCARD enum status render_check_modes(const struct program *program);

struct render_values {
    struct standard_options standard;
    struct render_options render;
    struct minimap_values minimap;
    const char *out;
    const char **from;
    const char *size;
    bool compare, leak, overview, levelshot, spawns;
    int debug; /* enum debug_mode */
    const char *pvs_from;
    struct vec3 pvs_place; /* if pvs_from */
    struct prt portals;    /* of --debug portals */
    unsigned char *compared[2];
    int compared_count;
    double cut;               /* of the overview */
    int turntable;            /* pictures */
    struct scene_view *views; /* stb_ds array: `from`, or those that other options choose */
};

/* render_draw, or what --debug shows instead. */
unsigned char *render_draw_wanted(const struct program *program, const struct render *render,
                                  const struct scene_view *view);

/* Write a picture_verb's file: --overview with the text that games of Source read, and
 * --levelshot. */
NODISCARD enum status render_write_overview(const struct program *program,
                                            const struct render *render,
                                            const struct picture_paths *paths);
NODISCARD enum status render_write_levelshot(const struct program *program,
                                             const struct render *render,
                                             const struct picture_paths *paths);

/* A picture_verb's `write` that draws a map, by its first view, into the next of values->compared;
 * and all of --compare but parsing the options, where that is `draw`. */
NODISCARD enum status render_draw_compared(const struct program *program,
                                           const struct render *render,
                                           const struct picture_paths *paths);
NODISCARD enum status render_compare(const struct program *program,
                                     const struct picture_verb *verb);

#endif
