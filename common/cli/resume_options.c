#include "common/cli/resume_options.h"
#include "common/diag/codes/checkpoints.def"

#include <string.h>

static const struct option_def defs[] = {
    {.name = "resume",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct resume_options, resume),
     .of_run = true,
     .two_dashes = true,
     .use = OPTION_COMMON,
     .touches_files = true,
     .help = "resume an interrupted run from its checkpoint"},
    {.name = "checkpoint-every",
     .argument = "SECONDS",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct resume_options, seconds),
     .max = 1e6,
     .of_run = true,
     .two_dashes = true,
     .help = "minimum interval between checkpoints; 0: after every step"},
};

struct option_group resume_option_group(size_t base)
{
    return (struct option_group){
        .title = "Checkpoints", .defs = defs, .count = sizeof defs / sizeof *defs, .base = base};
}

const char *resume_path_beside(const struct program *program, const struct resume_options *options,
                               struct arena *arena, const char *bsp, const char *ending)
{
    const struct env *env = program->env;
    if (strcmp(bsp, "-") == 0) {
        if (options->resume)
            (void)diag_report(env->diag, DIAG_CHECKPOINT_ABSENT, NULL,
                              "there is none for standard input and output");
        return NULL;
    }
    const char *path = path_beside(arena, bsp, ".bsp", ending);
    if (!options->resume && env->fs->ops->kind(env->fs, path) == FS_FILE)
        console_say(program->console, "  found checkpoint %s; use --resume to continue from it",
                    path);
    return path;
}

void resume_key(const struct program *program, const char *source, unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    options_hash(program->table, program->values, &hash);
    sha256_add(&hash, source, strlen(source) + 1);
    sha256_end(&hash, out);
}
