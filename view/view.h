/* The viewer: a compiled map as one HTML page that draws it with WebGL 2.
 *
 * The page is complete: program, style and map are in it, and its Content-Security-Policy forbids
 * everything else. No text of the map stands in the HTML: the map is one block of compressed data
 * in base64, and the page shows its text as text. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "render/render.h"

struct view_options {
    int texture_size; /* larger images are shown at half their size, or a quarter ... */
    int quality;      /* of images without transparency, which are JPEGs: 1 .. 100 */
};

extern const struct view_options view_defaults;

/* Appends the page of a map that render_open has prepared. `name` is the map's name, as shown. The
 * same bytes for the same map and options. */
NODISCARD enum status view_write(const struct env *env, const struct render *render,
                                 const struct view_options *options, const char *name,
                                 struct bytes *html);

#endif
