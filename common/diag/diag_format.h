/* Internal to the writers: a format, and what is kept for it. */
#ifndef DIAG_DIAG_FORMAT_H
#define DIAG_DIAG_FORMAT_H

#include <jansson.h>

#include "common/core/sha256.h"
#include "common/diag/diag_json.h"
#include "common/diag/diag_writer.h"

/* Text of a fixed size, for a process without memory. What does not fit is left out. */
struct diag_fixed {
    char text[4096];
    size_t size;
};

void diag_fixed_add(struct diag_fixed *out, const char *text);
/* In quotes, as JSON. The texts have no control characters. */
void diag_fixed_quote(struct diag_fixed *out, const char *text);

struct diag_seen {
    uint64_t key;
    int value; /* how often */
};

struct diag_writer {
    const struct diag_format *format;
    struct diag_writer_options options;
    char *subject; /* path of the subject as CI shows it, or the program */
    char *uri;     /* of the subject, or NULL */
    bool has_ended;
    int error;                      /* errno of a write */
    size_t elements;                /* of a document */
    size_t end;                     /* of the elements, in a file */
    size_t printed[DIAG_CODES_MAX]; /* messages */
    struct diag_seen *seen;         /* stb_ds map of fingerprints */
    json_t *unplaced;               /* SARIF: messages without a file */
    char *cut;                      /* the tail of a process that is killed */
    char *kept;                     /* feedback: errors for the end */
};

/* All print to a file in memory, which is written at once; those of a document print one piece of
 * it: without commas between elements, which the writer adds. */
struct diag_format {
    const char *name;
    bool is_document;
    bool has_objects; /* each line is a JSON object */
    bool has_head;    /* without being a document */
    void (*head)(struct diag_writer *writer, FILE *out);
    void (*entry)(struct diag_writer *writer, const struct diag_entry *entry, FILE *out);
    /* Lines that are no diagnostics; or NULL: they are not for this reader. */
    void (*said)(struct diag_writer *writer, const char *text, FILE *out);
    /* diag is NULL when the process is killed. */
    void (*tail)(struct diag_writer *writer, const struct diag *diag, enum status status,
                 FILE *out);
    /* For diag_writer_last: the entry, and with `tail` what follows it. */
    void (*last)(const struct diag_writer *writer, const struct diag_last *last,
                 struct diag_fixed *out);
    void (*last_tail)(const struct diag_writer *writer, const struct diag_last *last,
                      struct diag_fixed *out);
};

extern const struct diag_format diag_format_text, diag_format_json, diag_format_sarif,
    diag_format_github, diag_format_gitlab, diag_format_feedback;

/* Returns the path relative to the working directory if it is below it, else absolute, without "."
 * and ".."; free with memory_free. */
char *diag_path(const char *path);
/* Returns it as a URI reference; free with memory_free. */
char *diag_uri(const char *path);

/* A number for a finding that stays when lines move: of its code, file, numbers and text, and of
 * how many were equal before. */
struct diag_fingerprint {
    char text[2 * SHA256_SIZE + 1];
};
struct diag_fingerprint diag_fingerprint(struct diag_writer *writer,
                                         const struct diag_entry *entry);

#endif
