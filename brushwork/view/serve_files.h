/* The files of a served map that are watched, and its token. */
#ifndef BRUSHWORK_VIEW_SERVE_FILES_H
#define BRUSHWORK_VIEW_SERVE_FILES_H

#include "common/core/arena.h"
#include "common/env.h"

/* Writes random hexadecimal digits and a NUL. Returns false when the system has no random
 * numbers. */
bool serve_token(char *out, size_t digits);

/* True for a folder in which the file is, or a folder around that. */
bool serve_is_around(const char *folder, const char *file);

struct watched {
    const char *path;
    struct fs_info built, last; /* when it was built from; when it was last looked at */
};

/* Files by their size and time, folders by the names in them; what is absent has none. */
struct watch {
    struct arena texts;
    struct watched *files; /* stb_ds array */
};

/* Watches one more file, as it is now. */
void watch_add(struct watch *watch, const struct env *env, const char *path);
/* Takes the files as they are now for those that are built from. */
void watch_begin(struct watch *watch, const struct env *env);
/* Returns true when files differ from what was built from, and were the same at the last look: an
 * editor that writes is not done. The first file is to be there. */
bool watch_has_changed(struct watch *watch, const struct env *env);
void watch_free(struct watch *watch);

#endif
