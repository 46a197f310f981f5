/* brushwork build: the three stages in one process, with the same bytes as the three programs. */
#include <string.h>

#include "brushwork/build_checkpoint.h"
#include "brushwork/many/many.h"
#include "brushwork/packing/pack_auto.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/convert/convert.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/cli/next_step.h"
#include "common/cli/provenance.h"
#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/checkpoints.def"
#include "common/diag/codes/usage.def"
#include "vbsp/files.h"
#include "vbsp/options.h"
#include "vbsp/target/source/update/update_options.h"
#include "vrad/files.h"
#include "vrad/vrad.h"
#include "vvis/vvis.h"

static const char details[] =
    "Compiles a map, computes its visibility and lights it, in one process. The output is the "
    "same as that of vbsp, vvis and vrad, one after the other. The portal file (.prt), and the "
    "surface notes (.srf) of a Quake 3 map, are written next to the BSP.\n\n"
    "If the map leaks, the BSP and a pointfile (.lin) from the outside to an entity are "
    "written, without visibility and lighting, and the exit status is 3. A picture of the hole "
    "(MAP_leak.png) shows it from the inside, with the way out, the solids beside it and an "
    "overview; a run without a leak removes it. MAP may be given with "
    "or without .vmf or .map; - is standard input. Files are replaced only on success.\n\n"
    "Long runs keep what they have made next to the output: the results of finished stages "
    "(.buildcheckpoint), rounds of visibility (.vischeckpoint) and phases of lighting "
    "(.vradcheckpoint). After a crash, Ctrl-C, SIGTERM or SIGHUP, --resume with the same options "
    "continues from there and gives the same result. What depends on a file that has changed since "
    "is made again. Another Ctrl-C ends the run at once. Runs with --report or --fail-if make all "
    "stages before lighting again, since these are about their messages.\n\n"
    "Of several maps each is compiled by a process of its own, up to -j at a time. @FILE stands "
    "for the maps of a list: a line a map, its name relative to the list, then options for it "
    "alone, words with blanks in quotes; # begins a comment. Names with *, ? and [ ] are patterns, "
    "in lists too, and ** in them stands for any folders. -o then names the folder of the "
    "outputs, which are otherwise beside the sources, and in it they have the folders of the "
    "sources: below that of the list, below the part of a pattern without wildcards, and of other "
    "maps below the folder that they have in common. Of one map, -o is a folder if it ends with /. "
    "Nothing is built when a map is missing or two "
    "have one output. -threads and --max-time are of all maps together. A map is started when "
    "--max-memory has room for it by a guess from the size of its "
    "source, and alone in any case; no map may take more. Under the jobserver of make (+ before "
    "the command in the recipe) each map after the first takes a token. What is printed of a map "
    "is printed when it has ended, then a line for each map. The exit status is the worst: 4, 5, "
    "2, 1, 3, 0. After a failure or a leak no further map is started, unless --keep-going is "
    "given. SIGINT, SIGTERM and SIGHUP end all maps.";

/* Units: positions in a BSP are floats. */
#define SAME_PLACE 0.01

enum last_stage { UNTIL_VBSP, UNTIL_VVIS, UNTIL_VRAD };

static const char *const stage_names[] = {"vbsp", "vvis", "vrad", NULL};

struct arguments {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vbsp_check check;
    struct vvis_options vvis;
    struct vrad_options vrad;
    struct resume_options resume;
    struct many many;
    bool no_leak_picture, pack;
    const char **stock; /* stb_ds array */
    int preset;         /* enum build_preset */
    int until;          /* enum last_stage */
};

/* The files that keep what is done, on `env`. What is read goes through the job's trace, where they
 * find it. */
struct resumable {
    const struct env *env;
    struct build_checkpoint stages;
    struct vvis_session vvis;
    struct vrad_session vrad;
};

static const struct option_def build_options[] = {
    {.name = "preset",
     .argument = "NAME",
     .kind = OPTION_CHOICE,
     .choices = build_preset_names,
     .offset = offsetof(struct arguments, preset),
     .two_dashes = true,
     .help = "quality of visibility and lighting; fast sets -fast for vvis and vrad, preview also "
             "--preview for vrad, final sets -final"},
    {.name = "until",
     .argument = "STAGE",
     .kind = OPTION_CHOICE,
     .choices = stage_names,
     .offset = offsetof(struct arguments, until),
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "the last stage: after vbsp the BSP is written without visibility and light, after "
             "vvis without light"},
    {.name = "no-leak-picture",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, no_leak_picture),
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "write no MAP_leak.png if the map leaks"},
    {.name = "pack",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, pack),
     .two_dashes = true,
     .help = "pack all files that the map uses and the game does not have, as brushwork pack "
             "--auto does; with -game"},
    VERB_STOCK(struct arguments, .use = OPTION_RARE,
               .help = "with --pack: players have these files, too: those of a folder, of a .vpk, "
                       "or of a list with a name a line; repeatable"),
};

