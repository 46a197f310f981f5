/* Workflow commands of GitHub Actions, which become annotations of a line:
 * ::error file=a.vmf,line=7,title=V001 map leaks::text */
#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/diag/diag_format.h"

/* A property also ends at a colon or a comma. */
static void put_escaped(FILE *out, const char *text, bool is_property)
{
    char *clean = diag_utf8(text);
    for (const char *at = clean; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
            fprintf(out, "%%%02X", c);
        else
            fputc((c < 0x20 && c != '\t') || c == 0x7f ? '?' : c, out);
    }
    memory_free(clean);
}

static void put_text(const struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    struct text_stream text;
    if (!text_stream_open(&text))
        return;
    diag_print_detail(text.out, writer->options.program, entry);
    fputs("fix: ", text.out);
    diag_put_fix(text.out, entry);
    text_stream_close(&text);
    /* Without a detail the text would begin with an empty line. */
    put_escaped(out, text.text + (*text.text == '\n'), false);
    free(text.text);
}

static void put_entry(struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    static const char *const commands[] = {"notice", "warning", "error"};
    const struct diag_info *info = diag_info(entry->code);
    if (entry->severity == DIAG_NOTE && writer->options.quiet)
        return;
    fprintf(out, "::%s ", commands[entry->severity]);
    if (entry->where.file) {
        char *path = diag_path(entry->where.file);
        fputs("file=", out);
        put_escaped(out, path, true);
        fputc(',', out);
        memory_free(path);
        if (entry->where.line)
            fprintf(out, "line=%d,", entry->where.line);
    }
    fprintf(out, "title=%s ", info->code);
    put_escaped(out, info->title, true);
    fputs("::", out);
    put_text(writer, entry, out);
    fputc('\n', out);
}

static void put_last(const struct diag_writer *writer, const struct diag_last *last,
                     struct diag_fixed *out)
{
    const struct diag_info *info = diag_info(last->code);
    const char *const parts[] = {
        "::error title=", info->code, " ",       info->title, "::", writer->options.program, ": ",
        last->message,    "%0Afix: ", info->fix, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        diag_fixed_add(out, parts[i]);
}

const struct diag_format diag_format_github = {
    .name = "github", .entry = put_entry, .last = put_last};
