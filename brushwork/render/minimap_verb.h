/* Internal: brushwork render --minimap. */
#ifndef BRUSHWORK_RENDER_MINIMAP_VERB_H
#define BRUSHWORK_RENDER_MINIMAP_VERB_H

#include "brushwork/shared/verb_options.h"
#include "common/cli/program.h"
#include "render/minimap.h"

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

#endif