static void apply_preset(struct arguments *arguments)
{
    const bool previews = arguments->preset == PRESET_PREVIEW;
    if (previews)
        arguments->vrad.preview = arguments->vrad.fast_ambient = true;
    if (previews || arguments->preset == PRESET_FAST)
        arguments->vvis.fast = arguments->vrad.fast = true;
    else if (arguments->preset == PRESET_FINAL)
        arguments->vrad.final = true;
}

static void report_limits(struct vbsp_job *job)
{
    if (job->output.bsp && job->output.limits.format)
        limit_report_update(&job->output.limits, job->output.bsp);
    vbsp_job_report(job);
}

/* Draws the leak of a run that has one, and else removes the picture of an earlier run. */
static enum status update_leak_picture(struct vbsp_job *job, bool leaks)
{
    const struct arguments *arguments = job->program->values;
    const struct env *env = job->program->env;
    if (!job->files.lin)
        return STATUS_OK;
    const char *path = path_beside(&job->arena, job->files.bsp, ".bsp", "_leak.png");
    if (!leaks || arguments->no_leak_picture)
        return fs_remove_stale(env->fs, env->diag, path);
    console_stage(job->program->console, "render", NULL);
    return leak_picture_write(env, job->assets, job->output.bsp, &leak_picture_options, path);
}

static enum status build_map(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    enum status status = vbsp_job_compile(job);
    if (status != STATUS_OK || job->check->check)
        report_limits(job);
    status = vbsp_job_judge(job, status);
    if (job->check->check || (status != STATUS_OK && status != STATUS_LEAK))
        return status;
    TRY(vbsp_write_dumps(env, job->files.bsp, &job->settings->dumps, &job->output));
    if (status == STATUS_LEAK) {
        TRY(vbsp_write_output(env, &job->files, job->format, &job->output));
        TRY(update_leak_picture(job, true));
    }
    return status;
}

/* Reads the portals as their file has them: its numbers are rounded, and vvis sees only those. */
static enum status read_portals_as_written(const struct vbsp_job *job, struct prt *out)
{
    struct bytes text = {0};
    vbsp_format_portals(&job->output, &text);
    enum status status =
        prt_parse((const char *)text.data, text.size, "portals", job->program->env->diag, out);
    bytes_free(&text);
    return status;
}

static enum status build_visibility(struct vbsp_job *job, const struct vvis_options *options,
                                    struct vvis_session *session)
{
    struct prt prt = {0};
    enum status status = read_portals_as_written(job, &prt);
    if (status == STATUS_OK)
        status = vvis_run(job->program->env, options, session, &prt, job->output.bsp);
    prt_free(&prt);
    return status;
}

/* Returns the entity with the id, else the one that stands at the point; or NULL. */
static const struct map_entity *entity_of(const struct level *level, const struct diag_where *where)
{
    for (size_t i = 1; i < arrlenu(level->entities) && where->entity_id; i++)
        if (level->entities[i].id == where->entity_id)
            return &level->entities[i];
    for (size_t i = 1; i < arrlenu(level->entities) && where->has_point && !where->entity_id; i++) {
        const double *p = where->point;
        struct vec3 origin;
        if (entity_vector(&level->entities[i].keys, "origin", &origin) &&
            vec3_distance(origin, vec3(p[0], p[1], p[2])) < SAME_PLACE)
            return &level->entities[i];
    }
    return NULL;
}

/* vrad reports entities by what the BSP has of them. Those of instances are known as the map's. */
static void locate_in_level(void *context, struct diag_where *where)
{
    const struct level *level = context;
    const struct map_entity *entity = entity_of(level, where);
    if (!entity && !where->entity_id && !where->has_point)
        return;
    where->file = level->file;
    if (!entity)
        return;
    struct diag_where found = map_where(level, entity, NULL, NULL);
    found.has_point = where->has_point;
    memcpy(found.point, where->point, sizeof found.point);
    *where = found;
}

