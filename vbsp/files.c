#include "vbsp/files.h"

#include <string.h>

#include "common/assets/map_catalogue.h"
#include "common/assets/mounts/mount.h"
#include "common/bsp/engine_content.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/cli/next_step.h"
#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/resume/fs_trace.h"
#include "vbsp/level/instances/instance.h"
#include "vbsp/options.h"
#include "vbsp/target/source/update/update_options.h"

static bool is_manifest(const char *path)
{
    return str_ends_nocase(path, ".vmm");
}

static bool is_map(const char *path)
{
    return str_ends_nocase(path, ".map") || str_ends_nocase(path, ".reg");
}

const char *vbsp_level_extension(const char *path)
{
    static const char *const extensions[] = {".vmm", ".map", ".reg", ".bmx"};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (str_ends_nocase(path, extensions[i]))
            return extensions[i];
    return ".vmf";
}

/* Without an extension, a VMF takes precedence over a MAP. */
static const char *level_of_operand(const struct env *env, const char *operand, struct arena *arena)
{
    if (strcmp(vbsp_level_extension(operand), ".vmf") != 0)
        return path_of_operand(arena, env->fs, operand, vbsp_level_extension(operand));
    const char *vmf = path_of_operand(arena, env->fs, operand, ".vmf");
    const char *map = path_beside(arena, vmf, ".vmf", ".map"); /* with the separators of vmf */
    bool only_map = !str_ends_nocase(operand, ".vmf") &&
                    env->fs->ops->kind(env->fs, vmf) != FS_FILE &&
                    env->fs->ops->kind(env->fs, map) == FS_FILE;
    return only_map ? map : vmf;
}

enum status vbsp_files_find(const struct env *env, const char *operand, const char *output,
                            struct arena *arena, struct vbsp_files *out)
{
    *out = (struct vbsp_files){.level = level_of_operand(env, operand, arena)};
    if (output)
        out->bsp = output;
    else if (strcmp(out->level, "-") == 0)
        out->bsp = "-";
    else
        out->bsp = path_beside(arena, out->level, vbsp_level_extension(out->level), ".bsp");
    if (strcmp(out->bsp, "-") == 0)
        return STATUS_OK;
    if (strcmp(out->bsp, out->level) == 0) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL, "%s is both the map and the output",
                          out->level);
        return STATUS_USAGE;
    }
    out->prt = path_beside(arena, out->bsp, ".bsp", ".prt");
    out->lin = path_beside(arena, out->bsp, ".bsp", ".lin");
    out->srf = path_beside(arena, out->bsp, ".bsp", ".srf");
    out->pk3 = path_beside(arena, out->bsp, ".bsp", ".pk3");
    return STATUS_OK;
}

static enum status parse_bmx(const struct env *env, const char *path, const struct bytes *file,
                             const struct engine *engine, struct level *out,
                             struct bmx_level_files *files)
{
    struct arena arena = {0};
    const char *name = strcmp(path, "-") == 0 ? "level" : level_name(&arena, path);
    const struct bmx_level_options options = {.name = name, .engine = engine, .playable = true};
    enum status status =
        bmx_level_read(file->data, file->size, &options, path, env->diag, out, files);
    arena_free(&arena);
    return status;
}

/* Detects the format by the file extension, else by the first characters. */
static enum status parse_level(const struct env *env, const char *path, const char *text,
                               size_t size, const struct bsp_format *format, struct level *out)
{
    const bool escaped = format && format->escapes == ESCAPES_QUOTES;
    if (is_manifest(path))
        return manifest_parse(env, text, size, path, escaped, out);
    if (is_map(path) || (!str_ends_nocase(path, ".vmf") && map_is_map(text, size)))
        return map_parse(text, size, path, env->diag, out);
    return vmf_parse_quotes(escaped, text, size, path, env->diag, out);
}

/* vbsp_read_level with the files that a BM file brings, empty for others, for the engine of the
 * format (struct bmx_level_options), or of none. Free them with bmx_level_files_free. */
