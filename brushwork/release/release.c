/* brushwork release: all files with which others can play a map. */
#include "brushwork/release/release.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "brushwork/release/release_files.h"
#include "brushwork/release/release_steps.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/temporary_folder.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/engine_content.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/unpacking.def"
#include "common/diag/codes/usage.def"
#include "common/diag/file_report.h"
#include "common/io/fs.h"
#include "vbsp/files.h"

/* The table of a release, for people and programs: its files, and what is missing. */

enum { NAME_WIDTH = 48 };

static const char *const state_names[] = {"packed", "absent", "missing"};

static void print_row(struct arena *scratch, FILE *out, const char *state, const char *name,
                      const char *note)
{
    print_safely(arena_printf(scratch, "%-8s  %-*s  %s", state, NAME_WIDTH, name, note), out);
    fputc('\n', out);
    arena_reset(scratch);
}

static size_t count_of(const struct release *release, enum release_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(release->needs); i++)
        count += release->needs[i].state == state;
    return count;
}

static void release_print(const struct release *release, FILE *out)
{
    struct arena scratch = {0};
    for (size_t i = 0; i < arrlenu(release->files); i++) {
        const struct release_file *file = &release->files[i];
        print_row(&scratch, out, "file", file->name,
                  arena_printf(&scratch, "%" PRIu64 " bytes, %s", file->bytes, file->note));
    }
    for (int state = RELEASE_PACKED; state <= RELEASE_MISSING; state++)
        for (size_t i = 0; i < arrlenu(release->needs); i++)
            if ((int)release->needs[i].state == state)
                print_row(&scratch, out, state_names[state], release->needs[i].name,
                          release->needs[i].reason);
    print_safely(
        arena_printf(&scratch,
                     "%s: files %zu, packed %zu, absent %zu, missing %zu, checksum %08" PRIx32,
                     release->out, arrlenu(release->files), count_of(release, RELEASE_PACKED),
                     count_of(release, RELEASE_ABSENT), count_of(release, RELEASE_MISSING),
                     release->checksum),
        out);
    fputc('\n', out);
    arena_free(&scratch);
}

static json_t *files_json(const struct release *release)
{
    json_t *files = json_array();
    for (size_t i = 0; i < arrlenu(release->files); i++) {
        const struct release_file *file = &release->files[i];
        json_array_append_new(files,
                              json_pack("{s:o,s:I,s:s}", "name", print_json_text(file->name),
                                        "bytes", (json_int_t)file->bytes, "sha256", file->sha256));
    }
    return files;
}

static json_t *needs_json(const struct release *release, enum release_state state)
{
    json_t *needs = json_array();
    for (size_t i = 0; i < arrlenu(release->needs); i++) {
        const struct release_need *need = &release->needs[i];
        if (need->state == state)
            json_array_append_new(needs, json_pack("{s:o,s:o}", "name", print_json_text(need->name),
                                                   "reason", print_json_text(need->reason)));
    }
    return needs;
}

static void release_print_json(const struct release *release, FILE *out)
{
    json_t *object = print_json_object();
    json_object_set_new(object, "file", print_json_text(release->level));
    json_object_set_new(object, "folder", print_json_text(release->out));
    json_object_set_new(object, "target", json_string(release->format->target));
    json_object_set_new(object, "checksum", json_integer((json_int_t)release->checksum));
    json_object_set_new(object, "files", files_json(release));
    for (int state = RELEASE_PACKED; state <= RELEASE_MISSING; state++)
        json_object_set_new(object, state_names[state],
                            needs_json(release, (enum release_state)state));
    print_json(object, out);
}

/* --- release --- */

static const char details[] =
    "The last step of a map, from its source to a folder that others can be given. The map is "
    "checked (brushwork lint), built (--preset final, for Source with light for LDR and HDR), gets "
    "its cubemaps (brushwork cubemaps) and what it uses and players do not have (brushwork pack "
    "--auto), is compressed if the games of its branch are known to load that, and verified. The "
    "folder has the BSP, an archive for servers and players, files for fast download, a page about "
    "the map (brushwork report) and checksums. A map of Quake 3 gets a .pk3 instead of archive and "
    "downloads.\n\n"
    "-game is needed for Source. Options of vbsp, vvis and vrad are those of the build. Files "
    "MAP.nav and MAP.txt (for Quake 3 MAP.aas) are taken from the folder of the source, else from "
    "maps/ in that of -game.\n\n"
    "The first step that fails ends the run with its exit status, 3 for a leak. The folder is "
    "there "
    "when it is complete, or not at all; an earlier release is replaced with --force alone. A "
    "table tells what is in it, and what is missing: files that the map names and that are nowhere "
    "are warnings, which --fail-if warnings makes a failure. The same input gives the same bytes.";

