/* Questions about content that somebody else has chosen, as those of an entry of a cache. */
#ifndef ASSETS_ASSETS_QUESTION_H
#define ASSETS_ASSETS_QUESTION_H

#include "common/assets/assets.h"
#include "common/resume/fs_trace.h"

/* True for a question that looking up content could ask (mounts/content_scope.h). */
bool assets_may_ask(const struct assets *assets, const struct fs_trace_question *question);

#endif
