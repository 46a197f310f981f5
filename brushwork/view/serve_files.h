/* The files of a served map: a folder for what is built, and files that are watched. */
#ifndef BRUSHWORK_VIEW_SERVE_FILES_H
#define BRUSHWORK_VIEW_SERVE_FILES_H

#include "common/core/arena.h"
#include "common/env.h"

/* Makes a folder that nobody else may read. Returns NULL with errno set. */
const char *serve_folder_make(struct arena *arena);
/* Removes it with its files. */
void serve_folder_remove(const struct env *env, const char *folder);

/* Writes random hexadecimal digits and a NUL. Returns false when the system has no random
 * numbers. */
bool serve_token(char *out, size_t digits);

struct watched {
    const char *path;
    struct fs_info built, last; /* when it was built from; when it was last looked at */
};

/* Files by their size and time; what is absent has none. */
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