#define FIELD(name) offsetof(struct release_values, name)

static const struct option_def release_options[] = {
    {.name = "out",
     .alias = "o",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(out),
     .two_dashes = true,
     .help = "folder of the release (default: MAP_release beside the map)"},
    {.name = "force",
     .kind = OPTION_FLAG,
     .offset = FIELD(force),
     .two_dashes = true,
     .touches_files = true,
     .help = "replace an earlier release"},
    {.name = "preset",
     .argument = "NAME",
     .kind = OPTION_CHOICE,
     .choices = build_preset_names,
     .offset = FIELD(preset),
     .two_dashes = true,
     .help = "quality of visibility and lighting, as for brushwork build"},
    VERB_FLAG(struct release_values, "no-compress", no_compress,
              "leave lumps and packed files as they are"),
    VERB_STOCK(struct release_values,
               .help = "players have these files, too: those of a folder, of a .vpk, or of a list "
                       "with a name a line; repeatable"),
};

static enum status refuse(struct diag *diag, const char *text)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s", text);
    return STATUS_USAGE;
}

/* An option_adapt. */
static enum status settle(const struct option_table *table, void *settled,
                          struct option_result *result, struct diag *diag)
{
    const struct release_values *values = settled;
    (void)table;
    if (values->standard.sandbox)
        return refuse(diag, "each step is another process, which --sandbox does not allow");
    if (values->standard.console.host)
        return refuse(diag, "a release is made by the program alone: each step is a process");
    if (strcmp(result->operands[0], "-") == 0)
        return refuse(diag, "standard input has no name, which the files of a release need");
    if (str_ends_nocase(result->operands[0], ".bsp"))
        return refuse(diag, "a release is made of the source of a map, not of a BSP");
    return STATUS_OK;
}

/* --- the folder --- */

static void count_entry(void *context, const char *name, bool is_directory)
{
    size_t *count = context;
    (void)name;
    (void)is_directory;
    ++*count;
}

static const char *sums_of(struct release *release, const char *folder)
{
    return arena_printf(&release->arena, "%s/" RELEASE_SUMS, folder);
}

/* Only an earlier release is replaced, and no folder that just has the name. */
static enum status check_place(struct release *release)
{
    const struct env *env = release->program->env;
    const struct diag_where where = {.file = release->out};
    struct fs *fs = env->fs;
    size_t count = 0;
    enum fs_kind kind = fs->ops->kind(fs, release->out);
    if (kind == FS_ABSENT)
        return STATUS_OK;
    if (kind == FS_DIRECTORY)
        (void)fs->ops->list(fs, release->out, count_entry, &count);
    const bool is_release = fs->ops->kind(fs, sums_of(release, release->out)) == FS_FILE;
    if (kind != FS_DIRECTORY)
        return diag_report(env->diag, DIAG_RELEASE_FOLDER, &where, "it is no folder");
    if (count && !is_release)
        return diag_report(env->diag, DIAG_RELEASE_FOLDER, &where,
                           "it has other files, and no " RELEASE_SUMS " of a release");
    if (count && !release->values->force)
        return diag_report(env->diag, DIAG_RELEASE_FOLDER, &where, "it has an earlier release");
    return STATUS_OK;
}

static enum status make_folder(struct release *release)
{
    const struct env *env = release->program->env;
    struct arena *arena = &release->arena;
    int error = env->fs->ops->make_folder(env->fs, path_folder(arena, release->out));
    if (!error) {
        release->temporary = temporary_folder_beside(arena, release->out);
        error = release->temporary ? 0 : errno;
    }
    if (error)
        return file_unwritten(env->diag, release->out, "%s", str_error(error).text);
    release->folder = arena_printf(arena, "%s/release", release->temporary);
    release->content = arena_printf(arena, "%s/build", release->temporary);
    release->work = arena_printf(arena, "%s/maps", release->content);
    release->bsp = arena_printf(arena, "%s/%s.bsp", release->work, release->map);
    release->told = arena_printf(arena, "%s/build.json", release->content);
    TRY(fs_prepare_output(env->fs, env->diag, sums_of(release, release->folder)));
    return fs_prepare_output(env->fs, env->diag, release->bsp);
}

