/* Lookups in game content so far: for caches, and for the other ranks of a run. */
#ifndef ASSETS_ASSETS_LOOKUPS_H
#define ASSETS_ASSETS_LOOKUPS_H

#include "common/assets/assets.h"
#include "common/resume/fs_trace.h"

/* Questions about content that somebody else has chosen, as those of an entry of a cache. */

/* True for a question that looking up content could ask (mounts/content_scope.h). */
bool assets_may_ask(const struct assets *assets, const struct fs_trace_question *question);

/* Returns the options that the assets were opened with, as assets_options_write has written them.
 */
const struct bytes *assets_opened_with(const struct assets *assets);

/* Called before and after a material is looked up (assets_material). */
struct assets_watch {
    void *context;
    void (*begin)(void *context); /* NULL: nothing is called */
    void (*end)(void *context, const char *name, const struct material *material);
};
void assets_watch(struct assets *assets, const struct assets_watch *watch);

/* Appends the names of materials and shaders that were looked up so far: all that later answers,
 * and reports of what was reported already, depend on, besides the files. */
void assets_append_names(const struct assets *assets, struct bytes *out);

/* The same of what was looked up, for the first time or again, since assets_begin_names. */
void assets_begin_names(struct assets *assets);
void assets_append_names_since(const struct assets *assets, struct bytes *out);

/* Returns true when something was reported of what was looked up: it is not reported again. */
bool assets_has_reported(const struct assets *assets);

/* Looks up the names that assets_append_names has written, as a run did that another one now goes
 * on from, without a report. Returns false when the reader has something else. */
bool assets_look_up_names(struct assets *assets, struct byte_reader *from);

#endif
