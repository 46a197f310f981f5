#include "common/bmx/findings.h"

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

void bmx_add_finding(struct bmx_findings *findings, enum diag_code code, const char *object,
                     const char *format, ...)
{
    findings->by_severity[diag_info(code)->severity]++;
    if (findings->by_code[code]++ >= BMX_FINDINGS_KEPT)
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

void bmx_add_bare_finding(struct bmx_findings *findings, enum diag_code code, const char *object)
{
    bmx_add_finding(findings, code, object, "%s", "");
}

void bmx_findings_free(struct bmx_findings *findings)
{
    arrfree(findings->list);
    arena_free(&findings->arena);
}

const char *bmx_code_name(enum diag_code code)
{
    static const char *const names[DIAG_CODES] = {
#define DIAG(name, code, severity, title, fix) #name,
#include "common/diag/diag_codes.def"
#undef DIAG
    };
    return names[code] + strlen("BMX_");
}

static enum diag_severity severity_of(enum diag_code code, enum diag_severity worst)
{
    enum diag_severity severity = diag_info(code)->severity;
    return severity < worst ? severity : worst;
}

static void report(const struct bmx_findings *findings, const char *name, enum diag_severity worst,
                   struct diag *diag)
{
    const struct diag_where where = {.file = name};
    for (size_t i = 0; i < arrlenu(findings->list); i++) {
        const struct bmx_finding *finding = &findings->list[i];
        (void)diag_report_as(diag, severity_of(finding->code, worst), finding->code, &where,
                             "%s%s%s%s%s", bmx_code_name(finding->code),
                             *finding->object ? ": " : "", finding->object,
                             *finding->text ? ": " : "", finding->text);
    }
    for (int code = 0; code < DIAG_CODES; code++)
        if (findings->by_code[code] > BMX_FINDINGS_KEPT)
            (void)diag_report_as(diag, severity_of((enum diag_code)code, worst),
                                 (enum diag_code)code, &where, "%s: %zu more",
                                 bmx_code_name((enum diag_code)code),
                                 findings->by_code[code] - BMX_FINDINGS_KEPT);
}

enum status bmx_report(const struct bmx_findings *findings, const char *name, struct diag *diag)
{
    report(findings, name, DIAG_ERROR, diag);
    return findings->by_severity[DIAG_ERROR] ? STATUS_FAILED : STATUS_OK;
}

void bmx_report_tolerated(const struct bmx_findings *findings, const char *name, struct diag *diag)
{
    report(findings, name, DIAG_WARNING, diag);
}
