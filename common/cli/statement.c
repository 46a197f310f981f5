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

enum { STEP = 1 << 20 };

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
