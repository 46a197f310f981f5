/* The place of the source, so that a result does not depend on it.
 *
 * Paths that the compile derives from that of the source are below the source's folder, or below a
 * folder above it. They are kept as a number of steps up and the rest, and mean the same files
 * beside a source of the same name elsewhere. Paths that options give, and what is below them, are
 * kept as they are. A result is bound to its place when a path may have come either way, or a
 * message has one in its text. */
#ifndef VBSP_RESUME_SOURCE_PLACE_H
#define VBSP_RESUME_SOURCE_PLACE_H

#include "common/core/arena.h"
#include "common/core/sha256.h"
#include "common/diag/diag.h"
#include "common/io/fs.h"
#include "common/resume/fs_trace.h"

/* Paths of options: the folder of the game, one whose files are embedded, and game data. */
enum { SOURCE_PLACE_GAME, SOURCE_PLACE_EMBED, SOURCE_PLACE_FGD, SOURCE_PLACE_GIVEN };

/* Zero-initialise; free with source_place_free. */
struct source_place {
    const char *source, *folder;
    const char *given[SOURCE_PLACE_GIVEN]; /* of options; NULL: none */
    const char **instances;                /* stb_ds array: other folders of instances */
    bool is_mixed;                         /* one of these is below the folder, or above it; or the
                                              source is named in another way, as ./map.vmf */
    bool is_near;                          /* one has a folder in common with it */
    bool is_bound;                         /* paths are kept as they are */
    bool has_searched;                     /* the compile has asked for other files too */
    struct fs *asked;                      /* fs_trace of the compile without the game's content */
    struct arena arena;
};

/* `asked` is an fs_trace of what the compile itself reads, without the game's content. Borrowed. */
void source_place_begin(struct source_place *place, const char *source,
                        const char *const given[SOURCE_PLACE_GIVEN], struct fs *asked);
void source_place_free(struct source_place *place);

/* Adds a folder, besides those of maps above the source, in which the compile looks for instances:
 * for source_place_may_ask. */
void source_place_add_instances(struct source_place *place, const char *folder);

/* Adds what a result depends on in any case: the name of the source, which is in names of materials
 * and tells the form of the file, its contents, which `asked` has read, and how its folder lies to
 * the given paths. */
void source_place_hash(struct source_place *place, struct sha256 *hash);

/* Binds the place if it must be, after a compile that has reported these messages. */
void source_place_judge(struct source_place *place, const struct diag *messages);

/* True for a question that a compile of this source could ask: about maps in its folder, in those
 * of maps above it or in other folders of instances, about what options name and what is below
 * that, and about folders there. */
bool source_place_may_ask(struct source_place *place, const struct fs_trace_question *question);

/* The part of the place that a result depends on besides, after a compile was judged. */
enum source_scope {
    SOURCE_ANYWHERE, /* nothing */
    SOURCE_FOLDERS,  /* which folders above it are those of maps: files were searched */
    SOURCE_PATH      /* all of its path */
};
enum source_scope source_place_scope(const struct source_place *place);
/* The text that must be the same within a scope. */
const char *source_place_text(struct source_place *place, enum source_scope scope);

/* An fs_trace_rename, and a diag_rename: the form that is kept of a path, and back. The texts live
 * as long as the place. */
const char *source_place_shorten(void *place, const char *path);
const char *source_place_lengthen(void *place, const char *text);

/* A diag_rename: shortens the names of files that the compile itself has read. Others may be names
 * within the game's content. */
const char *source_place_shorten_file(void *place, const char *file);

#endif