static enum status vbsp_read_level_files(const struct env *env, const char *path,
                                         const struct bsp_format *format, struct level *out,
                                         struct bmx_level_files *files)
{
    const struct engine *engine = format ? format->engine : NULL;
    struct bytes file = {0};
    *files = (struct bmx_level_files){0};
    progress_begin(env->progress, "read", 0);
    enum status status = fs_load(env->fs, env->diag, path, &file);
    if (status == STATUS_OK)
        status = bmx_is_bmx(file.data, file.size)
                     ? parse_bmx(env, path, &file, engine, out, files)
                     : parse_level(env, path, (const char *)file.data, file.size, format, out);
    progress_end(env->progress);
    bytes_free(&file);
    return status;
}

enum status vbsp_read_level(const struct env *env, const char *path, struct level *out)
{
    struct bmx_level_files files;
    enum status status = vbsp_read_level_files(env, path, NULL, out, &files);
    bmx_level_files_free(&files);
    return status;
}

/* The pakfile lump of the existing BSP; empty if there is none. The file is held from here on. */
static enum status vbsp_read_old_pakfile(const struct env *env, struct vbsp_files *files,
                                         struct bytes *out)
{
    *out = (struct bytes){0};
    struct bytes file = {0};
    struct bsp *bsp;
    TRY(env_hold(env, files->bsp, files->bsp, &files->hold));
    if (!fs_load_optional(env->fs, env->diag, files->bsp, &file))
        return env_may_write(env);
    TRY(bsp_decode_part(&file, UINT64_C(1) << LUMP_PAKFILE, files->bsp, env->diag, &bsp));
    bytes_append(out, bsp->pakfile.data, bsp->pakfile.size);
    bsp_free(bsp);
    return STATUS_OK;
}

static void lin_format(const struct vec3 *path, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(path); i++)
        bytes_append_text(out, "%f %f %f\n", path[i].x, path[i].y, path[i].z);
}

/* Writes a file beside the BSP, or removes that of an earlier run if `text` is NULL. */
static enum status write_side(const struct env *env, const char *path, const struct bytes *text)
{
    if (text)
        return env_store(env, path, text->data, text->size);
    return fs_remove_stale(env->fs, env->diag, path);
}

/* A leaking map has no portals; one in which only an areaportal leaks has both files. */
static enum status write_sides(const struct env *env, const struct vbsp_files *files,
                               const struct vbsp_output *output)
{
    if (!files->prt)
        return STATUS_OK;
    struct bytes prt = {0}, lin = {0}, srf = {0};
    const struct vec3 *path = output->leak ? output->leak : output->area_leak;
    bool sealed = output->bsp && !output->leak;
    if (sealed)
        vbsp_format_portals(output, &prt);
    lin_format(path, &lin);
    enum status status = write_side(env, files->prt, sealed ? &prt : NULL);
    if (status == STATUS_OK)
        status = write_side(env, files->lin, path ? &lin : NULL);
    if (status == STATUS_OK && arrlen(output->notes.items)) {
        surface_notes_format(&output->notes, output->bsp, &srf);
        status = write_side(env, files->srf, &srf);
    }
    if (status == STATUS_OK && files->pack)
        status = write_side(env, files->pk3, files->pack);
    bytes_free(&prt);
    bytes_free(&lin);
    bytes_free(&srf);
    return status;
}

static enum status store_bsp(const struct env *env, const struct vbsp_files *files,
                             const struct bytes *bytes)
{
    const struct fs_segment all = {.data = bytes->data, .size = bytes->size};
    const struct fs_gather gather = {.segments = &all, .count = 1, .hold = files->hold};
    TRY(env_may_write(env));
    TRY(fs_store_gather(env->fs, env->diag, files->bsp, &gather));
    progress_wrote(env->progress, files->bsp);
    return STATUS_OK;
}

/* Lights that the notes list are not in the file: q3map2's light stage would add those of the .map
 * to them. */
