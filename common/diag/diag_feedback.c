/* The XML stream that the build window of NetRadiant reads: messages with a level (1 normal, 2
 * warning, 3 error), and elements that the editor shows in the map: `select` (an entity and a brush
 * by their numbers), `pointmsg`, `windingmsg`, and in a message the `polyline` of a leak.
 *
 * The root element is never closed: the end of the connection is the end of the run. A message of
 * level 3 ends the editor's sequence of commands, therefore errors that have no place in the map
 * are gathered and sent in one such message at the end. */
#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/diag/diag_format.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/sketch.def"

enum { NORMAL = 1, WARNING = 2, ERROR = 3 };

/* MAX_TEXT: bytes of the text of an element, for which the editor has 511; MAX_POINTS: of a
 * polyline. */
enum { MAX_TEXT = 500, MAX_POINTS = 8192, MAX_OF_A_CODE = 100 };

static const int levels[DIAG_SEVERITIES] = {NORMAL, WARNING, ERROR};

/* Bytes at the beginning that are one character. */
static size_t character_size(const char *text)
{
    size_t size = 1;
    while (((unsigned char)text[size] & 0xc0) == 0x80)
        size++;
    return size;
}

/* Characters that XML does not have, although UTF-8 has them. */
static bool is_outside_xml(const char *text)
{
    unsigned char c = (unsigned char)*text;
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ||
           strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

static const char *escape(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}

static void put_escaped(FILE *out, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        size_t step = character_size(text);
        if (is_outside_xml(text))
            fputc('?', out);
        else if (escape(*text))
            fputs(escape(*text), out);
        else
            fwrite(text, 1, step, out);
        text += step;
    }
}

/* Bytes of a text that fit into one element: up to a line end, where there is one, and at least to
 * the end of a character. */
static size_t fitting(const char *text)
{
    size_t size = 0, line = 0;
    while (text[size]) {
        size_t step = character_size(text + size);
        if (size + step > MAX_TEXT)
            return line ? line : size;
        size += step;
        if (text[size - 1] == '\n')
            line = size;
    }
    return size;
}

/* Messages with the whole text. */
static void put_message(FILE *out, int level, const char *text)
{
    while (*text) {
        size_t size = fitting(text);
        fprintf(out, "<message level=\"%d\">", level);
        put_escaped(out, text, size);
        fputs("</message>", out);
        text += size;
    }
}

/* The text of an element that has children; returns the part that did not fit. */
static const char *put_first(FILE *out, const char *name, int level, const char *text)
{
    size_t size = fitting(text);
    fprintf(out, "<%s level=\"%d\">", name, level);
    put_escaped(out, text, size);
    return text + size;
}

/* The sequence ends at the first element of this level, so only the last one has it. */
static void put_message_ending(FILE *out, const char *text)
{
    size_t size = fitting(text);
    for (; text[size]; size = fitting(text)) {
        (void)put_first(out, "message", WARNING, text);
        fputs("</message>", out);
        text += size;
    }
    put_message(out, ERROR, text);
}

/* Where the number of the entity is that of the source, as in a .map; a brush has one only within
 * its entity. */
static bool has_numbers(const struct diag_where *where)
{
    return where->counted && where->entity_id >= 0 && !where->placed_by;
}

static void put_select(FILE *out, int level, const struct diag_where *where, const char *text)
{
    int brush = where->solid_id >= 0 ? where->solid_id : 0;
    struct text_stream line;
    if (!text_stream_open(&line))
        return;
    fprintf(line.out, "Entity %d, Brush %d: %s", where->entity_id, brush, text);
    text_stream_close(&line);
    const char *rest = put_first(out, "select", level, line.text);
    fprintf(out, "<brush>%d %d</brush></select>", where->entity_id, brush);
    put_message(out, level < ERROR ? level : WARNING, rest);
    free(line.text);
}

static void put_point(FILE *out, int level, const double point[3], const char *text)
{
    const char *rest = put_first(out, "pointmsg", level, text);
    fprintf(out, "<point>%f %f %f</point></pointmsg>", point[0], point[1], point[2]);
    put_message(out, level < ERROR ? level : WARNING, rest);
}

static void put_windings(FILE *out, int level, const struct diag_where *where)
{
    for (size_t i = 0; i < where->property_count; i++) {
        const struct diag_property *polygon = &where->properties[i];
        if (polygon->name != DIAG_OF_POLYGON)
            continue;
        (void)put_first(out, "windingmsg", level, "Hole in the map\n");
        fprintf(out, "<winding>%zu ", polygon->count / 3);
        for (const double *p = polygon->numbers; p < polygon->numbers + polygon->count; p += 3)
            fprintf(out, "(%f %f %f)", p[0], p[1], p[2]);
        fputs("</winding></windingmsg>", out);
    }
}

/* From the outside to the entity. Of a longer one, every so many points, with both ends. */
static void put_way(FILE *out, const struct diag_property *way)
{
    const size_t points = way->count / 3, count = points < MAX_POINTS ? points : MAX_POINTS;
    (void)put_first(out, "message", ERROR, "MAP LEAKED\n");
    fputs("<polyline>", out);
    for (size_t i = 0; i < count; i++) {
        const double *point = way->numbers + 3 * (count > 1 ? i * (points - 1) / (count - 1) : 0);
        fprintf(out, "<point>%f %f %f</point>", point[0], point[1], point[2]);
    }
    fputs("</polyline></message>", out);
}

