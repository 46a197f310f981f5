/* Internal: what the parts of brushwork render share. */
#ifndef BRUSHWORK_RENDER_RENDER_VERB_H
#define BRUSHWORK_RENDER_RENDER_VERB_H

#include "brushwork/render/minimap_verb.h"
#include "brushwork/shared/picture.h"
#include "common/bsp/sidecar/prt.h"

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
