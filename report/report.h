/* A page about a compiled map for those who review it: pictures, limits, costs, messages, clusters,
 * entities, materials, and how it differs from another one.
 *
 * The page is complete, without a script, and its Content-Security-Policy forbids everything but
 * its own style and pictures. It has no date, so that it is the same for the same inputs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "render/render.h"

struct report_settings {
    int pictures; /* at most this many, besides the one from above */
    bool times;   /* with the seconds of the build, which are not the same in each run */
};

extern const struct report_settings report_defaults;

enum { REPORT_PICTURES_MAX = 64 };

/* A map as render_open has prepared it. */
struct report_map {
    const struct render *render;
    const char *file; /* for messages */
    const char *name; /* as shown */
};

/* Input of report_write. */
struct report_source {
    struct report_map map;
    struct report_map against; /* the older map; render NULL: none */
    struct bytes messages;     /* of the build: JSON or SARIF; empty: not known */
    const char *messages_file; /* for messages */
    struct bytes leak_picture; /* a PNG, shown if the messages say that the map leaks; or empty */
};

/* Appends the page. Fails (reported) when the messages cannot be read or the maps not compared. */
NODISCARD enum status report_write(const struct env *env, const struct report_source *source,
                                   const struct report_settings *settings, struct bytes *html);

#endif
