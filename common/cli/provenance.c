#include "common/cli/provenance.h"

#include <stdio.h>
#include <string.h>

#include "common/cli/option_values.h"
#include "common/cli/statement.h"
#include "common/cli/version.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/codes/files.def"
#include "common/diag/codes/provenance.def"

#define FIELD(name) offsetof(struct standard_options, depfile.name)

static const struct option_def defs[] = {
    {.name = "provenance",
     .argument = "FILE",
     .endings = "json",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(provenance),
     .of_run = true,
     .two_dashes = true,
     .help = "write a statement to FILE of what was built from what: outputs, options, and all "
             "files that were read, with their SHA-256, as in-toto Statement v1 with SLSA "
             "provenance v1"},
    {.name = "provenance-root",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .offset = FIELD(root),
     .of_run = true,
     .two_dashes = true,
     .help = "the folder to which names in the statement are relative, so that it holds for "
             "another checkout (default: the working folder)"},
};

struct option_group provenance_option_group(size_t base)
{
    return (struct option_group){
        .title = "Provenance", .defs = defs, .count = sizeof defs / sizeof *defs, .base = base};
}

/* ---- names ---- */

/* Without "." and "..". */
static const char *absolute_path(struct arena *arena, const char *path)
{
    char *absolute = system_path_absolute(path);
    const char *copy = arena_strdup(arena, absolute);
    memory_free(absolute);
    return copy;
}

/* Returns the name of a file below a folder, both absolute, or its path. */
static const char *name_below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    length -= folder[length - 1] == '/';
    bool is_below =
        system_path_compare(path, folder, length) == 0 && path[length] == '/' && path[length + 1];
    return is_below ? path + length + 1 : path;
}

/* ---- options ---- */

struct writing {
    const struct program *program;
    const char *root; /* absolute */
    struct statement statement;
};

/* Of these only the ones that are there: a game may have a name, too. */
static bool names_content(const struct option_def *def)
{
    return strcmp(def->name, "game") == 0 || strcmp(def->name, "fs_basepath") == 0;
}

static const char *value_name(struct writing *writing, const struct option_def *def,
                              const char *value, bool *is_path)
{
    struct arena *arena = &writing->statement.texts;
    struct fs *disk = fs_disk();
    bool is_input =
        def->path == OPTION_READS || def->path == OPTION_READS_BESIDE || def->path == OPTION_COPIES;
    if (!is_input && !(names_content(def) && disk->ops->kind(disk, value) != FS_ABSENT))
        return arena_strdup(arena, value);
    *is_path = true;
    return name_below(writing->root, absolute_path(arena, value));
}

/* An option_values_visit. */
static void add_option(void *context, const struct option_def *def, const char *const *values,
                       size_t count)
{
    struct writing *writing = context;
    struct statement_option option = {.name = def->name};
    for (size_t i = 0; i < count; i++)
        arrput(option.values, i ? arena_strdup(&writing->statement.texts, values[i])
                                : value_name(writing, def, values[i], &option.is_path));
    arrput(writing->statement.options, option);
}

static bool has_option(const struct statement *statement, const char *name)
{
    for (size_t i = 0; i < arrlenu(statement->options); i++)
        if (strcmp(statement->options[i].name, name) == 0)
            return true;
    return false;
}

/* Those that change the result, of the command line: others are in files that were read. A name may
 * be in several groups. */
static void add_options(struct writing *writing)
{
    const struct program *program = writing->program;
    size_t base;
    for (size_t i = 0; i < options_count(program->table); i++) {
        const struct option_def *def = options_at(program->table, i, &base);
        bool is_output = def->path == OPTION_WRITES || def->path == OPTION_APPENDS;
        if (program->result->sources[i] == OPTION_COMMAND_LINE && !def->of_run && !is_output &&
            !option_is_ignored(def) && !has_option(&writing->statement, def->name))
            option_values(def, (const char *)program->values + base + def->offset,
                          &writing->statement.texts, add_option, writing);
    }
}

/* ---- files ---- */

static enum status add_file(struct writing *writing, const char *path, const char *folder,
                            struct statement_file **files)
{
    const struct env *env = writing->program->env;
    struct statement_file file = {0};
    const char *absolute = absolute_path(&writing->statement.texts, path);
    int error = statement_hash(fs_plain(env->fs), path, &file);
    if (error)
        return diag_report(env->diag, DIAG_FILE_READ, &(struct diag_where){.file = path}, "%s",
                           str_error(error).text);
    file.name = name_below(folder, absolute);
    for (size_t i = 0; i < arrlenu(*files); i++)
        if (strcmp((*files)[i].name, file.name) == 0)
            return STATUS_OK; /* under two names */
    arrput(*files, file);
    return STATUS_OK;
}

static const char *bsp_among(const struct summary_file *files)
{
    for (size_t i = 0; i < arrlenu(files); i++)
        if (str_ends_nocase(files[i].path, ".bsp"))
            return files[i].path;
    return "";
}

static enum status add_outputs(struct writing *writing)
{
    struct arena *arena = &writing->statement.texts;
    const struct run_summary *summary = console_summary(writing->program->console);
    const char *folder = path_folder(arena, absolute_path(arena, bsp_among(summary->files)));
    for (size_t i = 0; i < arrlenu(summary->files); i++)
        TRY(add_file(writing, summary->files[i].path, folder, &writing->statement.outputs));
    return STATUS_OK;
}

static bool is_output(const struct run_summary *summary, const char *path)
{
    for (size_t i = 0; i < arrlenu(summary->files); i++)
        if (strcmp(summary->files[i].path, path) == 0)
            return true;
    return false;
}

static enum status add_inputs(struct writing *writing, const struct depfile *depfile)
{
    const struct program *program = writing->program;
    const char **read = fs_inputs_sorted(depfile->inputs);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(read) && status == STATUS_OK; i++) {
        if (is_output(console_summary(program->console), read[i]))
            continue;
        status = add_file(writing, read[i], writing->root, &writing->statement.inputs);
        if (status == STATUS_OK && fs_inputs_has_changed(depfile->inputs, fs_disk(), read[i]))
            status = diag_report(program->env->diag, DIAG_PROVENANCE_INPUT,
                                 &(struct diag_where){.file = read[i]},
                                 "it is not the file that was read");
    }
    arrfree(read);
    return status;
}

enum status provenance_write(const struct program *program, const struct depfile *depfile,
                             const struct depfile_options *options, enum status status)
{
    if (!options->provenance || !depfile->run)
        return STATUS_OK;
    struct writing writing = {.program = program};
    struct statement *statement = &writing.statement;
    struct arena *arena = &statement->texts;
    struct bytes text = {0};
    writing.root = absolute_path(arena, options->root ? options->root : ".");
    statement->source =
        name_below(writing.root, absolute_path(arena, program_file(program, 0, "")));
    statement->status = (int)status;
    statement->version = program_version;
    statement->code = program_code;
    add_options(&writing);
    enum status done = add_outputs(&writing);
    if (done == STATUS_OK)
        done = add_inputs(&writing, depfile);
    statement_sort(statement);
    if (done == STATUS_OK)
        statement_write(statement, &text);
    if (done == STATUS_OK)
        done = env_store(program->env, options->provenance, text.data, text.size);
    bytes_free(&text);
    statement_free(statement);
    return done;
}
