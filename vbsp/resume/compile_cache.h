/* The result of a compile, kept by what it depends on (stage_cache.h). The trace of the stage has
 * the game's content; what the compile itself reads is a view, whose paths begin at the source. */
#ifndef VBSP_RESUME_COMPILE_CACHE_H
#define VBSP_RESUME_COMPILE_CACHE_H

#include "common/resume/stage_cache.h"
#include "vbsp/resume/material_view.h"
#include "vbsp/resume/source_place.h"
#include "vbsp/vbsp.h"

/* Zero-initialise; free with compile_cache_free. */
struct compile_cache {
    struct stage_cache stage;
    const struct bsp_format *format; /* of the BSP */
    struct assets *assets;           /* that the compile uses */
    struct material_view materials;
    struct source_place place;
    const char *pointfile; /* that messages about leaks name; or NULL */
    struct fs *own_asked;  /* fs_trace of place.asked asked again; or NULL */
    /* set when a result is used */
    struct bytes names; /* that its compile has asked the assets for (assets_append_names) */
    bool has_reported;  /* assets_has_reported, after it */
    struct diag *shader_reports; /* in place of assets_report_shaders; or NULL */
};

/* Fills an empty output from an earlier compile and reports its messages, or returns false and
 * begins to keep those of a compile. */
bool compile_cache_use(struct compile_cache *cache, struct vbsp_output *out);

/* Keeps the output of a compile that has succeeded. */
void compile_cache_keep(struct compile_cache *cache, const struct vbsp_output *output);

void compile_cache_free(struct compile_cache *cache);

#endif
