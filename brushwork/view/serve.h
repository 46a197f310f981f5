/* brushwork view --serve: a map that is built and shown again when its source is saved. */
#ifndef BRUSHWORK_VIEW_SERVE_H
#define BRUSHWORK_VIEW_SERVE_H

#include "common/cli/program.h"

struct serve_options {
    int port;             /* 0: a free one */
    const char **build;   /* stb_ds array: further words of the command line of brushwork build */
    const char **view;    /* stb_ds array: those of brushwork view that make the same pages */
    const char *messages; /* the file of --messages, or NULL */
    bool keeps;           /* results of builds, in a cache of its own */
    bool is_json;         /* the address is printed as JSON */
    bool is_opened;       /* by the browser */
};

/* Serves the map of the first operand, a source or a BSP, until a signal asks it to end. Each build
 * and each page is made by a process of its own. */
NODISCARD enum status serve_map(const struct program *program, const struct serve_options *options);

#endif
