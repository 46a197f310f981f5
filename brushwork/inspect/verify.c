/* brushwork verify: checks the invariants of BSP files. */
#include "common/bsp/verify/verify.h"
#include "brushwork/inspect/limits_ahead.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/query.h"
#include "common/cli/program.h"
#include "common/core/array.h"

static const char details[] =
    "Reads each BSP as the engine would, and checks what engines rely on: indices and ranges, "
    "planes, faces, trees, leaves, clusters, brushes, areas, displacements, lighting, "
    "visibility, entities, textures, and the pakfile. The exit status is 1 if a file has an "
    "error. Warnings are about issues that Valve's own maps have, too. Limits are those of "
    "--target, otherwise of any branch with such files. FILE may be - for standard input.";

struct verify_values {
    struct standard_options standard;
    const char *target;
};

static const struct option_def verify_options[] = {BRANCH_OPTION(struct verify_values)};

static enum status verify_for(const struct verify_values *values, const struct bsp *bsp,
                              const char *path, struct diag *diag)
{
    const struct bsp_format *branch;
    if (!values->target)
        return bsp_verify(bsp, path, diag);
    TRY(branch_find(values->target, bsp, path, diag, &branch));
    return bsp_verify_for(bsp, branch, path, diag);
}

static enum status verify_file(const struct program *program, const char *path)
{
    const struct env *env = program->env;
    size_t warnings = diag_count(env->diag, DIAG_WARNING);
    struct bsp *bsp;
    TRY(bsp_read_file(env, path, &bsp));
    enum status status = verify_for(program->values, bsp, path, env->diag);
    warnings = diag_count(env->diag, DIAG_WARNING) - warnings;
    if (status == STATUS_OK)
        console_say(program->console, "%s: %s, faces %zu, leaves %zu, clusters %d: %s", path,
                    bsp->format->title, arrlenu(bsp->faces) + arrlenu(bsp->surfaces),
                    arrlenu(bsp->leaves), bsp_vis_clusters(bsp),
                    warnings ? "no errors, but warnings" : "no errors");
    bsp_free(bsp);
    return status;
}

static enum status verify_files(const struct program *program)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(program->result->operands); i++)
        if (verify_file(program, program_file(program, i, ".bsp")) != STATUS_OK)
            status = STATUS_FAILED;
    TRY(print_flush(program->env->diag));
    return status;
}

int verb_verify(int argc, char **argv)
{
    struct verify_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("verify")),
        .endings = "bsp",
        .details = details,
        .defs = verify_options,
        .count = sizeof verify_options / sizeof *verify_options,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, verify_files);
}
