#include "common/cli/provenance.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/option_values.h"
#include "common/cli/version.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"
#include "common/core/sha256.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/codes/provenance.def"
#include "common/diag/file_report.h"
#include "common/io/fs.h"

/* A statement of how files were built: an in-toto Statement v1 with SLSA provenance v1 in it
 * (docs/guides/provenance.md).
 *
 * Names of files are relative to a root that is not in it, or absolute for files outside of that.
 * The same build gives the same bytes: lists are sorted, and there are no times. */

struct statement_file {
    const char *name;
    char sha256[2 * SHA256_SIZE + 1]; /* lower-case digits */
};

/* An option of the command line. */
struct statement_option {
    const char *name;    /* without dashes */
    const char **values; /* stb_ds array */
    bool is_path;        /* the first of its values is the name of a file or folder */
};

/* Zero-initialise; free with statement_free. */
struct statement {
    struct statement_file *outputs; /* stb_ds arrays; of these the names are below the folder of */
    struct statement_file *inputs;  /* the BSP, or absolute */
    struct statement_option *options;
    const char *source;         /* name of the map */
    const char *version, *code; /* of the program, and SHA-256 of its sources */
    int status;                 /* exit status: 0, or that of a leak */
    struct arena texts;
};

#define TYPE       "https://in-toto.io/Statement/v1"
#define PREDICATE  "https://slsa.dev/provenance/v1"
#define BUILD_TYPE "urn:brushwork:build:v1"
#define BUILDER    "urn:brushwork"

enum { STEP = 1 << 20 };

static void statement_free(struct statement *statement)
{
    for (size_t i = 0; i < arrlenu(statement->options); i++)
        arrfree(statement->options[i].values);
    arrfree(statement->options);
    arrfree(statement->outputs);
    arrfree(statement->inputs);
    arena_free(&statement->texts);
}

static int by_name(const void *a, const void *b)
{
    const struct statement_file *first = a, *second = b;
    return strcmp(first->name, second->name);
}

static void sort(struct statement_file *files)
{
    if (files)
        qsort(files, arrlenu(files), sizeof *files, by_name);
}

/* Sorts the lists of files by their names. */
static void statement_sort(struct statement *statement)
{
    sort(statement->outputs);
    sort(statement->inputs);
}

/* Hashes a file a step at a time. Returns 0 or an errno value. */
static int statement_hash(struct fs *fs, const char *path, struct statement_file *out)
{
    struct bytes part = {0};
    struct sha256 hash;
    unsigned char digest[SHA256_SIZE];
    int error = 0;
    sha256_begin(&hash);
    for (uint64_t at = 0; !error; at += part.size) {
        part.size = 0;
        error = fs->ops->read_part(fs, path, at, STEP, &part);
        if (error || !part.size)
            break;
        sha256_add(&hash, part.data, part.size);
    }
    sha256_end(&hash, digest);
    sha256_text(digest, out->sha256);
    bytes_free(&part);
    return error;
}

static json_t *files_json(const struct statement_file *files)
{
    json_t *list = json_array();
    for (size_t i = 0; i < arrlenu(files); i++)
        json_array_append_new(list, json_pack("{s:s, s:{s:s}}", "name", files[i].name, "digest",
                                              "sha256", files[i].sha256));
    return list;
}

static json_t *options_json(const struct statement_option *options)
{
    json_t *list = json_array();
    for (size_t i = 0; i < arrlenu(options); i++) {
        json_t *values = json_array();
        for (size_t k = 0; k < arrlenu(options[i].values); k++)
            json_array_append_new(values, json_string(options[i].values[k]));
        json_array_append_new(list, json_pack("{s:s, s:b, s:o}", "name", options[i].name, "path",
                                              options[i].is_path, "values", values));
    }
    return list;
}

static void statement_write(const struct statement *statement, struct bytes *out)
{
    json_t *definition =
        json_pack("{s:s, s:{s:s, s:o}, s:{s:i}, s:o}", "buildType", BUILD_TYPE,
                  "externalParameters", "source", statement->source, "options",
                  options_json(statement->options), "internalParameters", "exitStatus",
                  statement->status, "resolvedDependencies", files_json(statement->inputs));
    json_t *details = json_pack("{s:{s:s, s:{s:s, s:s}}}", "builder", "id", BUILDER, "version",
                                "brushwork", statement->version, "code", statement->code);
    json_t *all = json_pack("{s:s, s:o, s:s, s:{s:o, s:o}}", "_type", TYPE, "subject",
                            files_json(statement->outputs), "predicateType", PREDICATE, "predicate",
                            "buildDefinition", definition, "runDetails", details);
    char *text = all ? json_dumps(all, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
    if (text) {
        bytes_append(out, text, strlen(text));
        bytes_u8(out, '\n');
    }
    memory_free(text);
    json_decref(all);
}

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

static bool is_output(const struct run_summary *summary, const char *path)
{
    for (size_t i = 0; i < arrlenu(summary->files); i++)
        if (strcmp(summary->files[i].path, path) == 0)
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
        return file_unread(env->diag, path, "%s", str_error(error).text);
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
