/* Materials as a compile sees them: by their records, which hold less than their files do.
 *
 * While a material is read, its files are not noted by the trace of the compile, but the SHA-256 of
 * the record and of the messages about it. So a colour that only the game shows does not make the
 * compile run again. Files that the compile itself reads, such as a VMT that it patches, are
 * noted as ever. Shaders of Quake 3 are noted by their files. */
#ifndef VBSP_RESUME_MATERIAL_VIEW_H
#define VBSP_RESUME_MATERIAL_VIEW_H

#include "common/assets/assets.h"
#include "common/core/sha256.h"

/* Zero-initialise; free with material_view_free. */
struct material_view {
    struct fs *trace; /* of the compile */
    struct assets *assets;
    size_t messages; /* before the material that is read */
    /* Of the same content, for questions of earlier compiles. */
    struct env env;
    struct assets *others;
};

/* From here on, until material_view_end, the trace notes records. */
void material_view_begin(struct material_view *view, struct fs *trace, struct assets *assets);
void material_view_end(struct material_view *view);

/* An fs_trace_answer; the context is a view with its assets and, in env.fs, whom to ask. Opens the
 * content again when first called, so that those assets are not changed by what is asked here. */
bool material_view_answer(void *context, const char *name, unsigned char out[SHA256_SIZE]);

void material_view_free(struct material_view *view);

#endif
