/* GitLab's code quality report: an array with an object for each message. */
#include <stdlib.h>

#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/diag/diag_format.h"

static const char *const severities[] = {"info", "minor", "critical"};

static void put_head(struct diag_writer *writer, FILE *out)
{
    (void)writer;
    fputs("[\n", out);
}

/* A place is required: without one it is the first line of the map. */
static void put_entry(struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    struct text_stream text;
    char *path = entry->where.file ? diag_path(entry->where.file) : NULL;
    if (!text_stream_open(&text)) {
        memory_free(path);
        return;
    }
    const struct diag_info *info = diag_info(entry->code);
    fprintf(text.out, "%s%s", info->title, *entry->message ? ": " : "");
    diag_print_detail(text.out, writer->options.program, entry);
    text_stream_close(&text);
    if (text.size && text.text[text.size - 1] == '\n')
        text.text[text.size - 1] = 0;
    json_t *object =
        json_pack("{s:o,s:s,s:s,s:s,s:{s:o,s:{s:i}}}", "description", diag_json_text(text.text),
                  "check_name", info->code, "fingerprint", diag_fingerprint(writer, entry).text,
                  "severity", severities[entry->severity], "location", "path",
                  diag_json_text(path ? path : writer->subject), "lines", "begin",
                  path && entry->where.line ? entry->where.line : 1);
    json_dumpf(object, out, JSON_COMPACT);
    json_decref(object);
    memory_free(path);
    free(text.text);
}

static void put_tail(struct diag_writer *writer, const struct diag *diag, enum status status,
                     FILE *out)
{
    (void)writer;
    (void)diag;
    (void)status;
    fputs("\n]\n", out);
}

/* The message is about the run, so that there is one of it. */
static void put_last(const struct diag_writer *writer, const struct diag_last *last,
                     struct diag_fixed *out)
{
    const struct diag_info *info = diag_info(last->code);
    diag_fixed_add(out, "{\"description\":");
    diag_fixed_quote(out, last->message);
    diag_fixed_add(out, ",\"check_name\":");
    diag_fixed_quote(out, info->code);
    diag_fixed_add(out, ",\"fingerprint\":");
    diag_fixed_quote(out, info->name);
    diag_fixed_add(out, ",\"severity\":\"critical\",\"location\":{\"path\":");
    diag_fixed_quote(out, writer->subject);
    diag_fixed_add(out, ",\"lines\":{\"begin\":1}}}");
}

static void put_last_tail(const struct diag_writer *writer, const struct diag_last *last,
                          struct diag_fixed *out)
{
    (void)writer;
    (void)last;
    diag_fixed_add(out, "\n]\n");
}

const struct diag_format diag_format_gitlab = {.name = "gitlab",
                                               .is_document = true,
                                               .head = put_head,
                                               .entry = put_entry,
                                               .tail = put_tail,
                                               .last = put_last,
                                               .last_tail = put_last_tail};
