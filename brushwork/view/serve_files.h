/* The files of a served map: those that are watched, and those that are its answers; who may ask
 * for what. */
#ifndef BRUSHWORK_VIEW_SERVE_FILES_H
#define BRUSHWORK_VIEW_SERVE_FILES_H

#include "brushwork/view/serve_module.h"
#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/env.h"

enum { SERVE_TOKEN_SIZE = 32 }; /* hexadecimal digits: 128 bits */

/* All that there is below /TOKEN/. Nothing is answered without the token, or to a request that
 * names another host: that of a page whose name was made to lead here. */
struct serve_content {
    char token[SERVE_TOKEN_SIZE + 1];
    int port;
    struct bytes shell; /* "": the page without a map */
    struct bytes map;   /* "map": a page with one; empty: none yet */
    struct bytes state; /* "state": JSON with `news`; "state?after=NEWS" waits for another one */
    unsigned news;
};

/* A serve_answer_function; the context is a struct serve_content. */
void serve_answer(void *context, const struct serve_request *request, struct serve_answer *answer);

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
