#include "common/diag/diag_writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag_format.h"

static const struct diag_format *const formats[DIAG_ALL_FORMATS] = {
    [DIAG_AS_TEXT] = &diag_format_text,     [DIAG_AS_JSON] = &diag_format_json,
    [DIAG_AS_SARIF] = &diag_format_sarif,   [DIAG_AS_GITHUB] = &diag_format_github,
    [DIAG_AS_GITLAB] = &diag_format_gitlab, [DIAG_AS_FEEDBACK] = &diag_format_feedback,
};

const char *const diag_format_names[DIAG_FORMATS + 1] = {"text",   "json",   "sarif",
                                                         "github", "gitlab", NULL};

/* Held while bytes are written, and at no other time: whoever ends the process can wait for it. */
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

/* The document on a stream that a signal has to complete; one per process. */
static struct diag_writer *open_document;

static void write_all(int file, const char *text, size_t size)
{
    while (size) {
        ssize_t count = write(file, text, size);
        if (count <= 0)
            return;
        text += count;
        size -= (size_t)count;
    }
}

/* Returns an errno, or 0. */
static int write_at(int file, const char *text, size_t size, size_t at)
{
    while (size) {
        ssize_t count = pwrite(file, text, size, (off_t)at);
        if (count <= 0)
            return count < 0 ? errno : EIO;
        text += count;
        at += (size_t)count;
        size -= (size_t)count;
    }
    return 0;
}

/* Signals wait, too: their handler wants the lock. */
static void lock_output(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    pthread_mutex_lock(&output);
}

static void unlock_output(const sigset_t *before)
{
    pthread_mutex_unlock(&output);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A piece that is being made, in memory. */
struct piece {
    FILE *out;
    char *text;
    size_t size;
};

static bool begin_piece(struct piece *piece)
{
    *piece = (struct piece){0};
    piece->out = open_memstream(&piece->text, &piece->size);
    return piece->out != NULL;
}

/* Appends `size` bytes, of which the last `tail` are those of a tail, at which the next piece
 * begins. */
static void put(struct diag_writer *writer, const char *text, size_t size, size_t tail)
{
    FILE *out = writer->options.out;
    int error = 0;
    sigset_t before;
    lock_output(&before);
    errno = 0;
    if (writer->options.send) {
        error = writer->options.send(writer->options.send_context, text, size);
    } else if (writer->options.has_file) {
        error = write_at(fileno(out), text, size, writer->end);
        writer->end += size - tail;
    } else if (fwrite(text, 1, size, out) < size || fflush(out) != 0) {
        error = errno ? errno : EIO;
    }
    if (!writer->error)
        writer->error = error;
    unlock_output(&before);
}

static void end_piece(struct diag_writer *writer, struct piece *piece)
{
    size_t tail = 0;
    fflush(piece->out);
    if (writer->cut && writer->options.has_file && piece->size) {
        tail = strlen(writer->cut);
        fputs(writer->cut, piece->out);
    }
    fclose(piece->out);
    if (piece->size)
        put(writer, piece->text, piece->size, tail);
    free(piece->text);
}

/* The text of the tail after a signal; free with memory_free. */
static char *cut_tail(struct diag_writer *writer)
{
    struct piece piece;
    if (!begin_piece(&piece))
        return NULL;
    writer->format->tail(writer, NULL, STATUS_INTERNAL, piece.out);
    fclose(piece.out);
    char *copy = memory_alloc(piece.size + 1);
    memcpy(copy, piece.text, piece.size + 1);
    free(piece.text);
    return copy;
}

static void complete_document(int number)
{
    struct diag_writer *writer = open_document;
    sigset_t before;
    lock_output(&before);
    if (writer && writer->cut && !writer->has_ended)
        write_all(fileno(writer->options.out), writer->cut, strlen(writer->cut));
    /* With the signal's default action, which the handler leaves. */
    raise(number);
}

static void catch_endings(struct diag_writer *writer)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    open_document = writer;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        sigaction(numbers[i], NULL, &action);
        if (action.sa_handler != SIG_DFL)
            continue;
        action = (struct sigaction){0};
        action.sa_handler = complete_document;
        action.sa_flags = (int)SA_RESETHAND;
        sigaction(numbers[i], &action, NULL);
    }
}

static void begin_stream(struct diag_writer *writer)
{
    struct piece piece;
    if (!begin_piece(&piece))
        return;
    writer->format->head(writer, piece.out);
    end_piece(writer, &piece);
}

