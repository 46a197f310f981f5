#include "brushwork/many/junit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/text_stream.h"
#include "common/core/unicode.h"
#include "common/diag/diag_json.h"
#include "common/diag/diag_text.h"
#include "common/diag/file_report.h"

static bool is_in_xml(uint32_t point)
{
    return point >= 0x20 ? point != 0xfffe && point != 0xffff
                         : point == '\t' || point == '\n' || point == '\r';
}

static void put_point(uint32_t point, FILE *out)
{
    char bytes[4];
    switch (point) {
    case '&':
        fputs("&amp;", out);
        return;
    case '<':
        fputs("&lt;", out);
        return;
    case '>':
        fputs("&gt;", out);
        return;
    case '"':
        fputs("&quot;", out);
        return;
    case '\t':
    case '\n':
    case '\r':
        fprintf(out, "&#%u;", (unsigned)point);
        return;
    default:
        fwrite(bytes, 1, utf8_encode(is_in_xml(point) ? point : UNICODE_REPLACEMENT, bytes), out);
    }
}

/* For attributes and content alike. */
static void put_text(const char *text, size_t size, FILE *out)
{
    while (size) {
        uint32_t point = UNICODE_REPLACEMENT;
        size_t length = utf8_length(text, size, &point);
        put_point(length ? point : UNICODE_REPLACEMENT, out);
        length = length ? length : 1;
        text += length;
        size -= length;
    }
}

static void put_attribute(const char *name, const char *value, FILE *out)
{
    fprintf(out, " %s=\"", name);
    put_text(value, strlen(value), out);
    fputc('"', out);
}

/* --- messages --- */

static size_t count_messages(const struct diag *said, bool errors)
{
    size_t count = 0;
    for (size_t i = 0; said && i < diag_entries(said); i++)
        count += (diag_entry(said, i)->severity == DIAG_ERROR) == errors;
    return count;
}

static void put_messages(const struct diag *said, bool errors, FILE *out)
{
    struct text_stream memory;
    if (!text_stream_open(&memory))
        return;
    for (size_t i = 0; i < diag_entries(said); i++)
        if ((diag_entry(said, i)->severity == DIAG_ERROR) == errors)
            diag_print_text(memory.out, "brushwork build", diag_entry(said, i),
                            (struct diag_style){.fix = errors});
    text_stream_close(&memory);
    put_text(memory.text, memory.size, out);
    free(memory.text);
}

static const struct diag_entry *first_error(const struct diag *said)
{
    for (size_t i = 0; said && i < diag_entries(said); i++)
        if (diag_entry(said, i)->severity == DIAG_ERROR)
            return diag_entry(said, i);
    return NULL;
}

/* --- cases --- */

static bool is_broken(const struct job *job)
{
    return job->state == JOB_ENDED && job->status == STATUS_INTERNAL;
}

static bool is_failure(const struct job *job)
{
    return job->state == JOB_ENDED && job->status != STATUS_OK && !is_broken(job);
}

/* The element names the first error; its text has all of them. */
static void put_failure(const struct job *job, FILE *out)
{
    const char *element = is_broken(job) ? "error" : "failure";
    const struct diag_entry *first = first_error(job->said);
    struct arena arena = {0};
    fprintf(out, "      <%s", element);
    put_attribute("type", first ? diag_info(first->code)->code : diag_status_name(job->status),
                  out);
    put_attribute("message",
                  first ? arena_printf(&arena, "%s %s: %s", diag_info(first->code)->code,
                                       diag_info(first->code)->title, first->message)
                        : diag_status_name(job->status),
                  out);
    fputc('>', out);
    if (first)
        put_messages(job->said, true, out);
    fprintf(out, "</%s>\n", element);
    arena_free(&arena);
}

static void put_case(const struct job *job, FILE *out)
{
    struct arena arena = {0};
    fputs("    <testcase", out);
    put_attribute("classname", path_folder(&arena, job->map), out);
    put_attribute("name", path_name(job->map), out);
    put_attribute("file", job->map, out);
    fprintf(out, " time=\"%.3f\">\n", job->state == JOB_ENDED ? job->wall : 0.0);
    if (is_broken(job) || is_failure(job))
        put_failure(job, out);
    else if (job->state != JOB_ENDED)
        fputs("      <skipped message=\"not started\"/>\n", out);
    if (count_messages(job->said, false)) {
        fputs("      <system-out>", out);
        put_messages(job->said, false, out);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
    arena_free(&arena);
}

static void put_counts(const struct job *jobs, FILE *out)
{
    size_t failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    for (size_t i = 0; i < arrlenu(jobs); i++) {
        failures += is_failure(&jobs[i]);
        errors += is_broken(&jobs[i]);
        skipped += jobs[i].state != JOB_ENDED;
        seconds += jobs[i].state == JOB_ENDED ? jobs[i].wall : 0;
    }
    fprintf(out,
            " name=\"brushwork build\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
            "skipped=\"%zu\" time=\"%.3f\">\n",
            arrlenu(jobs), failures, errors, skipped, seconds);
}

static void put_plan(enum status status, FILE *out)
{
    fprintf(out,
            " name=\"brushwork build\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n"
            "    <testcase classname=\"brushwork build\" name=\"maps\">\n"
            "      <error type=\"%s\" message=\"no map was built: see the log\"/>\n"
            "    </testcase>\n",
            diag_status_name(status));
}

enum status junit_write(const struct env *env, const struct job *jobs, enum status status,
                        const char *path)
{
    struct text_stream stream;
    const bool is_planned = arrlenu(jobs) && jobs[0].output;
    if (!text_stream_open(&stream))
        return file_unwritten(env->diag, path, "out of memory");
    FILE *out = stream.out;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    if (is_planned)
        put_counts(jobs, out);
    else
        put_plan(status, out);
    for (size_t i = 0; is_planned && i < arrlenu(jobs); i++)
        put_case(&jobs[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
    text_stream_close(&stream);
    enum status written = fs_store(env->fs, env->diag, path, stream.text, stream.size);
    free(stream.text);
    return written;
}
