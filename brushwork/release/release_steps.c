#include "brushwork/release/release_steps.h"

#include <jansson.h>
#include <string.h>

#include "brushwork/many/child_run.h"
#include "brushwork/shared/child_words.h"
#include "common/bsp/engine.h"
#include "common/cli/option_values.h"
#include "common/core/array.h"
#include "common/diag/codes/surroundings.def"
#include "common/io/fs.h"

/* Appends the words of a step between the verb and the options that many have. */
typedef void step_words(struct release *release, const char ***words);
/* Takes what the step has printed as JSON. */
typedef void step_take(struct release *release, const json_t *printed);

struct step {
    const char *verb;
    const char *phase;                                /* NULL: the verb */
    step_words *words;                                /* NULL: none */
    step_take *take;                                  /* NULL: it prints nothing */
    bool (*is_wanted)(const struct release *release); /* NULL: always */
    bool is_of_source;                                /* else it is about the BSP */
    bool has_content, has_threads;                    /* takes options of these */
    bool keeps_messages;                              /* for the page */
};

static void add_need(struct release *release, enum release_state state, const char *name,
                     const char *reason)
{
    struct arena *arena = &release->arena;
    arrput(release->needs, ((struct release_need){state, arena_strdup(arena, name),
                                                  arena_strdup(arena, reason ? reason : "")}));
}

/* --- words --- */

static void words_of_lint(struct release *release, const char ***words)
{
    const struct program *program = release->program;
    option_words(program->table, RELEASE_CONTENT_GROUP, program->values, program->result,
                 &release->arena, words);
    child_word(words, "--target", release->values->vbsp.target);
    child_word(words, "--fgd", release->values->vbsp.options.fgd);
}

/* Light for both where the engine has both, unless one is asked for. */
static void words_of_build(struct release *release, const char ***words)
{
    const struct release_values *values = release->values;
    const struct program *program = release->program;
    for (size_t i = 0; i < RELEASE_BUILD_GROUPS; i++)
        option_words(program->table, i, program->values, program->result, &release->arena, words);
    if (release->format->engine->light.has_hdr && !values->vrad.ldr && !values->vrad.hdr)
        arrput(*words, "-both");
    child_word(words, "--preset", build_preset_names[values->preset]);
    child_word(words, "-o", release->bsp);
}

static void words_of_pack(struct release *release, const char ***words)
{
    arrput(*words, "--auto");
    for (size_t i = 0; i < arrlenu(release->values->stock); i++)
        child_word(words, "--stock", release->values->stock[i]);
}

/* The archive gets files of the build beside the BSP, as lightmaps are. */
static void words_of_pk3(struct release *release, const char ***words)
{
    child_word(words, "--pk3",
               arena_printf(&release->arena, "%s/%s.pk3", release->folder, release->map));
    child_word(words, "-insert_search_path", release->content);
}

static void words_of_compress(struct release *release, const char ***words)
{
    (void)release;
    arrput(*words, "-repack");
    arrput(*words, "-compress");
}

static void words_of_verify(struct release *release, const char ***words)
{
    child_word(words, "--target", release->format->target);
}

static void words_of_report(struct release *release, const char ***words)
{
    child_word(words, "--messages", release->told);
    child_word(words, "--out",
               arena_printf(&release->arena, "%s/%s_report.html", release->folder, release->map));
}

/* --- what is printed --- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void take_packed(struct release *release, const json_t *printed)
{
    const json_t *files = json_object_get(printed, "files");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *status = text_of(file, "status");
        if (strcmp(status, "add") == 0 || strcmp(status, "packed") == 0)
            add_need(release, RELEASE_PACKED, text_of(file, "name"), text_of(file, "reason"));
        else if (strcmp(status, "missing") == 0)
            add_need(release, RELEASE_MISSING, text_of(file, "name"), text_of(file, "reason"));
    }
}

static void take_checksum(struct release *release, const json_t *printed)
{
    const json_t *file = json_array_get(json_object_get(printed, "files"), 0);
    release->checksum = (uint32_t)json_integer_value(json_object_get(file, "checksum"));
}

/* --- what is said --- */

/* The map under construction is known by its place in the release. */
static const char *file_of(struct release *release, const char *file)
{
    const size_t length = strlen(release->content);
    if (!file || strncmp(file, release->content, length) != 0 || file[length] != '/')
        return file;
    return arena_printf(&release->arena, "%s%s", release->out, file + length);
}

/* True for the first message of a text, which lint and the build have in common. */
static bool is_new(struct release *release, const struct diag_entry *entry)
{
    const struct diag_where *where = &entry->where;
    char *key = arena_printf(&release->arena, "%d %s %d %d %d %d %s", entry->code,
                             where->file ? where->file : "", where->line, where->entity_id,
                             where->solid_id, where->side_id, entry->message);
    if (shgeti(release->said, key) >= 0)
        return false;
    shput(release->said, key, true);
    return true;
}