/* The stages before light have read a part of the game's content: the trace has all of it. */
static void begin_light_cache(const struct vbsp_job *job, struct vrad_session *session)
{
    session->content = job->content;
    session->names = job->cache.names.size ? &job->cache.names : NULL;
    session->has_reported = job->cache.has_reported;
    session->format = job->format;
    stage_options_key(&vrad_stage, job->program, session->options);
    if (job->settings->engine)
        memcpy(session->description, job->described.digest, SHA256_SIZE);
}

/* MAP.rad is usually next to the source; if the BSP goes elsewhere, it is found there too. */
static enum status build_light(struct vbsp_job *job, struct vrad_options *options,
                               struct vrad_session *session)
{
    const struct env *env = job->program->env;
    const struct vbsp_files *files = &job->files;
    options->map_rad = vrad_map_rad(env, &job->arena, files->bsp, ".bsp");
    if (!options->map_rad)
        options->map_rad =
            vrad_map_rad(env, &job->arena, files->level, vbsp_level_extension(files->level));
    options->quake3.notes = &job->output.notes;
    options->quake3.map_path = files->bsp;
    /* As the file has it between the stages, so that they share what is kept. */
    if (arrlen(job->output.notes.items))
        TRY(baked_lights_drop(job->output.bsp, env->diag));
    begin_light_cache(job, session);
    diag_set_locator(env->diag, locate_in_level, &job->level);
    enum status status =
        vrad_run(assets_env(job->assets), options, session, job->assets, job->output.bsp);
    diag_set_locator(env->diag, NULL, NULL);
    vbsp_job_take_shader_reports(job, &session->shader_reports);
    TRY(status);
    bsp_light_fit(job->output.bsp, job->format, env->diag);
    return STATUS_OK;
}

static bool has_file(const struct env *env, const char *path)
{
    return path && env->fs->ops->kind(env->fs, path) == FS_FILE;
}

/* One message for the three files. */
static void report_files(const struct resumable *run, bool resume, struct console *console)
{
    const struct stage_session *const sessions[] = {&run->stages.session, &run->vvis.stage,
                                                    &run->vrad.stage};
    const char *found = NULL, *last = run->vrad.stage.checkpoint;
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions && !found; i++)
        found = has_file(run->env, sessions[i]->checkpoint) ? sessions[i]->checkpoint : NULL;
    if (found && !resume)
        console_say(console, "  found checkpoint %s; use --resume to continue from it", found);
    else if (!found && resume)
        (void)diag_report(run->env->diag, DIAG_CHECKPOINT_ABSENT,
                          &(struct diag_where){.file = last},
                          last ? "no interrupted run left one; starting over"
                               : "there is none for standard input and output");
}

/* A file that is not there is none to go on from. What vvis reads is in its key. */
static void begin_sessions(struct resumable *run, const struct resume_options *options,
                           struct fs *trace)
{
    struct stage_session *const sessions[] = {&run->stages.session, &run->vvis.stage,
                                              &run->vrad.stage};
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++) {
        sessions[i]->resume = *options;
        sessions[i]->resume.resume = options->resume && has_file(run->env, sessions[i]->checkpoint);
    }
    run->stages.session.trace = run->vrad.stage.trace = trace;
}

/* From here on the job reads through the trace. */
static void begin_files(struct resumable *run, struct vbsp_job *job, const struct program *program,
                        const struct resume_options *options)
{
    const char *bsp = job->files.bsp;
    *run = (struct resumable){.env = program->env, .stages.job = job};
    run->stages.session.env = run->vvis.stage.env = run->vrad.stage.env = run->env;
    run->vrad.format = job->format;
    if (job->check->check)
        return;
    if (strcmp(bsp, "-") != 0 && strcmp(job->files.level, "-") != 0) {
        if (!job->check->report && !arrlen(job->standard->fail_if))
            run->stages.session.checkpoint =
                path_beside(&job->arena, bsp, ".bsp", ".buildcheckpoint");
        run->vvis.stage.checkpoint = path_beside(&job->arena, bsp, ".bsp", vvis_stage.checkpoint);
        run->vrad.stage.checkpoint = path_beside(&job->arena, bsp, ".bsp", vrad_stage.checkpoint);
        vbsp_job_trace(job);
    }
    report_files(run, options->resume, program->console);
    begin_sessions(run, options, job->trace);
}