static enum status encode(const struct vbsp_files *files, const struct bsp_format *format,
                          const struct vbsp_output *output, struct diag *diag, struct bytes *out)
{
    struct bsp *bsp = output->bsp;
    char *const entities = bsp->entities;
    struct bytes lights = {0}, rest = {0};
    if (files->prt && arrlen(output->notes.items))
        TRY(baked_lights_split(bsp, diag, &lights, &rest));
    if (lights.size) {
        bsp->entities = NULL;
        memcpy(arraddnptr(bsp->entities, rest.size), rest.data, rest.size);
    }
    enum status status = bsp_encode(bsp, format, files->bsp, diag, out);
    if (lights.size)
        arrfree(bsp->entities);
    bsp->entities = entities;
    bytes_free(&lights);
    bytes_free(&rest);
    return status;
}

enum status vbsp_write_output(const struct env *env, const struct vbsp_files *files,
                              const struct bsp_format *format, const struct vbsp_output *output)
{
    struct bytes bytes = {0};
    enum status status = STATUS_OK;
    progress_begin(env->progress, "write", 0);
    if (output->bsp) {
        status = encode(files, format, output, env->diag, &bytes);
        if (status == STATUS_OK)
            status = store_bsp(env, files, &bytes);
        progress_count(env->progress, "BSP bytes", (int64_t)bytes.size);
    }
    if (status == STATUS_OK)
        status = write_sides(env, files, output);
    progress_end(env->progress);
    bytes_free(&bytes);
    return status;
}

/* -tempname: the operand only names the outputs. */
static enum status read_elsewhere(struct vbsp_settings *settings, struct diag *diag,
                                  struct vbsp_files *files)
{
    if (strcmp(files->bsp, settings->source) == 0) {
        (void)diag_report(diag, DIAG_USAGE, NULL, "%s is both the map and the output", files->bsp);
        return STATUS_USAGE;
    }
    if (!settings->target && is_map(files->level))
        settings->target = engine_of_level(files->level)->target;
    files->level = settings->source;
    return STATUS_OK;
}

/* The files that the run may write, before the work that they take. */
static enum status prepare_output(const struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    const struct vbsp_settings *settings = job->settings;
    const struct vbsp_files *files = &job->files;
    bool updates = settings->update->only_ents || settings->update->only_props;
    if (settings->output)
        TRY(fs_prepare_output(env->fs, env->diag, files->bsp));
    else
        TRY(fs_prepare_beside(env->fs, env->diag, files->bsp));
    if (!updates && files->prt) {
        TRY(fs_prepare_beside(env->fs, env->diag, files->prt));
        TRY(fs_prepare_beside(env->fs, env->diag, files->lin));
    }
    if (files->srf && job->format->engine->has_notes)
        TRY(fs_prepare_beside(env->fs, env->diag, files->srf));
    TRY(depfile_prepare(job->program->console, &job->standard->depfile, job->program->result,
                        files->bsp));
    return vbsp_prepare_dumps(env, files->bsp, &settings->dumps);
}

/* True for a run whose result is all that it makes. */
static bool can_keep(const struct vbsp_job *job)
{
    const struct vbsp_settings *settings = job->settings;
    return job->program->env->cache && !job->check->check && !job->check->report &&
           !settings->update->only_ents && !settings->update->only_props &&
           !settings->update->keep_stale_zip && !vbsp_has_dumps(&settings->dumps) &&
           strcmp(job->files.level, "-") != 0;
}

void vbsp_job_trace(struct vbsp_job *job)
{
    if (job->trace)
        return;
    job->traced = *job->program->env;
    job->traced.fs = job->trace = fs_trace_new(job->program->env->fs);
    job->reader = *job->program;
    job->reader.env = &job->traced;
    job->program = &job->reader;
}

