/* The work of a program around vbsp_run: finding its files, reading the level, writing the results.
 * */
#ifndef VBSP_FILES_H
#define VBSP_FILES_H

#include "ballance/level/bmx_level.h"
#include "common/assets/game_program.h"
#include "common/bsp/json/game_json.h"
#include "common/farm/farm.h"
#include "vbsp/check.h"
#include "vbsp/resume/compile_cache.h"
#include "vbsp/resume/output_bytes.h"

struct vbsp_settings; /* options.h */

/* The program vbsp. */
program_main vbsp_program;

/* Those of its stages that other ranks do. */
extern const struct farm_stage vbsp_farm_stages[];

struct vbsp_files {
    const char *level;
    const char *bsp;
    /* Beside the BSP; NULL when that is standard output. */
    const char *prt, *lin, *srf, *pk3;
    struct fs_hold *hold;     /* of the BSP, if it is read too; ended by vbsp_job_free */
    const struct bytes *pack; /* for pk3; NULL: there is none */
};

/* `output` is the argument of -o or NULL. Reports (USAGE) when the level would be overwritten. */
NODISCARD enum status vbsp_files_find(const struct env *env, const char *operand,
                                      const char *output, struct arena *arena,
                                      struct vbsp_files *out);

/* The extension of a level: ".vmm", ".map", ".reg" or ".bmx" if it has that, else ".vmf". */
const char *vbsp_level_extension(const char *path);

/* Reads and parses a VMF, a manifest (.vmm), a MAP (.map, .reg, or text that begins like one in a
 * file not named .vmf) or a BM file (by its content, made playable); free with level_free. */
NODISCARD enum status vbsp_read_level(const struct env *env, const char *path, struct level *out);

/* Writes the BSP and, beside it, surface notes if there are any, the portals unless the map leaks,
 * the path of a leak or around an areaportal if there is one, and the pack of a BM file; removes
 * such files of an earlier run, but packs, that no longer apply. Writes nothing when a limit of the
 * format is exceeded. Each file is replaced atomically. */
NODISCARD enum status vbsp_write_output(const struct env *env, const struct vbsp_files *files,
                                        const struct bsp_format *format,
                                        const struct vbsp_output *output);

/* A compile, from the command line to the result: the work of vbsp, and the first stage of
 * `brushwork build`. */
struct vbsp_job {
    const struct program *program;
    struct standard_options *standard;
    struct vbsp_settings *settings;
    const struct vbsp_check *check;
    const char *map; /* the operand; NULL: the first */
    bool sizes_only; /* read only the sizes of images: no lighting stage follows */
    /* set by the steps */
    struct arena arena;
    struct vbsp_files files;
    struct game_description described; /* of --engine */
    const struct bsp_format *format;
    struct level level;
    struct fs *level_files; /* that a BM file brings, in memory; or NULL */
    struct bytes pack;      /* of those that the game needs */
    struct assets *assets;
    struct bytes old_pakfile; /* of -keepstalezip */
    struct vbsp_output output;
    /* Of what is read, when a result is kept; the program is then one that reads so. */
    /* fs_trace, or NULL: of all; over that, of what the compile itself reads; over the first too,
     * of the game's content with views, and over that, of the content as it is. */
    struct fs *trace, *compile, *game, *content;
    struct env traced;
    struct program reader;
    struct compile_cache cache;
};

/* From here on `trace` notes what the job reads. */
void vbsp_job_trace(struct vbsp_job *job);

/* The steps, in order. Finds the files, the format and the other settings of the command line;
 * starts the console's stage. */
NODISCARD enum status vbsp_job_begin(struct vbsp_job *job);
/* Reads the level, the options set in it, the game content, and the old pakfile. */
NODISCARD enum status vbsp_job_read(struct vbsp_job *job);
/* Calls vbsp_run. */
NODISCARD enum status vbsp_job_compile(struct vbsp_job *job);
/* Calls vbsp_check_report. */
void vbsp_job_report(const struct vbsp_job *job);
/* The final status after --fail-if and --check. */
NODISCARD enum status vbsp_job_judge(const struct vbsp_job *job, enum status status);
/* Adds the map and its limits to the summary of the run, as far as there are any, and the next step
 * after a leak. */
void vbsp_job_summarise(const struct vbsp_job *job, enum status status);
/* After a later stage: takes what it reports of shaders at the end, if its result came from the
 * cache (*reports is not NULL, and becomes NULL). */
void vbsp_job_take_shader_reports(struct vbsp_job *job, struct diag **reports);
/* May be called after any step. Reports the collected diagnostics of shaders. */
void vbsp_job_free(struct vbsp_job *job);

#endif
