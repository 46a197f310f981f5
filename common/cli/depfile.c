#include "common/cli/depfile.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/surroundings.def"
#include "common/diag/codes/usage.def"
#include "common/text/make_rule.h"

#define FIELD(name) offsetof(struct depfile_options, name)

static const struct option_def defs[] = {
    {.name = "depfile",
     .argument = "FILE",
     .endings = "d",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(file),
     .of_run = true,
     .two_dashes = true,
     .help =
         "write a rule for Make and Ninja to FILE: the outputs depend on all files that the run "
         "has read, packs among them; - is standard output. Make cannot be told of files that "
         "were looked for and do not exist: one that appears later makes nothing out of date"},
    {.name = "depfile-sought",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(sought),
     .of_run = true,
     .two_dashes = true,
     .help = "write to FILE what --depfile leaves out, a path in each line: files that were looked "
             "for and do not exist, and folders whose lists were read; for programs that watch "
             "them"},
    {.name = "MD",
     .kind = OPTION_FLAG,
     .offset = FIELD(is_beside),
     .of_run = true,
     .of_caller = true,
     .help = "the same, to the path of the output with .d for .bsp"},
};

struct option_group depfile_option_group(size_t base)
{
    return (struct option_group){
        .title = "Dependencies", .defs = defs, .count = sizeof defs / sizeof *defs, .base = base};
}

static enum status refuse(struct diag *diag, const char *why, const char *path)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s%s", why, path);
    return STATUS_USAGE;
}

enum status depfile_prepare(struct console *console, struct depfile_options *options,
                            struct option_result *result, const char *output)
{
    const struct env *env = console_env(console);
    if (options->provenance) {
        if (strcmp(output, "-") == 0)
            return refuse(env->diag, "--provenance needs an output that has a name: ", "not -o -");
        if (path_is_of_map(options->provenance))
            return refuse(env->diag, "--provenance: would overwrite ", options->provenance);
        TRY(fs_prepare_output(env->fs, env->diag, options->provenance));
    }
    if (options->sought) {
        if (path_is_of_map(options->sought))
            return refuse(env->diag, "--depfile-sought: would overwrite ", options->sought);
        TRY(fs_prepare_output(env->fs, env->diag, options->sought));
    }
    if (!options->file && !options->is_beside)
        return STATUS_OK;
    if (strcmp(output, "-") == 0)
        return refuse(env->diag, "--depfile needs an output that has a name: ", "not -o -");
    if (!options->file)
        options->file = path_beside(&result->texts, output, ".bsp", ".d");
    if (path_is_of_map(options->file))
        return refuse(env->diag, "--depfile: would overwrite ", options->file);
    return fs_prepare_output(env->fs, env->diag, options->file);
}

void depfile_begin(struct depfile *depfile)
{
    depfile->inputs = fs_inputs_new();
    depfile->settings = fs_noting_new(fs_disk(), depfile->inputs);
    depfile->run = NULL;
}

void depfile_watch(struct depfile *depfile, const struct depfile_options *options,
                   struct console *console)
{
    struct env *env = console_env(console);
    if (options->file && strcmp(options->file, "-") == 0)
        console_quiet(console);
    if (options->file || options->sought || options->is_beside || options->provenance)
        env->fs = depfile->run = fs_noting_new(env->fs, depfile->inputs);
}

void depfile_end(struct depfile *depfile)
{
    fs_noting_free(depfile->run);
    fs_noting_free(depfile->settings);
    fs_inputs_free(depfile->inputs);
}

static bool has(const char *const *paths, const char *path)
{
    for (size_t i = 0; i < arrlenu(paths); i++)
        if (strcmp(paths[i], path) == 0)
            return true;
    return false;
}

static enum status store_rule(const struct env *env, const char *path, const char *const *targets,
                              const char *const *inputs)
{
    struct bytes text = {0};
    const struct make_rule rule = {targets, arrlenu(targets), inputs, arrlenu(inputs)};
    const char *refused = make_rule_format(&rule, &text);
    enum status status =
        refused ? diag_report(env->diag, DIAG_DEPFILE_PATH, &(struct diag_where){.file = path},
                              "\"%s\"; no dependencies were written", refused)
                : env_store(env, path, text.data, text.size);
    bytes_free(&text);
    return status;
}

static bool is_own(const struct depfile_options *options, const char *path)
{
    return strcmp(options->sought, path) == 0 ||
           (options->file && strcmp(options->file, path) == 0);
}

/* A run has looked for the files that it writes itself, too: they are left out. */
static enum status store_sought(const struct env *env, const struct depfile_options *options,
                                const char *const *targets, struct fs_inputs *inputs)
{
    struct bytes text = {0};
    const char **sought = fs_inputs_sought(inputs);
    for (size_t i = 0; i < arrlenu(sought); i++)
        if (!has(targets, sought[i]) && !is_own(options, sought[i]) && !strchr(sought[i], '\n'))
            bytes_append_text(&text, "%s\n", sought[i]);
    enum status status = env_store(env, options->sought, text.data, text.size);
    arrfree(sought);
    bytes_free(&text);
    return status;
}

/* A run that has written nothing has no rule. A file that was read to be changed in place is no
 * input: it would depend on itself. */
enum status depfile_write(const struct depfile *depfile, const struct depfile_options *options,
                          struct console *console)
{
    const struct run_summary *summary = console_summary(console);
    const char **targets = NULL, **inputs = NULL;
    enum status status = STATUS_OK;
    if (!depfile->run)
        return STATUS_OK;
    for (size_t i = 0; i < arrlenu(summary->files); i++)
        arrput(targets, summary->files[i].path);
    const char **read = fs_inputs_sorted(depfile->inputs);
    for (size_t i = 0; i < arrlenu(read); i++)
        if (!has(targets, read[i]))
            arrput(inputs, read[i]);
    if (options->file && arrlenu(targets) && arrlenu(inputs))
        status = store_rule(console_env(console), options->file, targets, inputs);
    if (options->sought && arrlenu(targets) && status == STATUS_OK)
        status = store_sought(console_env(console), options, targets, depfile->inputs);
    arrfree(read);
    arrfree(targets);
    arrfree(inputs);
    return status;
}