/* --engine: the target is that of the file. */
static enum status read_description(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    struct vbsp_settings *settings = job->settings;
    struct bytes text = {0};
    if (!settings->engine)
        return STATUS_OK;
    if (settings->target) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL, "--engine and --target cannot be combined");
        return STATUS_USAGE;
    }
    TRY(fs_load(env->fs, env->diag, settings->engine, &text));
    enum status status = game_description_read(&text, settings->engine, env->diag, &job->described);
    bytes_free(&text);
    if (status == STATUS_OK)
        settings->target = job->described.format.target;
    return status;
}

static void use_description(struct vbsp_job *job)
{
    if (!job->settings->engine)
        return;
    job->format = &job->described.format;
    job->settings->options.engine = &job->described.engine;
}

enum status vbsp_job_begin(struct vbsp_job *job)
{
    const struct program *program = job->program;
    struct diag *diag = program->env->diag;
    struct vbsp_settings *settings = job->settings;
    const char *map = job->map ? job->map : program->result->operands[0];
    TRY(vbsp_files_find(program->env, map, settings->output, &job->arena, &job->files));
    if (settings->source)
        TRY(read_elsewhere(settings, diag, &job->files));
    TRY(read_description(job));
    TRY(vbsp_settings_finish(settings, job->files.level, diag, &job->format));
    use_description(job);
    TRY(vbsp_check_finish(job->check, job->standard->fail_if, job->format, diag,
                          &settings->options));
    settings->options.pointfile = job->check->check || !job->files.prt ? NULL : job->files.lin;
    if (!job->check->check)
        TRY(prepare_output(job));
    if (!job->files.prt)
        console_quiet(program->console);
    console_stage(program->console, vbsp_stage.name, job->files.level);
    if (can_keep(job)) {
        vbsp_job_trace(job);
        job->traced.fs = job->compile = fs_trace_new(job->trace);
        job->game = fs_trace_new(job->trace);
    }
    return STATUS_OK;
}

/* The content of a game is read for the lighting too. */
static const struct env *env_of_content(struct vbsp_job *job, struct env *own)
{
    *own = *job->program->env;
    if (can_keep(job))
        own->fs = job->sizes_only ? job->game : (job->content = fs_trace_new(job->game));
    return own;
}

/* Reads the level, and keeps the files that it brings. */
static enum status read_level(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    const struct engine *engine = job->format->engine;
    struct bmx_level_files files;
    enum status status =
        vbsp_read_level_files(env, job->files.level, job->format, &job->level, &files);
    job->level.instance_path = job->settings->options.instance_path;
    if (status == STATUS_OK && arrlen(files.list)) {
        job->level_files = bmx_level_files_mount(&files, job->files.level);
        if (engine->content->packs_in_pk3 && job->files.pk3)
            status = bmx_level_files_pack(&files, job->files.pk3, env->diag, &job->pack);
        job->files.pack = job->pack.size ? &job->pack : NULL;
    }
    bmx_level_files_free(&files);
    return status;
}

/* Mean colours of images are for the light, and for the BSP if it has them. */
static bool needs_sizes_only(const struct vbsp_job *job)
{
    return job->sizes_only && !job->format->engine->content->has_image_colours;
}

/* The lighting alone, as from a file, does not look for it. */
static const char *find_catalogue(struct vbsp_job *job)
{
    return job->format->engine->has_shaders
               ? NULL
               : map_catalogue_find(job->program->env, &job->arena, job->files.level);
}

enum status vbsp_job_read(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    struct assets_use use = {.first = job->settings->options.embed,
                             .has_shaders = job->format->engine->has_shaders,
                             .sizes_only = needs_sizes_only(job),
                             .parms = {.all = job->settings->shader_parms,
                                       .all_count = arrlenu(job->settings->shader_parms),
                                       .custom = job->settings->custom_parms,
                                       .engine = job->format->engine}};
    TRY(read_level(job));
    TRY(program_apply_map_keys(job->program, &job->level.entities[0].keys));
    struct env own;
    const struct env *content = env_of_content(job, &own);
    use.map_catalogue = find_catalogue(job);
    TRY(assets_open_of(content, job->standard, use, &job->assets));
    if (job->level_files)
        assets_mount_first(job->assets,
                           mount_folder(job->level_files, job->files.level, env->diag));
    bool full = !job->settings->update->only_ents && !job->settings->update->only_props;
    if (full && job->settings->update->keep_stale_zip)
        TRY(vbsp_read_old_pakfile(env, &job->files, &job->old_pakfile));
    return STATUS_OK;
}

