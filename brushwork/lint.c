/* brushwork lint: compiles maps as far as their faults show, and writes nothing. */
#include "brushwork/shared/print.h"
#include "brushwork/verbs.h"
#include "common/core/array.h"
#include "vbsp/files.h"
#include "vbsp/options.h"

static const char details[] =
    "Reports what vbsp --check does, and what compiles and does not work in the game: outputs and "
    "keys that name nobody, inputs and classes that the FGD does not know, duplicate ids, brush "
    "entities without solids, values that cannot be read, no player spawn, lights and cubemaps in "
    "solid, loops of parents and filters, areaportals that nothing seals, names that differ by "
    "case only, and, with the content of a game, missing sounds, game sounds without a "
    "soundscript, and missing sprites and models.\n\n"
    "MAP is a VMF, a manifest (.vmm) or a MAP. Nothing is printed for a map without faults, and "
    "no file is written. The exit status is 1 after errors and 3 after a leak; --fail-if warnings "
    "makes it 1 after warnings too.";

struct arguments {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vbsp_check check;
};

static const struct option_def lint_options[] = {
    {.name = "fgd",
     .argument = "FILE",
     .endings = "fgd",
     .kind = OPTION_TEXT,
     .path = OPTION_READS_BESIDE,
     .offset = offsetof(struct arguments, vbsp.options.fgd),
     .help = "the entity classes of the game (default: those that its gameinfo.txt names, or else "
             "bin/*.fgd in its folder or beside it)"},
    {.name = "target",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct arguments, vbsp.target),
     .two_dashes = true,
     .is_word = true,
     .help = "engine branch to check for (default: sdk2013 for a VMF, quake3 for a MAP)"},
};

static enum status compile(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    TRY(vbsp_job_begin(job));
    TRY(vbsp_job_read(job));
    enum status status = vbsp_job_compile(job);
    vbsp_job_report(job);
    if (vbsp_check_limits(job->standard->fail_if, job->format, job->output.bsp, env->diag) !=
        STATUS_OK)
        status = STATUS_FAILED;
    return vbsp_check_output(env, &job->files, job->format, &job->output, status);
}

static enum status worse(enum status a, enum status b)
{
    static const enum status order[] = {STATUS_USAGE, STATUS_FAILED, STATUS_LEAK};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return STATUS_OK;
}

/* Options that a map sets for itself hold for it only. */
static enum status lint_map(const struct program *program, const char *map)
{
    struct arguments *arguments = program->values;
    const struct vbsp_settings settings = arguments->vbsp;
    struct vbsp_job job = {.program = program,
                           .standard = &arguments->standard,
                           .settings = &arguments->vbsp,
                           .check = &arguments->check,
                           .map = map,
                           .sizes_only = true};
    enum status status = compile(&job);
    vbsp_job_free(&job);
    arguments->vbsp = settings;
    return status;
}

static enum status run_lint(const struct program *program)
{
    struct arguments *arguments = program->values;
    const struct env *env = program->env;
    enum status status = STATUS_OK;
    arguments->check.check = true;
    arguments->vbsp.options.lint_entities = true;
    arguments->vbsp.missing_instances = MISSING_INSTANCES_WARN;
    console_quiet(program->console);
    for (size_t i = 0; i < arrlenu(program->result->operands); i++)
        status = worse(status, lint_map(program, program->result->operands[i]));
    return worse(status, print_flush(env->diag));
}

int verb_lint(int argc, char **argv)
{
    struct arguments arguments = {.vbsp = vbsp_settings_defaults()};
    const struct arguments defaults = arguments;
    const struct verb *verb = brushwork_verb("lint");
    const struct game_program program = {
        .name = verb->program,
        .summary = verb->summary,
        .operand = verb->operands,
        .endings = "vmf vmm map",
        .details = details,
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
        .defs = lint_options,
        .count = sizeof lint_options / sizeof *lint_options,
        .fail_if = &vbsp_fail_if_option,
        .groups = {vbsp_report_option_group(offsetof(struct arguments, check))},
        .group_count = 1,
        .has_many_maps = true,
        .body = run_lint,
    };
    int status = game_program_run(&program, &arguments, &defaults, argc, argv);
    vbsp_settings_free(&arguments.vbsp);
    return status;
}