/* A diag_json_visit: tells what a step has told. */
static void take_message(void *context, json_t *object)
{
    struct release *release = context;
    struct arena arena = {0};
    struct diag_entry entry;
    if (diag_json_read(object, &arena, &entry)) {
        entry.where.file = file_of(release, entry.where.file);
        if (is_new(release, &entry))
            (void)diag_report_as(release->program->env->diag, entry.severity, entry.code,
                                 &entry.where, "%s", entry.message);
    }
    arena_free(&arena);
}

/* --- the steps --- */

static bool may_compress(const struct release *release)
{
    return release->format->plays_lzma && !release->values->no_compress;
}

/* Cubemaps show the light, and what is packed counts the files that they are; the page is about the
 * file that players get. */
static const struct step packfile_steps[] = {
    {.verb = "lint", .words = words_of_lint, .is_of_source = true},
    {.verb = "build", .words = words_of_build, .is_of_source = true, .keeps_messages = true},
    {.verb = "cubemaps", .has_content = true, .has_threads = true},
    {.verb = "pack", .words = words_of_pack, .take = take_packed, .has_content = true},
    {.verb = "bspzip", .phase = "compress", .words = words_of_compress, .is_wanted = may_compress},
    {.verb = "verify", .words = words_of_verify},
    {.verb = "checksum", .take = take_checksum},
    {.verb = "report", .words = words_of_report, .has_content = true, .has_threads = true},
};

static const struct step pk3_steps[] = {
    {.verb = "lint", .words = words_of_lint, .is_of_source = true},
    {.verb = "build", .words = words_of_build, .is_of_source = true, .keeps_messages = true},
    {.verb = "verify", .words = words_of_verify},
    {.verb = "pack", .words = words_of_pk3, .take = take_packed, .has_content = true},
    {.verb = "checksum", .take = take_checksum},
    {.verb = "report", .words = words_of_report, .has_content = true, .has_threads = true},
};

static char **arguments_of(struct release *release, const struct step *step, const char *messages)
{
    const struct standard_options *standard = &release->values->standard;
    struct arena *arena = &release->arena;
    const char **words = NULL;
    arrput(words, "brushwork");
    arrput(words, step->verb);
    if (step->words)
        step->words(release, &words);
    if (step->has_content)
        child_content_words(&words, standard);
    child_word(&words, "--max-memory", standard->max_memory);
    if (step->has_threads)
        child_word(&words, "-threads", arena_printf(arena, "%d", standard->console.threads));
    child_word(&words, "--diagnostics", "json");
    child_word(&words, "--diagnostics-file", messages);
    arrput(words, step->take ? "--json" : "--quiet");
    child_word(&words, "--", step->is_of_source ? release->level : release->bsp);
    char **argv = child_arguments(arena, words);
    arrfree(words);
    return argv;
}

static void take(struct release *release, const struct step *step, const struct bytes *printed)
{
    if (!step->take)
        return;
    json_t *object = json_loadb((const char *)printed->data, printed->size, 0, NULL);
    step->take(release, object);
    json_decref(object);
}

/* Where the file of messages cannot be written, a step cannot say why it has failed. */
static enum status judge(struct release *release, const char *phase, enum status status)
{
    const struct env *env = release->program->env;
    if (status == STATUS_OK)
        return env_may_write(env);
    if (!diag_count(env->diag, DIAG_ERROR) && !env_stopped(env))
        (void)diag_report(env->diag, DIAG_MAP_ENDED, &(struct diag_where){.file = release->level},
                          "%s has failed, and its messages cannot be read", phase);
    return status;
}

static enum status run(struct release *release, const struct step *step)
{
    const struct program *program = release->program;
    const char *phase = step->phase ? step->phase : step->verb;
    const char *messages = step->keeps_messages
                               ? release->told
                               : arena_printf(&release->arena, "%s/step.json", release->content);
    char **argv = arguments_of(release, step, messages);
    struct bytes printed = {0};
    enum status status = child_run(program, &(struct child_task){.name = phase,
                                                                 .source = release->level,
                                                                 .words = argv,
                                                                 .messages = messages,
                                                                 .visit = take_message,
                                                                 .context = release,
                                                                 .out = &printed});
    if (status == STATUS_OK)
        take(release, step, &printed);
    bytes_free(&printed);
    arrfree(argv);
    return judge(release, phase, status);
}

enum status release_steps_run(struct release *release)
{
    const struct step *steps = release->in_pk3 ? pk3_steps : packfile_steps;
    const size_t count = release->in_pk3 ? sizeof pk3_steps / sizeof *pk3_steps
                                         : sizeof packfile_steps / sizeof *packfile_steps;
    for (size_t i = 0; i < count; i++)
        if (!steps[i].is_wanted || steps[i].is_wanted(release))
            TRY(run(release, &steps[i]));
    return STATUS_OK;
}