/* "warning C003: title: detail (entity 3, at 0 64 128)", with a line end; of the first of a code
 * with the fix. The editor has the file of what it can show. Free with memory_free. */
static char *entry_text(const struct diag_writer *writer, const struct diag_entry *entry,
                        bool is_placed)
{
    struct text_stream printed;
    if (!text_stream_open(&printed))
        return diag_utf8("");
    FILE *memory = printed.out;
    const struct diag_info *info = diag_info(entry->code);
    if (entry->where.file && !is_placed) {
        diag_put_clean(memory, entry->where.file);
        if (entry->where.line)
            fprintf(memory, ":%d", entry->where.line);
        fputs(": ", memory);
    }
    fprintf(memory, "%s %s: %s%s", diag_severity_name(entry->severity), info->code, info->title,
            *entry->message ? ": " : "");
    diag_print_detail(memory, writer->options.program, entry);
    if (writer->printed[diag_index(entry->code)] == 1) {
        fputs("  fix: ", memory);
        diag_put_fix(memory, entry);
        fputc('\n', memory);
    }
    text_stream_close(&printed);
    char *clean = diag_utf8(printed.text);
    free(printed.text);
    return clean;
}

/* The editor's window lists what can be shown in the map; a leak has its own message. */
static void put_placed(FILE *out, const struct diag_entry *entry, const char *text)
{
    const struct diag_where *where = &entry->where;
    const struct diag_property *way = diag_property(where, DIAG_OF_WAY);
    const double *hole = diag_numbers(where, DIAG_OF_HOLE);
    const int level = way ? WARNING : levels[entry->severity];
    if (has_numbers(where))
        put_select(out, level, where, text);
    else
        put_point(out, level, hole ? hole : where->point, text);
    put_windings(out, levels[entry->severity], where);
    if (way)
        put_way(out, way);
}

/* Keeps the text for the message at the end; returns false when that is full. */
static bool keep_error(struct diag_writer *writer, const char *text)
{
    size_t had = writer->kept ? strlen(writer->kept) : 0, size = strlen(text);
    if (had && had + size > MAX_TEXT)
        return false;
    writer->kept = memory_realloc(writer->kept, had + size + 1);
    memcpy(writer->kept + had, text, size + 1);
    return true;
}

static void put_entry(struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    size_t earlier = writer->printed[diag_index(entry->code)] - 1;
    if (earlier == MAX_OF_A_CODE)
        fprintf(out, "<message level=\"2\">more of %s: see the output of the program\n</message>",
                diag_info(entry->code)->code);
    if (earlier >= MAX_OF_A_CODE)
        return;
    const struct diag_where *where = &entry->where;
    const bool is_placed =
        has_numbers(where) || where->has_point || diag_property(where, DIAG_OF_HOLE);
    char *text = entry_text(writer, entry, is_placed);
    if (is_placed)
        put_placed(out, entry, text);
    else if (entry->severity < DIAG_ERROR)
        put_message(out, levels[entry->severity], text);
    else if (!keep_error(writer, text))
        put_message(out, WARNING, text);
    memory_free(text);
}

static void put_head(struct diag_writer *writer, FILE *out)
{
    (void)writer;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<q3map_feedback version=\"1\">", out);
}

static void put_said(struct diag_writer *writer, const char *text, FILE *out)
{
    (void)writer;
    char *clean = diag_utf8(text);
    put_message(out, NORMAL, clean);
    memory_free(clean);
}

/* A leak has told by its own message that the run failed. */
static void put_tail(struct diag_writer *writer, const struct diag *diag, enum status status,
                     FILE *out)
{
    (void)diag;
    if (writer->kept) {
        put_message_ending(out, writer->kept);
    } else if (status != STATUS_OK && status != STATUS_LEAK) {
        fprintf(out, "<message level=\"3\">%s: failed, see the messages above\n</message>",
                writer->options.program);
    }
}

static void add_escaped(struct diag_fixed *out, const char *text)
{
    for (; *text; text++) {
        const char one[2] = {(unsigned char)*text < ' ' ? '?' : *text, 0};
        diag_fixed_add(out, escape(*text) ? escape(*text) : one);
    }
}

static void put_last(const struct diag_writer *writer, const struct diag_last *last,
                     struct diag_fixed *out)
{
    const struct diag_info *info = diag_info(last->code);
    const char *const parts[] = {
        writer->options.program, ": error ", info->code, ": ", info->title, ": ", last->message};
    diag_fixed_add(out, "<message level=\"3\">");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_escaped(out, parts[i]);
    diag_fixed_add(out, "\n</message>");
}

const struct diag_format diag_format_feedback = {.name = "feedback",
                                                 .has_head = true,
                                                 .head = put_head,
                                                 .entry = put_entry,
                                                 .said = put_said,
                                                 .tail = put_tail,
                                                 .last = put_last};
