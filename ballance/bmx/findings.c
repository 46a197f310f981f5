#include "ballance/bmx/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/core/array.h"

enum { TEXT_SIZE = 512 };

/* Truncates the text to at most `size` bytes, between two characters. */
static void cut(char *text, size_t size)
{
    if (strlen(text) < size)
        return;
    while (size && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    text[size] = 0;
}

const char *bmx_label(const char *kind, const struct bmx_text *name, char label[BMX_LABEL_SIZE])
{
    size_t size = strlen(kind);
    memcpy(label, kind, size);
    label[size++] = ' ';
    for (size_t i = 0; i < arrlenu(name->points) && size + 4 < BMX_LABEL_SIZE; i++) {
        uint32_t point = name->points[i];
        bool plain = point && unicode_is_valid(point);
        size += utf8_encode(plain ? point : UNICODE_REPLACEMENT, label + size);
    }
    label[size] = 0;
    return label;
}

void bmx_add_finding(struct bmx_findings *findings, int code, const char *object,
                     const char *format, ...)
{
    findings->by_severity[diag_info(code)->severity]++;
    if (findings->by_code[diag_index(code)]++ >= BMX_FINDINGS_KEPT)
        return;
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cut(text, TEXT_SIZE - 1 - 4);
    char *kept = arena_strndup(&findings->arena, object, strnlen(object, TEXT_SIZE));
    cut(kept, TEXT_SIZE - 1);
    struct bmx_finding finding = {code, kept, arena_strdup(&findings->arena, text)};
    arrput(findings->list, finding);
}

void bmx_add_bare_finding(struct bmx_findings *findings, int code, const char *object)
{
    bmx_add_finding(findings, code, object, "%s", "");
}

size_t bmx_finding_count(const struct bmx_findings *findings, int code)
{
    return findings->by_code[diag_index(code)];
}

void bmx_findings_free(struct bmx_findings *findings)
{
    arrfree(findings->list);
    arena_free(&findings->arena);
}

const char *bmx_code_name(int code)
{
    return diag_info(code)->name + strlen("BMX_");
}

/* Which findings are reported, and as what at most. */
enum reported { REPORT_ALL, REPORT_ERRORS, REPORT_WARNINGS };

static void report_code(const char *name, int code, enum reported what, struct diag *diag,
                        const char *message)
{
    enum diag_severity severity = diag_info(code)->severity;
    if (what == REPORT_ERRORS && severity != DIAG_ERROR)
        return;
    if (what == REPORT_WARNINGS && severity == DIAG_ERROR)
        severity = DIAG_WARNING;
    (void)diag_report_as(diag, severity, code, &(struct diag_where){.file = name}, "%s", message);
}

static enum status report(const struct bmx_findings *findings, const char *name, enum reported what,
                          struct diag *diag)
{
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(findings->list); i++) {
        const struct bmx_finding *finding = &findings->list[i];
        report_code(name, finding->code, what, diag,
                    arena_printf(&arena, "%s%s%s", finding->object,
                                 *finding->object && *finding->text ? ": " : "", finding->text));
    }
    for (int code = diag_next(0); code; code = diag_next(code)) {
        const size_t count = bmx_finding_count(findings, code);
        if (count > BMX_FINDINGS_KEPT)
            report_code(name, code, what, diag,
                        arena_printf(&arena, "%zu more", count - BMX_FINDINGS_KEPT));
    }
    arena_free(&arena);
    return findings->by_severity[DIAG_ERROR] ? STATUS_FAILED : STATUS_OK;
}

enum status bmx_report(const struct bmx_findings *findings, const char *name, struct diag *diag)
{
    return report(findings, name, REPORT_ALL, diag);
}

enum status bmx_report_errors(const struct bmx_findings *findings, const char *name,
                              struct diag *diag)
{
    return report(findings, name, REPORT_ERRORS, diag);
}

void bmx_report_tolerated(const struct bmx_findings *findings, const char *name, struct diag *diag)
{
    (void)report(findings, name, REPORT_WARNINGS, diag);
}
