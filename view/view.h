/* The viewer: a compiled map as one HTML page that draws it with WebGL 2.
 *
 * The page is complete: program, style and map are in it, and its Content-Security-Policy forbids
 * everything else. No text of the map stands in the HTML: the map is one block of compressed data
 * in base64, and the page shows its text as text. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "scene/views/scene_view.h"

struct view_options {
    int texture_size; /* larger images are shown at half their size, or a quarter ... */
    int quality;      /* of images without transparency, which are JPEGs: 1 .. 100 */
};

extern const struct view_options view_defaults;

/* Input of view_write. */
struct view_source {
    const struct map_scene *scene; /* of the map */
    const char *name;              /* of the map, as shown */
    struct scene_view start;       /* the first view: view_start, or another */
    double exposure;               /* factor for the light of that */
    struct bytes leak;             /* the text of its .lin or .pts file; empty: none */
    struct bytes portals;          /* the text of its .prt file; empty: none */
    const char *messages_file;     /* of the build: JSON or SARIF (pack/diagnostics.h); or NULL */
    const struct view_source
        *before; /* an earlier build to compare with, without messages; or NULL */
};

/* The view that a map opens with: that of scene_start_view, else of the middle of the map. */
struct scene_view view_start(const struct map_scene *scene);

/* Appends the page. The same bytes for the same map and options. */
NODISCARD enum status view_write(const struct env *env, const struct view_source *source,
                                 const struct view_options *options, struct bytes *html);

/* Appends the page without a map, which asks its server for one (page/serve.js). */
void view_shell_write(struct bytes *html);

/* Reads the messages of a build (pack/diagnostics.h) as text for such a page: an array as JSON.
 * Free with memory_free; NULL: there are none. */
char *view_messages_text(const struct bytes *file);

#endif
