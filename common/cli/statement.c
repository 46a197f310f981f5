#include "common/cli/statement.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

#define TYPE       "https://in-toto.io/Statement/v1"
#define PREDICATE  "https://slsa.dev/provenance/v1"
#define BUILD_TYPE "urn:brushwork:build:v1"
#define BUILDER    "urn:brushwork"

enum { STEP = 1 << 20, TEXT_MAX = 4096, VALUES_MAX = 4096 };

void statement_free(struct statement *statement)
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

void statement_sort(struct statement *statement)
{
    sort(statement->outputs);
    sort(statement->inputs);
}

int statement_hash(struct fs *fs, const char *path, struct statement_file *out)
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

/* ---- writing ---- */

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

void statement_write(const struct statement *statement, struct bytes *out)
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

/* ---- reading ---- */

struct reading {
    struct statement *out;
    const char *fault; /* the first; or NULL */
};

static void wrong(struct reading *reading, const char *where, const char *what)
{
    if (!reading->fault)
        reading->fault = arena_printf(&reading->out->texts, "%s: %s", where, what);
}

/* A member of an object that has no others than these; `where` names it in messages. */
static const json_t *member(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        wrong(reading, key, "missing");
    return value;
}

static void only_members(struct reading *reading, const json_t *object, const char *where,
                         size_t count)
{
    if (!json_is_object(object))
        wrong(reading, where, "not an object");
    else if (json_object_size(object) != count)
        wrong(reading, where, "a member that is not known");
}

/* Control characters could change what a terminal shows. */
static const char *text_of(struct reading *reading, const json_t *value, const char *where)
{
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);
    bool is_fit = text && size <= TEXT_MAX && strlen(text) == size;
    for (size_t i = 0; is_fit && i < size; i++)
        is_fit = (unsigned char)text[i] >= ' ' && text[i] != 0x7f;
    if (is_fit)
        return arena_strdup(&reading->out->texts, text);
    wrong(reading, where, "not a text of at most 4096 bytes");
    return "";
}

static void expect(struct reading *reading, const json_t *object, const char *key,
                   const char *wanted)
{
    const char *text = json_string_value(member(reading, object, key));
    if (!text || strcmp(text, wanted) != 0)
        wrong(reading, key, arena_printf(&reading->out->texts, "not \"%s\"", wanted));
}

/* A name leads nowhere but below its root, or is absolute. */
static const char *name_of(struct reading *reading, const json_t *value, const char *where)
{
    const char *name = text_of(reading, value, where);
    if (!*name)
        wrong(reading, where, "an empty name");
    for (const char *at = name; *at; at += strcspn(at, "/"), at += *at == '/') {
        size_t size = strcspn(at, "/");
        if ((size == 2 && at[0] == '.' && at[1] == '.') || (size == 1 && *at == '.') ||
            (!size && at != name))
            wrong(reading, where, "a name with \".\", \"..\" or \"//\"");
    }
    return name;
}

static void read_digest(struct reading *reading, const json_t *digest, const char *where,
                        struct statement_file *out)
{
    const char *text = json_string_value(json_object_get(digest, "sha256"));
    only_members(reading, digest, where, 1);
    if (text && strlen(text) == 2 * SHA256_SIZE &&
        strspn(text, "0123456789abcdef") == 2 * SHA256_SIZE)
        memcpy(out->sha256, text, sizeof out->sha256);
    else
        wrong(reading, where, "a digest that is no SHA-256 of 64 lower-case digits");
}

static struct statement_file *read_files(struct reading *reading, const json_t *list,
                                         const char *where)
{
    struct statement_file *files = NULL;
    if (!json_is_array(list))
        wrong(reading, where, "not a list");
    for (size_t i = 0; i < json_array_size(list) && !reading->fault; i++) {
        const json_t *object = json_array_get(list, i);
        struct statement_file file = {0};
        only_members(reading, object, where, 2);
        file.name = name_of(reading, member(reading, object, "name"), where);
        read_digest(reading, member(reading, object, "digest"), where, &file);
        if (i && strcmp(arrlast(files).name, file.name) >= 0)
            wrong(reading, where, "names that are not sorted, or twice there");
        arrput(files, file);
    }
    if (!arrlen(files))
        wrong(reading, where, "empty");
    return files;
}

