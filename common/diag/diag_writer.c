#include "common/diag/diag_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/diag/diag_format.h"
#include "common/diag/diag_output.h"

static const struct diag_format *const formats[DIAG_ALL_FORMATS] = {
    [DIAG_AS_TEXT] = &diag_format_text,     [DIAG_AS_JSON] = &diag_format_json,
    [DIAG_AS_SARIF] = &diag_format_sarif,   [DIAG_AS_GITHUB] = &diag_format_github,
    [DIAG_AS_GITLAB] = &diag_format_gitlab, [DIAG_AS_FEEDBACK] = &diag_format_feedback,
};

const char *const diag_format_names[DIAG_FORMATS + 1] = {"text",   "json",   "sarif",
                                                         "github", "gitlab", NULL};

/* The document on a stream that a signal has to complete; one per process. */
static struct diag_writer *open_document;

/* Writes at the end of the elements, in the place of the tail. When that fails, as on a full disk,
 * the file is again as it was, without a part of the piece, and stays so: later pieces without this
 * one would tell of another run. */
static int put_in_file(struct diag_writer *writer, const char *text, size_t size)
{
    const int file = fileno(writer->options.out);
    const char *cut = writer->cut ? writer->cut : "";
    if (writer->error)
        return writer->error;
    const int error = diag_output_at(file, text, size, writer->end);
    if (error) {
        (void)diag_output_at(file, cut, strlen(cut), writer->end);
        (void)diag_output_cut(file, writer->end + strlen(cut));
    }
    return error;
}

struct piece {
    const char *text;
    size_t size, tail; /* the last bytes are those of a tail, at which the next piece begins */
    bool is_last;
};

static int put_anywhere(struct diag_writer *writer, const struct piece *piece)
{
    FILE *out = writer->options.out;
    errno = 0;
    if (writer->options.send)
        return writer->options.send(writer->options.send_context, piece->text, piece->size);
    if (writer->options.has_file) {
        const int error = put_in_file(writer, piece->text, piece->size);
        writer->end += error ? 0 : piece->size - piece->tail;
        return error;
    }
    if (fwrite(piece->text, 1, piece->size, out) < piece->size || fflush(out) != 0)
        return errno ? errno : EIO;
    return 0;
}

static void put(struct diag_writer *writer, const struct piece *piece)
{
    diag_output_lock();
    const int error = piece->size ? put_anywhere(writer, piece) : 0;
    if (!writer->error)
        writer->error = error;
    writer->has_ended |= piece->is_last;
    diag_output_unlock();
}

static void end_piece(struct diag_writer *writer, struct text_stream *piece)
{
    size_t tail = 0;
    if (writer->cut && writer->options.has_file && text_stream_size(piece)) {
        tail = strlen(writer->cut);
        fputs(writer->cut, piece->out);
    }
    text_stream_close(piece);
    put(writer, &(struct piece){.text = piece->text, .size = piece->size, .tail = tail});
    free(piece->text);
}

/* The text of the tail after a signal; free with memory_free. */
static char *cut_tail(struct diag_writer *writer)
{
    struct text_stream piece;
    if (!text_stream_open(&piece))
        return NULL;
    writer->format->tail(writer, NULL, STATUS_INTERNAL, piece.out);
    text_stream_close(&piece);
    char *copy = memory_alloc(piece.size + 1);
    memcpy(copy, piece.text, piece.size + 1);
    free(piece.text);
    return copy;
}

static void complete_document(void)
{
    const struct diag_writer *writer = open_document;
    if (writer && writer->cut && !writer->has_ended)
        diag_output_all(fileno(writer->options.out), writer->cut, strlen(writer->cut));
}

/* A file has its head already. */
static void begin_stream(struct diag_writer *writer)
{
    struct text_stream piece;
    if (!text_stream_open(&piece))
        return;
    writer->format->head(writer, piece.out);
    if (!writer->options.has_file) {
        end_piece(writer, &piece);
        return;
    }
    text_stream_close(&piece);
    writer->end = piece.size;
    free(piece.text);
}

static void begin_catching(struct diag_writer *writer)
{
    open_document = writer;
    diag_output_catch(complete_document);
}

static void begin_document(struct diag_writer *writer)
{
    writer->cut = cut_tail(writer);
    begin_stream(writer);
    if (!writer->options.has_file && writer->options.catches_signals)
        begin_catching(writer);
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

static int collect(void *context, const char *text, size_t size)
{
    bytes_append(context, text, size);
    return 0;
}

void diag_writer_blank(const struct diag_writer_options *options, struct bytes *out)
{
    struct diag_writer_options collecting = *options;
    collecting.send = collect;
    collecting.send_context = out;
    collecting.has_file = collecting.catches_signals = false;
    struct diag_writer *writer = diag_writer_new(&collecting);
    if (writer->cut)
        bytes_append_text(out, "%s", writer->cut);
    diag_writer_free(writer);
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
    struct text_stream piece, element;
    const struct diag_format *format = writer->format;
    writer->printed[diag_index(entry->code)]++;
    if (!text_stream_open(&piece))
        return;
    if (!format->is_document) {
        format->entry(writer, entry, piece.out);
    } else if (text_stream_open(&element)) {
        format->entry(writer, entry, element.out);
        text_stream_close(&element);
        if (element.size)
            fprintf(piece.out, "%s%s", writer->elements++ ? ",\n" : "", element.text);
        free(element.text);
    }
    end_piece(writer, &piece);
}

void diag_writer_lines(struct diag_writer *writer, diag_print_lines *print, const void *context)
{
    struct text_stream piece;
    if (!writer->format->has_objects || !text_stream_open(&piece))
        return;
    print(context, piece.out);
    end_piece(writer, &piece);
    if (writer->options.has_file && writer->has_ended && !writer->error)
        writer->error = diag_output_sync(fileno(writer->options.out));
}

void diag_writer_said(struct diag_writer *writer, const char *text)
{
    struct text_stream piece;
    if (!writer->format->said || !text_stream_open(&piece))
        return;
    writer->format->said(writer, text, piece.out);
    end_piece(writer, &piece);
}

/* Ends the file at its tail, which may be shorter than the one before, and waits for the disk. */
static int end_file(const struct diag_writer *writer)
{
    const int file = fileno(writer->options.out);
    const int error = diag_output_cut(file, writer->end);
    return error ? error : diag_output_sync(file);
}

void diag_writer_end(struct diag_writer *writer, const struct diag *diag, enum status status)
{
    struct text_stream piece;
    if (!writer->format->tail || !text_stream_open(&piece))
        return;
    writer->format->tail(writer, diag, status, piece.out);
    text_stream_close(&piece);
    put(writer, &(struct piece){.text = piece.text, .size = piece.size, .is_last = true});
    free(piece.text);
    if (writer->options.has_file && !writer->error)
        writer->error = end_file(writer);
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
    diag_output_lock();
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
            (void)put_in_file(writer, text.text, text.size);
        else
            diag_output_all(file, text.text, text.size);
        writer->has_ended = true;
    }
    diag_output_unlock();
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