static void begin_cache(struct vbsp_job *job)
{
    const struct vbsp_options *options = &job->settings->options;
    const char *const given[] = {assets_game_folder(job->assets), options->embed, options->fgd};
    if (!can_keep(job))
        return;
    job->cache =
        (struct compile_cache){.game = job->game,
                               .asked = fs_trace_below(job->trace),
                               .format = job->format,
                               .assets = job->assets,
                               .pointfile = job->settings->options.pointfile,
                               .description = job->settings->engine ? job->described.digest : NULL,
                               .sizes_only = needs_sizes_only(job),
                               .output = &job->output};
    source_place_begin(&job->cache.place, job->files.level, given, job->compile);
    stage_options_key(&vbsp_stage, job->program, job->cache.options);
}

enum status vbsp_job_compile(struct vbsp_job *job)
{
    struct vbsp_options *options = &job->settings->options;
    begin_cache(job);
    options->old_pakfile = job->old_pakfile;
    return vbsp_run(job->program->env, options, job->assets, &job->level,
                    job->cache.game ? &job->cache : NULL, &job->output);
}

void vbsp_job_report(const struct vbsp_job *job)
{
    vbsp_check_report(job->check, job->program, job->standard->console.json, &job->output,
                      job->files.bsp);
}

enum status vbsp_job_judge(const struct vbsp_job *job, enum status status)
{
    const struct env *env = job->program->env;
    if (vbsp_check_conditions(job->standard->fail_if, job->format, job->output.bsp, env->diag) !=
        STATUS_OK)
        status = STATUS_FAILED;
    return job->check->check
               ? vbsp_check_output(env, &job->files, job->format, &job->output, status)
               : status;
}

/* Front ends of Valve's tools look for this line. */
#define VALVE_LEAK "**** leaked ****"

void vbsp_job_summarise(const struct vbsp_job *job, enum status status)
{
    struct run_summary *summary = console_summary(job->program->console);
    const struct vbsp_output *output = &job->output;
    if (output->bsp)
        map_summary_add(summary, output->bsp,
                        output->bsp->format ? output->bsp->format : job->format);
    else if (output->limits.format)
        map_summary_limits(summary, &output->limits);
    if (diag_leaks(job->program->env->diag) && !job->check->check)
        console_say(job->program->console, VALVE_LEAK);
    if (status == STATUS_LEAK && !job->check->check)
        next_step_leak(job->program, job->files.lin, job->format->engine);
}

void vbsp_job_take_shader_reports(struct vbsp_job *job, struct diag **reports)
{
    if (!*reports) { /* it ran, after a replay of what the others asked for */
        diag_free(job->cache.shader_reports);
        job->cache.shader_reports = NULL;
        return;
    }
    diag_free(job->cache.shader_reports);
    job->cache.shader_reports = *reports;
    *reports = NULL;
}

void vbsp_job_free(struct vbsp_job *job)
{
    vbsp_output_free(&job->output);
    bytes_free(&job->old_pakfile);
    if (job->cache.shader_reports)
        diag_report_again(job->cache.shader_reports, job->program->env->diag);
    else if (job->assets)
        assets_report_shaders(job->assets, job->program->env->diag);
    compile_cache_free(&job->cache);
    assets_free(job->assets);
    if (job->level_files)
        fs_memory_free(job->level_files);
    game_description_free(&job->described);
    bytes_free(&job->pack);
    fs_trace_free(job->content);
    fs_trace_free(job->game);
    fs_trace_free(job->compile);
    fs_trace_free(job->trace);
    level_free(&job->level);
    fs_hold_end(job->files.hold);
    arena_free(&job->arena);
}