/* The checkpoint of vvis has no more use when its result is kept. */
static void remove_rounds(struct resumable *run)
{
    stage_session_remove(&run->vvis.stage, run->env);
    run->vvis.stage.is_kept = false;
}

static void remove_files(struct resumable *run)
{
    stage_session_remove(&run->stages.session, run->env);
    remove_rounds(run);
    stage_session_remove(&run->vrad.stage, run->env);
}

static void tell_kept(const struct resumable *run, struct console *console)
{
    stage_session_tell(&run->stages.session, console);
    stage_session_tell(&run->vvis.stage, console);
    stage_session_tell(&run->vrad.stage, console);
}

/* The lighting also depends on a visibility that a budget of seconds makes unrepeatable. */
static void set_light_key(struct vrad_session *session, const struct vbsp_job *job)
{
    unsigned char options[SHA256_SIZE];
    const struct bytes *visibility = &job->output.bsp->visibility;
    struct sha256 hash;
    resume_key(job->program, job->files.level, options);
    sha256_begin(&hash);
    sha256_add(&hash, options, sizeof options);
    sha256_add(&hash, visibility->data, visibility->size);
    if (job->settings->engine)
        sha256_add(&hash, job->described.digest, SHA256_SIZE);
    sha256_end(&hash, session->stage.key);
}

/* The stages up to visibility, as far as an earlier run has not done them. */
static enum status build_to_visibility(struct vbsp_job *job, const struct arguments *arguments,
                                       struct resumable *run)
{
    struct console *console = job->program->console;
    TRY(vbsp_job_read(job));
    build_checkpoint_begin(&run->stages);
    enum build_stage done = build_checkpoint_resume(&run->stages, job);
    if (done < BUILD_COMPILED) {
        TRY(build_map(job));
        build_checkpoint_keep(&run->stages, BUILD_COMPILED);
    }
    if (done >= BUILD_SEEN || job->check->check || arguments->until == UNTIL_VBSP)
        return STATUS_OK;
    console_stage(console, vvis_stage.name, NULL);
    stage_session_key(&vvis_stage, job->program, job->files.level, &run->vvis.stage);
    console_saves(console, run->stages.session.checkpoint || run->vvis.stage.checkpoint);
    enum status status = build_visibility(job, &arguments->vvis, &run->vvis);
    if (status == STATUS_OK || env_stopped(job->program->env))
        build_checkpoint_keep(&run->stages, status == STATUS_OK ? BUILD_SEEN : BUILD_COMPILED);
    if (run->stages.session.is_kept && run->stages.stage == BUILD_SEEN)
        remove_rounds(run);
    return status;
}

/* With --pack, adds what the map uses, before anything is written. */
static enum status pack_files(struct vbsp_job *job, const struct arguments *arguments)
{
    const struct pack_auto_options options = {.standard = &arguments->standard,
                                              .stock = arguments->stock,
                                              .stock_count = arrlenu(arguments->stock)};
    struct pack_auto_result result = {0};
    struct archive_edit edit;
    struct arena arena = {0};
    if (!arguments->pack)
        return STATUS_OK;
    archive_edit_begin(job->program->env, job->output.bsp, job->files.bsp, &edit);
    enum status status = pack_auto(&edit, &options, &result);
    if (status == STATUS_OK)
        console_say(job->program->console, "pack: %s", pack_auto_summary(&result, &arena));
    if (status == STATUS_OK)
        status = archive_edit_finish(&edit);
    else
        archive_edit_abandon(&edit);
    pack_auto_free(&result);
    arena_free(&arena);
    return status;
}

/* Checks, reports and writes the result of the last stage. */
static enum status write_result(struct vbsp_job *job, const struct arguments *arguments,
                                struct resumable *run)
{
    const struct env *env = job->program->env;
    TRY(pack_files(job, arguments));
    report_limits(job);
    TRY(vbsp_check_conditions(job->standard->fail_if, job->format, job->output.bsp, env->diag));
    TRY(vbsp_write_output(env, &job->files, job->format, &job->output));
    TRY(update_leak_picture(job, false));
    remove_files(run);
    return STATUS_OK;
}