static void begin_document(struct diag_writer *writer)
{
    writer->cut = cut_tail(writer);
    begin_stream(writer);
    if (!writer->options.has_file && writer->options.catches_signals)
        catch_endings(writer);
}

struct diag_writer *diag_writer_new(const struct diag_writer_options *options)
{
    struct diag_writer *writer = memory_zalloc(1, sizeof *writer);
    writer->options = *options;
    writer->format = formats[options->format];
    char *path = options->subject ? diag_path(options->subject) : NULL;
    writer->subject = diag_utf8(path ? path : options->program);
    writer->uri = options->subject ? diag_uri(options->subject) : NULL;
    memory_free(path);
    if (writer->format->is_document)
        begin_document(writer);
    else if (writer->format->has_head)
        begin_stream(writer);
    return writer;
}

void diag_writer_free(struct diag_writer *writer)
{
    if (!writer)
        return;
    if (open_document == writer)
        open_document = NULL;
    hmfree(writer->seen);
    json_decref(writer->unplaced);
    memory_free(writer->subject);
    memory_free(writer->uri);
    memory_free(writer->cut);
    memory_free(writer->kept);
    memory_free(writer);
}

void diag_writer_entry(struct diag_writer *writer, const struct diag_entry *entry)
{
    struct piece piece, element;
    const struct diag_format *format = writer->format;
    writer->printed[entry->code]++;
    if (!begin_piece(&piece))
        return;
    if (!format->is_document) {
        format->entry(writer, entry, piece.out);
    } else if (begin_piece(&element)) {
        format->entry(writer, entry, element.out);
        fclose(element.out);
        if (element.size)
            fprintf(piece.out, "%s%s", writer->elements++ ? ",\n" : "", element.text);
        free(element.text);
    }
    end_piece(writer, &piece);
}

void diag_writer_lines(struct diag_writer *writer, diag_print_lines *print, const void *context)
{
    struct piece piece;
    if (!writer->format->has_objects || !begin_piece(&piece))
        return;
    print(context, piece.out);
    end_piece(writer, &piece);
}

void diag_writer_said(struct diag_writer *writer, const char *text)
{
    struct piece piece;
    if (!writer->format->said || !begin_piece(&piece))
        return;
    writer->format->said(writer, text, piece.out);
    end_piece(writer, &piece);
}

void diag_writer_end(struct diag_writer *writer, const struct diag *diag, enum status status)
{
    struct piece piece;
    if (!writer->format->tail || !begin_piece(&piece))
        return;
    writer->format->tail(writer, diag, status, piece.out);
    memory_free(writer->cut);
    writer->cut = NULL;
    end_piece(writer, &piece);
    writer->has_ended = true;
    bool has_file = writer->options.has_file;
    if (has_file && ftruncate(fileno(writer->options.out), (off_t)writer->end) != 0)
        writer->error = errno;
}

int diag_writer_error(const struct diag_writer *writer)
{
    return writer->error;
}

void diag_writer_last(struct diag_writer *writer, const struct diag_last *last)
{
    static struct diag_fixed text;
    const struct diag_format *format = writer->format;
    int file = writer->options.send ? -1 : fileno(writer->options.out);
    sigset_t before;
    lock_output(&before);
    if (!writer->has_ended) {
        text.size = 0;
        if (format->is_document && writer->elements)
            diag_fixed_add(&text, ",\n");
        format->last(writer, last, &text);
        if (format->last_tail)
            format->last_tail(writer, last, &text);
        if (writer->options.send)
            (void)writer->options.send(writer->options.send_context, text.text, text.size);
        else if (writer->options.has_file)
            (void)write_at(file, text.text, text.size, writer->end);
        else
            write_all(file, text.text, text.size);
        writer->has_ended = true;
    }
    unlock_output(&before);
}

void diag_fixed_add(struct diag_fixed *out, const char *text)
{
    size_t room = sizeof out->text - out->size, size = strlen(text);
    size = size < room ? size : room;
    memcpy(out->text + out->size, text, size);
    out->size += size;
}

void diag_fixed_quote(struct diag_fixed *out, const char *text)
{
    diag_fixed_add(out, "\"");
    for (; *text; text++) {
        const char one[2] = {*text, 0};
        diag_fixed_add(out, *text == '"'                 ? "\\\""
                            : *text == '\\'              ? "\\\\"
                            : (unsigned char)*text < ' ' ? "?"
                                                         : one);
    }
    diag_fixed_add(out, "\"");
}
