/* A list of findings about a BM file, each with a code, an object and a text. */
#ifndef BMX_FINDINGS_H
#define BMX_FINDINGS_H

#include "ballance/bmx/text.h"
#include "common/diag/diag.h"

struct bmx_finding {
    int code;           /* DIAG_BMX_... */
    const char *object; /* "mesh Cube", a member's name, or "" */
    const char *text;   /* may be "" */
};

/* Zero-initialise; free with bmx_findings_free. The first BMX_FINDINGS_KEPT of each code are kept,
 * all are counted. */
struct bmx_findings {
    struct bmx_finding *list; /* stb_ds array */
    size_t by_code[DIAG_CODES_MAX];
    size_t by_severity[DIAG_SEVERITIES];
    struct arena arena;
};

enum { BMX_FINDINGS_KEPT = 200 };

/* Adds a finding; the texts are copied, long ones truncated. */
void bmx_add_finding(struct bmx_findings *findings, int code, const char *object,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds a finding without a text, for codes that need no detail. */
void bmx_add_bare_finding(struct bmx_findings *findings, int code, const char *object);

/* Formats the object of a finding: "mesh Cube". */
enum { BMX_LABEL_SIZE = 160 };
const char *bmx_label(const char *kind, const struct bmx_text *name, char label[BMX_LABEL_SIZE]);
/* Returns how many there are of a code. */
size_t bmx_finding_count(const struct bmx_findings *findings, int code);
void bmx_findings_free(struct bmx_findings *findings);

/* Returns "E_NAN" for DIAG_BMX_E_NAN: the code's name, which other checkers use too. */
const char *bmx_code_name(int code);

/* Reports the findings to diag, with `name` as their file. STATUS_FAILED when one was an error. */
NODISCARD enum status bmx_report(const struct bmx_findings *findings, const char *name,
                                 struct diag *diag);
/* The same without warnings and notes. */
NODISCARD enum status bmx_report_errors(const struct bmx_findings *findings, const char *name,
                                        struct diag *diag);
/* The same for a caller that goes on in spite of errors: they are reported as warnings. */
void bmx_report_tolerated(const struct bmx_findings *findings, const char *name, struct diag *diag);

#endif