static bool is_option_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               length;
}

static void read_option(struct reading *reading, const json_t *object)
{
    static const char where[] = "options";
    struct statement_option option = {0};
    const json_t *path = member(reading, object, "path"),
                 *values = member(reading, object, "values");
    only_members(reading, object, where, 3);
    option.name = text_of(reading, member(reading, object, "name"), where);
    option.is_path = json_is_true(path);
    if (!is_option_name(option.name) || !json_is_boolean(path) || !json_is_array(values) ||
        json_array_size(values) > VALUES_MAX)
        wrong(reading, where, "not an option");
    for (size_t i = 0; i < json_array_size(values) && !reading->fault; i++)
        arrput(option.values, text_of(reading, json_array_get(values, i), where));
    if (option.is_path && json_array_size(values))
        (void)name_of(reading, json_array_get(values, 0), where);
    arrput(reading->out->options, option);
}

static void read_definition(struct reading *reading, const json_t *definition)
{
    struct statement *out = reading->out;
    const json_t *given = member(reading, definition, "externalParameters");
    const json_t *result = member(reading, definition, "internalParameters");
    const json_t *status = member(reading, result, "exitStatus");
    const json_t *options = member(reading, given, "options");
    only_members(reading, definition, "buildDefinition", 4);
    only_members(reading, given, "externalParameters", 2);
    only_members(reading, result, "internalParameters", 1);
    expect(reading, definition, "buildType", BUILD_TYPE);
    out->source = name_of(reading, member(reading, given, "source"), "source");
    if (!json_is_integer(status) ||
        (json_integer_value(status) != STATUS_OK && json_integer_value(status) != STATUS_LEAK))
        wrong(reading, "exitStatus", "not 0 or 3");
    out->status = (int)json_integer_value(status);
    if (!json_is_array(options))
        wrong(reading, "options", "not a list");
    for (size_t i = 0; i < json_array_size(options) && !reading->fault; i++)
        read_option(reading, json_array_get(options, i));
    out->inputs = read_files(reading, member(reading, definition, "resolvedDependencies"),
                             "resolvedDependencies");
}

static void read_details(struct reading *reading, const json_t *details)
{
    const json_t *builder = member(reading, details, "builder");
    const json_t *version = member(reading, builder, "version");
    only_members(reading, details, "runDetails", 1);
    only_members(reading, builder, "builder", 2);
    only_members(reading, version, "version", 2);
    expect(reading, builder, "id", BUILDER);
    reading->out->version = text_of(reading, member(reading, version, "brushwork"), "version");
    reading->out->code = text_of(reading, member(reading, version, "code"), "version");
}

const char *statement_read(const struct bytes *text, struct statement *out)
{
    struct reading reading = {.out = out};
    json_error_t error;
    json_t *all = json_loadb(text->size ? (const char *)text->data : "", text->size,
                             JSON_REJECT_DUPLICATES, &error);
    if (!all)
        wrong(&reading, "no JSON",
              arena_printf(&out->texts, "line %d, column %d", error.line, error.column));
    only_members(&reading, all, "statement", 4);
    expect(&reading, all, "_type", TYPE);
    expect(&reading, all, "predicateType", PREDICATE);
    const json_t *predicate = member(&reading, all, "predicate");
    only_members(&reading, predicate, "predicate", 2);
    out->outputs = read_files(&reading, member(&reading, all, "subject"), "subject");
    read_definition(&reading, member(&reading, predicate, "buildDefinition"));
    read_details(&reading, member(&reading, predicate, "runDetails"));
    json_decref(all);
    return reading.fault;
}