static void report_written(const struct release *release)
{
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(release->files); i++)
        progress_wrote(release->program->env->progress,
                       arena_printf(&arena, "%s/%s", release->out, release->files[i].name));
    arena_free(&arena);
}

static enum status put_in_place(struct release *release)
{
    const struct env *env = release->program->env;
    TRY(env_may_write(env));
    int error = temporary_folder_put(env, release->folder, release->out);
    if (error)
        return file_unwritten(env->diag, release->out, "%s", str_error(error).text);
    report_written(release);
    return STATUS_OK;
}

/* --- the run --- */

static const char *map_name(struct arena *arena, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    return dot && dot > name ? arena_strndup(arena, name, (size_t)(dot - name)) : name;
}

static const char *folder_beside(struct release *release)
{
    const char *dot = strrchr(path_name(release->level), '.');
    return path_beside(&release->arena, release->level, dot ? dot : "", "_release");
}

static const char *without_slashes(struct arena *arena, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return arena_strndup(arena, path, length);
}

/* The map, its engine and the names of all. */
static enum status begin(struct release *release)
{
    const struct program *program = release->program;
    const struct env *env = program->env;
    struct release_values *values = program->values;
    struct vbsp_files files;
    TRY(vbsp_files_find(env, program->result->operands[0], NULL, &release->arena, &files));
    release->level = files.level;
    if (env->fs->ops->kind(env->fs, files.level) == FS_ABSENT)
        return file_unread(env->diag, files.level, "%s%s", str_error(ENOENT).text,
                           path_absent_hint(files.level));
    release->map = map_name(&release->arena, files.level);
    TRY(vbsp_settings_finish(&values->vbsp, files.level, env->diag, &release->format));
    release->in_pk3 = release->format->engine->content->packs_in_pk3;
    if (!release->in_pk3 && !values->standard.game && !arrlenu(values->standard.search_paths))
        return refuse(env->diag, "-game is required, the folder with gameinfo.txt, to know what "
                                 "the map uses and what players have");
    release->out =
        values->out ? without_slashes(&release->arena, values->out) : folder_beside(release);
    TRY(check_place(release));
    return make_folder(release);
}

static enum status make(struct release *release)
{
    TRY(begin(release));
    TRY(release_files_find(release));
    TRY(release_steps_run(release));
    progress_begin(release->program->env->progress, "files", 0);
    enum status status = release_files_make(release);
    progress_end(release->program->env->progress);
    if (status == STATUS_OK)
        status = put_in_place(release);
    return status;
}

static enum status show(const struct release *release)
{
    const struct console_options *options = &release->values->standard.console;
    if (options->json)
        release_print_json(release, stdout);
    else if (!options->quiet)
        release_print(release, stdout);
    return print_flush(release->program->env->diag);
}

static enum status release_map(const struct program *program)
{
    struct release release = {.program = program, .values = program->values};
    if (release.values->standard.console.json)
        console_quiet(program->console);
    console_stage(program->console, "release", program->result->operands[0]);
    enum status status = make(&release);
    if (status == STATUS_OK)
        status = show(&release);
    if (release.temporary)
        temporary_folder_remove(program->env, release.temporary);
    shfree(release.said);
    arrfree(release.files);
    arrfree(release.needs);
    arena_free(&release.arena);
    return status;
}

int verb_release(int argc, char **argv)
{
    struct release_values values = {.vbsp = vbsp_settings_defaults(),
                                    .vvis = vvis_defaults,
                                    .vrad = vrad_defaults,
                                    .preset = PRESET_FINAL};
    const struct release_values defaults = values;
    const struct verb *verb = brushwork_verb("release");
    const struct game_program program = {
        .name = verb->program,
        .summary = verb->summary,
        .operand = verb->operands,
        .endings = "vmf vmm map",
        .details = details,
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
        .defs = release_options,
        .count = sizeof release_options / sizeof *release_options,
        .groups = {vbsp_source_option_group(offsetof(struct release_values, vbsp)),
                   vvis_option_group(offsetof(struct release_values, vvis)),
                   vrad_option_group(offsetof(struct release_values, vrad)),
                   cache_option_group(offsetof(struct release_values, standard))},
        .group_count = 4,
        .adapt = settle,
        .body = release_map,
    };
    int status = game_program_run(&program, &values, &defaults, argc, argv);
    vbsp_settings_free(&values.vbsp);
    arrfree(values.stock);
    return status;
}
