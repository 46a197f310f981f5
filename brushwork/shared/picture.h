/* A verb that writes a file of what is seen of a compiled map: `render` and `view`. */
#ifndef BRUSHWORK_SHARED_PICTURE_H
#define BRUSHWORK_SHARED_PICTURE_H

#include "common/cli/program.h"
#include "render/render.h"

struct picture_paths {
    const char *map; /* "-": standard input */
    const char *out; /* "-": standard output */
};

struct picture_verb {
    const char *name;                        /* of the verb */
    const char *extension;                   /* of the output, where none is named */
    const char *out;                         /* the output that is named, or NULL */
    const struct standard_options *standard; /* with the content */
    const struct render_options *options;
    enum status (*write)(const struct program *program, const struct render *render,
                         const struct picture_paths *paths);
};

/* Reads the map that the first operand names, opens it with the game's content and writes it. Does
 * nothing but announce itself when `options_status`, that of the options, is not STATUS_OK. */
NODISCARD enum status picture_write(const struct program *program, const struct picture_verb *verb,
                                    enum status options_status);

#endif