static enum status build_stages(struct vbsp_job *job, struct arguments *arguments,
                                struct resumable *run)
{
    struct console *console = job->program->console;
    TRY(build_to_visibility(job, arguments, run));
    if (job->check->check)
        return STATUS_OK;
    if (arguments->until != UNTIL_VRAD)
        return write_result(job, arguments, run);
    console_stage(console, vrad_stage.name, NULL);
    console_saves(console, run->vrad.stage.checkpoint != NULL);
    set_light_key(&run->vrad, job);
    TRY(build_light(job, &arguments->vrad, &run->vrad));
    TRY(write_result(job, arguments, run));
    map_summary_light(console_summary(console), job->output.bsp);
    next_step_play(job->program, &arguments->standard, job->files.bsp, job->format->engine);
    return STATUS_OK;
}

/* An option_adapt. */
static enum status settle(const struct option_table *table, void *values,
                          struct option_result *result, struct diag *diag)
{
    struct arguments *arguments = values;
    return many_settle(&arguments->many, table, &arguments->standard, &arguments->vbsp.output,
                       result, diag);
}

/* vbsp takes MAP.bsp for MAP.vmf, as Valve's does; who builds a BSP may mean anything. */
static enum status refuse_compiled(const struct program *program)
{
    const char *operand = program->result->operands[0];
    if (!str_ends_nocase(operand, ".bsp"))
        return STATUS_OK;
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                      "%s is a compiled map, which would be replaced; name its source", operand);
    return STATUS_USAGE;
}

static enum status run_build(const struct program *program)
{
    struct arguments *arguments = program->values;
    if (arguments->vbsp.update->only_ents || arguments->vbsp.update->only_props) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                          "-onlyents and -onlyprops update a compiled map; use vbsp for them");
        return STATUS_USAGE;
    }
    if (arguments->many.is_many)
        return many_run(program, &arguments->many, arguments->vbsp.output, arguments->check.check);
    TRY(refuse_compiled(program));
    apply_preset(arguments);
    struct vbsp_job job = {.program = program,
                           .standard = &arguments->standard,
                           .settings = &arguments->vbsp,
                           .check = &arguments->check};
    struct resumable run = {.env = program->env};
    console_catch_signals(program->console);
    enum status status = vbsp_job_begin(&job);
    if (status == STATUS_OK) {
        begin_files(&run, &job, program, &arguments->resume);
        status = build_stages(&job, arguments, &run);
    }
    if (status == STATUS_LEAK)
        remove_files(&run);
    tell_kept(&run, program->console);
    vbsp_job_summarise(&job, status);
    vbsp_job_free(&job);
    return status;
}

const struct farm_stage brushwork_farm_stages[] = {
    {"vvis", vvis_work}, {"vrad", vrad_work}, {NULL, NULL}};

int build_program(int argc, char *const *argv, const struct host *host)
{
    struct arguments arguments = {
        .standard = {.console.host = host},
        .vbsp = vbsp_settings_defaults(),
        .vvis = vvis_defaults,
        .vrad = vrad_defaults,
        .resume.seconds = RESUME_DEFAULT_SECONDS,
        .many = {.argc = argc, .argv = argv},
        .preset = PRESET_NORMAL,
        .until = UNTIL_VRAD,
    };
    const struct arguments defaults = arguments;
    const struct verb *verb = brushwork_verb("build");
    const struct game_program program = {
        .name = verb->program,
        .summary = verb->summary,
        .operand = verb->operands,
        .endings = "vmf vmm map bmx",
        .details = details,
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
        .defs = build_options,
        .count = sizeof build_options / sizeof *build_options,
        .fail_if = &vbsp_fail_if_option,
        .groups = {vbsp_option_group(offsetof(struct arguments, vbsp)),
                   vbsp_check_option_group(offsetof(struct arguments, check)),
                   vvis_option_group(offsetof(struct arguments, vvis)),
                   vrad_option_group(offsetof(struct arguments, vrad)),
                   resume_option_group(offsetof(struct arguments, resume)),
                   many_option_group(offsetof(struct arguments, many.options)),
                   cache_option_group(offsetof(struct arguments, standard)),
                   provenance_option_group(offsetof(struct arguments, standard))},
        .group_count = 8,
        .has_many_maps = true,
        .adapt = settle,
        .has_depfile = true,
        .body = run_build,
    };
    int status = game_program_run(&program, &arguments, &defaults, argc, argv);
    vbsp_settings_free(&arguments.vbsp);
    many_free(&arguments.many);
    arrfree(arguments.stock);
    return status;
}

int verb_build(int argc, char **argv)
{
    return build_program(argc, argv, NULL);
}
