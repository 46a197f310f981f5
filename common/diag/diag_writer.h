/* Writers: what a run reports, in the format that a reader wants. One for each place that it goes
 * to: the terminal, a file, the log.
 *
 * Text, JSON and GitHub's commands are lines that are written as they occur. SARIF and GitLab's
 * code quality are documents: a head, elements and a tail. In a file of its own the tail follows
 * each element and the next element replaces it, so that the document is complete whenever the
 * process ends, even when it is killed; one that does not fit on the disk ends with the element
 * before it. On a stream the tail is written at the end, or by a handler
 * of the signals that end the process, where one is wanted.
 *
 * The feedback of an editor is pieces of XML that go to a function, which sends them. */
#ifndef DIAG_DIAG_WRITER_H
#define DIAG_DIAG_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "common/core/bytes.h"
#include "common/core/status.h"
#include "common/diag/diag.h"

enum diag_format_id {
    DIAG_AS_TEXT,
    DIAG_AS_JSON,
    DIAG_AS_SARIF,
    DIAG_AS_GITHUB,
    DIAG_AS_GITLAB,
    DIAG_FORMATS, /* that have a name */
    DIAG_AS_FEEDBACK = DIAG_FORMATS,
    DIAG_ALL_FORMATS
};

/* The names of the formats, for an option; terminated by NULL. */
extern const char *const diag_format_names[DIAG_FORMATS + 1];

/* Sends a piece; returns an errno or 0. It allocates nothing and takes no lock: the last message of
 * a process comes by it, too. */
typedef int diag_send(void *context, const char *text, size_t size);

/* Strings and the file are borrowed until diag_writer_free. */
struct diag_writer_options {
    enum diag_format_id format;
    const char *program, *version;
    const char *subject; /* the file that the run is about, or NULL */
    bool has_more_files; /* beside that, to which the same is done */
    FILE *out;
    diag_send *send; /* in the place of `out`; or NULL */
    void *send_context;
    bool has_file;        /* `out` is a regular file of its own, with what diag_writer_blank has */
    bool catches_signals; /* the process is ours: a signal that ends it completes a document */
    bool colour;
    int columns;  /* text: of the terminal; 0: lines are not broken */
    bool quiet;   /* text, GitHub: no notes */
    bool verbose; /* text: all messages of a code, and lists to their end */
};

struct diag_writer;

/* Appends what a file of a writer with these options has before the first message: a whole
 * document, which tells of a run that was killed. */
void diag_writer_blank(const struct diag_writer_options *options, struct bytes *out);

struct diag_writer *diag_writer_new(const struct diag_writer_options *options);
void diag_writer_free(struct diag_writer *writer);

void diag_writer_entry(struct diag_writer *writer, const struct diag_entry *entry);

/* Prints more JSON objects, one per line, where the format is that. */
typedef void diag_print_lines(const void *context, FILE *out);
void diag_writer_lines(struct diag_writer *writer, diag_print_lines *print, const void *context);

/* Writes lines of text, each with its line end, where the format has a place for what is no
 * diagnostic. */
void diag_writer_said(struct diag_writer *writer, const char *text);

/* Writes the summary of the messages, or the end of the document; nothing can follow in one. */
void diag_writer_end(struct diag_writer *writer, const struct diag *diag, enum status status);

/* Returns the errno of the first write that failed, or 0. */
int diag_writer_error(const struct diag_writer *writer);

/* The last message of a process that cannot go on. */
struct diag_last {
    int code;
    const char *message;
    enum status status;
};

/* Writes it and the end, without allocating, and without the locks of others, who may be waiting
 * for memory. The process ends after it. */
void diag_writer_last(struct diag_writer *writer, const struct diag_last *last);

#endif
