/* The result of a compile, kept by what it depends on (stage_cache.h). The trace of the stage has
 * the game's content; what the compile itself reads is a view, whose paths begin at the source. */
#ifndef VBSP_RESUME_COMPILE_CACHE_H
#define VBSP_RESUME_COMPILE_CACHE_H

#include "common/stage/stage.h"
#include "vbsp/resume/material_view.h"
#include "vbsp/resume/source_place.h"
#include "vbsp/vbsp.h"

/* The result of a run of vbsp for the cache (stage_run.result). Zero-initialise; free with
 * compile_cache_free. */
struct compile_cache {
    /* Set by the caller, and borrowed. */
    struct fs *game;                    /* fs_trace of the game's content; NULL: nothing is kept */
    struct fs *asked;                   /* below that: whom to ask again */
    const struct bsp_format *format;    /* of the BSP */
    struct assets *assets;              /* that the compile uses */
    const char *pointfile;              /* that messages about leaks name; or NULL */
    const unsigned char *description;   /* sha256 of that of the game (--engine), or NULL */
    bool sizes_only;                    /* needs sizes of images alone */
    unsigned char options[SHA256_SIZE]; /* stage_options_key */
    struct source_place place;          /* has begun */
    struct vbsp_output *output;
    /* Set by the run. */
    struct stage_run *run;
    struct material_view materials;
    struct fs *own_asked; /* fs_trace of place.asked asked again; or NULL */
    /* Set when a result is used. */
    struct bytes names; /* that its compile has asked the assets for (assets_append_names) */
    bool has_reported;  /* assets_has_reported, after it */
    struct diag *shader_reports; /* in place of assets_report_shaders; or NULL */
};
extern const struct stage_result compile_cache_result;

void compile_cache_free(struct compile_cache *cache);

#endif
