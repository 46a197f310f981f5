/* Shows a page in the browser of the user. */
#ifndef BRUSHWORK_SHARED_BROWSER_H
#define BRUSHWORK_SHARED_BROWSER_H

#include "common/cli/program.h"

/* Opens a file, or the address of a server, and does not wait until it is closed again. Reports
 * (BROWSER) when there is no browser, or it fails at once. */
NODISCARD enum status browser_open(const struct env *env, const char *page);

/* Returns why a run with these options cannot show the page, a path or "-"; or NULL. */
const char *browser_refusal(const struct standard_options *standard, const char *page);

/* Internal, of the system: returns NULL, or why the page was not opened. */
const char *browser_start(struct arena *arena, const char *page);

#endif
