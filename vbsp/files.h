/* What stands around vbsp_run in a program: which files, the source read, the results written. */
#ifndef VBSP_FILES_H
#define VBSP_FILES_H

#include "common/assets/game_program.h"
#include "vbsp/check.h"
#include "vbsp/options.h"

struct vbsp_files {
    const char *level;
    const char *bsp;
    /* Beside the BSP; NULL when that is standard output. */
    const char *prt, *lin, *srf;
};

/* `output` is NULL or what -o named. Reports (USAGE) when the source would be overwritten. */
NODISCARD enum status vbsp_files_find(const struct env *env, const char *operand,
                                      const char *output, struct arena *arena,
                                      struct vbsp_files *out);

/* The extension of a source: ".vmm", ".map" or ".reg" where it has that, else ".vmf". */
const char *vbsp_level_extension(const char *path);

/* Reads and parses a VMF, a manifest (.vmm) or a MAP (.map, .reg, or text that begins as one and
 * is not called .vmf); free with level_free. */
NODISCARD enum status vbsp_read_level(const struct env *env, const char *path, struct level *out);

/* The pakfile lump of the BSP that an earlier run left; empty when there is none. */
NODISCARD enum status vbsp_read_old_pakfile(const struct env *env, const struct vbsp_files *files,
                                            struct bytes *out);

/* Writes the BSP and beside it notes on its surfaces if there are any, the portals unless the map
 * leaks, and the way of a leak or around an areaportal when there is one; removes what an earlier
 * run left and does not hold any more. Nothing is written when the format's limits are passed. Each
 * file is replaced whole. */
NODISCARD enum status vbsp_write_output(const struct env *env, const struct vbsp_files *files,
                                        const struct bsp_format *format,
                                        const struct vbsp_output *output);

/* A compile, from the command line to the result: the work of vbsp, and the first third of
 * `brushwork build`. */
struct vbsp_job {
    const struct program *program;
    const struct standard_options *standard;
    struct vbsp_settings *settings;
    const struct vbsp_check *check;
    bool sizes_only; /* of images: no stage that lights comes after this one */
    /* made as it goes */
    struct arena arena;
    struct vbsp_files files;
    const struct bsp_format *format;
    struct level level;
    struct assets *assets;
    struct bytes old_pakfile; /* of -keepstalezip */
    struct vbsp_output output;
};

/* Each goes on from the one before. The files, the format and what else the command line says; from
 * here on the console is in the stage. */
NODISCARD enum status vbsp_job_begin(struct vbsp_job *job);
/* The source, the options that stand in it, the content of the game, and the old pakfile. */
NODISCARD enum status vbsp_job_read(struct vbsp_job *job);
/* vbsp_run. */
NODISCARD enum status vbsp_job_compile(struct vbsp_job *job);
/* vbsp_check_report. */
void vbsp_job_report(const struct vbsp_job *job);
/* What --fail-if and --check make of the status of the compile. */
NODISCARD enum status vbsp_job_judge(const struct vbsp_job *job, enum status status);
/* Adds the map and its limits to the summary of the run, as far as there are any, and the next step
 * after a leak. */
void vbsp_job_summarise(const struct vbsp_job *job, enum status status);
/* At any time; reports what is to be told of all shaders. */
void vbsp_job_free(struct vbsp_job *job);

#endif
