#include "common/diag/diag_text.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/text_stream.h"
#include "common/diag/diag_format.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/members.def"
#include "common/diag/properties/pointfile.def"

/* --- groups of messages --- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Objects are compared by their numbers; without one, locations by line and point. */
static bool same_place(const struct diag_entry *a, const struct diag_entry *b)
{
    const struct diag_where *p = &a->where, *q = &b->where;
    if (!same_text(p->file, q->file) || p->entity_id != q->entity_id ||
        p->solid_id != q->solid_id || p->side_id != q->side_id)
        return false;
    struct diag_id ids[3];
    size_t count = diag_where_ids(p, ids);
    if (count && strcmp(ids[count - 1].name, "entity") != 0)
        return true;
    if (p->line != q->line || p->has_point != q->has_point)
        return false;
    for (int i = 0; p->has_point && i < 3; i++)
        if (p->point[i] < q->point[i] || p->point[i] > q->point[i])
            return false;
    return count || p->line || p->has_point || same_text(a->message, b->message);
}

static void add(struct diag_group *group, const struct diag_entry *entry)
{
    group->count++;
    for (size_t i = 0; i < group->place_count; i++)
        if (same_place(group->places[i], entry))
            return;
    if (group->place_count < DIAG_PLACES)
        group->places[group->place_count++] = entry;
}

struct diag_group *diag_summary(const struct diag *diag)
{
    struct diag_group *found = NULL, *sorted = NULL;
    int places[DIAG_CODES_MAX] = {0}; /* 1 + index in found */
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        int *at = &places[diag_index(entry->code)];
        if (!*at) {
            struct diag_group group = {.code = entry->code, .severity = entry->severity};
            arrput(found, group);
            *at = (int)arrlen(found);
        }
        add(&found[*at - 1], entry);
    }
    for (int severity = DIAG_SEVERITIES - 1; severity >= 0; severity--)
        for (size_t i = 0; i < arrlenu(found); i++)
            if ((int)found[i].severity == severity)
                arrput(sorted, found[i]);
    arrfree(found);
    return sorted;
}

/* --- lines that fit a terminal --- */

enum { HANGING = 4 };

/* Columns of a text without a line end. */
static int width_of(const char *text, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033') {
            while (i < length && text[i] != 'm')
                i++;
        } else {
            width += ((unsigned char)text[i] & 0xc0) != 0x80;
        }
    }
    return width;
}

/* Returns the number of bytes of the first word, with the blanks before it. */
static size_t word_length(const char *text, size_t length)
{
    size_t end = 0;
    while (end < length && text[end] == ' ')
        end++;
    while (end < length && text[end] != ' ')
        end++;
    return end;
}

static void put_line(FILE *out, const char *text, size_t length, int columns)
{
    const int indent = (int)strspn(text, " ") + HANGING;
    int column = 0;
    while (length) {
        size_t size = word_length(text, length);
        int width = width_of(text, size);
        if (column > indent && column + width > columns) {
            size_t blanks = strspn(text, " ");
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            text += blanks;
            length -= blanks;
            size -= blanks;
            width -= (int)blanks;
        }
        fwrite(text, 1, size, out);
        column += width;
        text += size;
        length -= size;
    }
}

void diag_put_wrapped(FILE *out, const char *text, int columns)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        put_line(out, text, length, columns);
        text += length;
        if (*text == '\n')
            fputc(*text++, out);
    }
}

/* --- messages --- */

/* Number of the members of a list in text, and of the messages of a code. */
enum { MEMBERS_SHOWN = 5, MAX_OF_A_CODE = 5 };

/* Terminal colours: cyan, yellow, red. */
static const char *const severity_colours[] = {"\033[36m", "\033[33m", "\033[31m"};

void diag_put_clean(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        fputc(c < 0x20 || c == 0x7f ? (c == '\t' || c == '\n' ? ' ' : '?') : c, out);
    }
}

/* Rounds a tiny value to 0. */
static double tidy(double value)
{
    return value > -1e-6 && value < 1e-6 ? 0 : value;
}

static void put_point(FILE *out, const char *before, const double point[3])
{
    fprintf(out, "%sat %g %g %g", before, tidy(point[0]), tidy(point[1]), tidy(point[2]));
}

/* "(entity 3, solid 7, at 0 64 128)", or nothing. */
static void put_ids(FILE *out, const struct diag_where *where)
{
    const char *separator = " (";
    struct diag_id ids[3];
    size_t count = diag_where_ids(where, ids);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s %d", separator, ids[i].name, ids[i].id);
        separator = ", ";
    }
    if (where->has_point) {
        put_point(out, separator, where->point);
        separator = ", ";
    }
    for (size_t i = 0; i < where->property_count; i++) {
        const struct diag_property *property = &where->properties[i];
        const struct diag_property_info *info = diag_property_info(property->name);
        if (!info->text || info->kind != DIAG_KIND_NUMBERS)
            continue;
        fprintf(out, "%s%s ", separator, info->text);
        put_point(out, "", property->numbers);
        separator = ", ";
    }
    if (*separator == ',')
        fputc(')', out);
}

static void put_place(FILE *out, const char *program, const struct diag_where *where)
{
    diag_put_clean(out, where->file ? where->file : program);
    if (where->file && where->line)
        fprintf(out, ":%d", where->line);
}

static void put_member(FILE *out, const char *program, const char *word,
                       const struct diag_where *where)
{
    fprintf(out, "  %s: ", word);
    put_place(out, program, where);
    fputs(": ", out);
    for (size_t i = 0; i < where->property_count; i++) {
        const struct diag_property_info *info = diag_property_info(where->properties[i].name);
        if (info->text && info->kind == DIAG_KIND_TEXT)
            diag_put_clean(out, where->properties[i].text);
    }
    put_ids(out, where);
    for (size_t i = 0; i < where->property_count; i++) {
        const struct diag_property_info *info = diag_property_info(where->properties[i].name);
        if (info->text && info->kind == DIAG_KIND_BOOL && !where->properties[i].is_true)
            fprintf(out, ", %s", info->text);
    }
    fputc('\n', out);
}

/* Prints those that the message does not name. */
static void put_members(FILE *out, const char *program, const char *word,
                        const struct diag_property *list, bool whole)
{
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct diag_where *member = &list->places[i];
        if (diag_is_true(member, DIAG_OF_IS_NAMED) || (count++ >= MEMBERS_SHOWN && !whole))
            continue;
        put_member(out, program, word, member);
        shown++;
    }
    if (count > shown)
        fprintf(out, "  %s: %zu more (-v lists them)\n", word, count - shown);
}

static void put_lists(FILE *out, const char *program, const struct diag_where *where, bool whole)
{
    for (size_t i = 0; i < where->property_count; i++) {
        const struct diag_property_info *info = diag_property_info(where->properties[i].name);
        if (info->text && info->kind == DIAG_KIND_PLACES)
            put_members(out, program, info->text, &where->properties[i], whole);
    }
}

void diag_print_detail(FILE *out, const char *program, const struct diag_entry *entry)
{
    diag_put_clean(out, entry->message);
    put_ids(out, &entry->where);
    fputc('\n', out);
    for (const struct diag_where *outer = entry->where.placed_by; outer; outer = outer->placed_by) {
        fputs("  instanced from ", out);
        put_place(out, program, outer);
        put_ids(out, outer);
        fputc('\n', out);
    }
}

/* A fix that is about a pointfile says MAP.lin: the message knows its name. */
void diag_put_fix(FILE *out, const struct diag_entry *entry)
{
    static const char any[] = "MAP.lin";
    const struct diag_property *pointfile = diag_property(&entry->where, DIAG_OF_POINTFILE);
    const char *fix = diag_info(entry->code)->fix, *name = strstr(fix, any);
    if (name && pointfile) {
        fwrite(fix, 1, (size_t)(name - fix), out);
        diag_put_clean(out, pointfile->text);
        fix = name + sizeof any - 1;
    }
    fputs(fix, out);
}

static void print_unbroken(FILE *out, const char *program, const struct diag_entry *entry,
                           struct diag_style style)
{
    const struct diag_info *info = diag_info(entry->code);
    const char *reset = style.colour ? "\033[0m" : "";
    put_place(out, program, &entry->where);
    fprintf(out, ": %s%s %s%s: %s%s", style.colour ? severity_colours[entry->severity] : "",
            diag_severity_name(entry->severity), info->code, reset, info->title,
            *entry->message ? ": " : "");
    diag_print_detail(out, program, entry);
    put_lists(out, program, &entry->where, style.whole);
    if (style.fix) {
        fputs("  fix: ", out);
        diag_put_fix(out, entry);
        fputc('\n', out);
    }
}

void diag_print_text(FILE *out, const char *program, const struct diag_entry *entry,
                     struct diag_style style)
{
    struct text_stream text;
    bool is_broken = style.columns && text_stream_open(&text);
    print_unbroken(is_broken ? text.out : out, program, entry, style);
    if (!is_broken)
        return;
    text_stream_close(&text);
    diag_put_wrapped(out, text.text, style.columns);
    free(text.text);
}

/* Prints a name in quotes at the start of the message. */
static void put_subject(FILE *out, const char *message)
{
    const char *end = *message == '"' ? strchr(message + 1, '"') : NULL;
    char name[64];
    if (!end || end - message >= (ptrdiff_t)sizeof name - 1)
        return;
    memcpy(name, message, (size_t)(end + 1 - message));
    name[end + 1 - message] = 0;
    diag_put_clean(out, name);
    fputc(' ', out);
}

/* Prints the solid, else the side or the entity; a counted one with its entity. Returns false when
 * there is none. */
static bool put_first_object(FILE *out, const struct diag_entry *entry)
{
    struct diag_id ids[3];
    size_t count = diag_where_ids(&entry->where, ids);
    if (!count)
        return false;
    put_subject(out, entry->message);
    const struct diag_id *best = &ids[0];
    for (size_t i = count; i-- > 0;)
        if (strcmp(ids[i].name, "entity") != 0)
            best = &ids[i];
    if (entry->where.counted && best != &ids[0])
        fprintf(out, "entity %d ", ids[0].id);
    fprintf(out, "%s %d", best->name, best->id);
    return true;
}

/* Prints "solid 7 at 0 64 128", or what is known of it: an object, a line, or the message. */
static void put_first_place(FILE *out, const struct diag_entry *entry)
{
    const struct diag_where *where = &entry->where;
    bool told = put_first_object(out, entry);
    if (!told && where->file && where->line)
        put_place(out, "", where);
    else if (!told && !where->has_point)
        diag_put_clean(out, entry->message);
    if (where->has_point)
        fprintf(out, " at %.6g %.6g %.6g", tidy(where->point[0]), tidy(where->point[1]),
                tidy(where->point[2]));
    if (where->placed_by) {
        fputs(" in ", out);
        diag_put_clean(out, where->file ? where->file : "an instance");
    }
}

void diag_summary_text(FILE *out, const char *program, const struct diag_group *groups, bool notes)
{
    fprintf(out, "%s: summary\n", program);
    for (size_t i = 0; i < arrlenu(groups); i++) {
        const struct diag_group *group = &groups[i];
        const struct diag_info *info = diag_info(group->code);
        if (group->severity == DIAG_NOTE && !notes)
            continue;
        fprintf(out, "%7zu %s%s %s: %s", group->count, diag_severity_name(group->severity),
                group->count == 1 ? "" : "s", info->code, info->title);
        for (size_t j = 0; j < group->place_count; j++) {
            fputs(j ? "; " : ": ", out);
            put_first_place(out, group->places[j]);
        }
        if (group->count > group->place_count)
            fprintf(out, "; %zu more", group->count - group->place_count);
        fputc('\n', out);
    }
}

static void print_entry(struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    const struct diag_writer_options *options = &writer->options;
    size_t earlier = writer->printed[diag_index(entry->code)] - 1;
    bool is_quiet_note = entry->severity == DIAG_NOTE && options->quiet;
    struct diag_style style = {earlier == 0, options->colour, options->verbose, options->columns};
    if ((earlier < MAX_OF_A_CODE || options->verbose) && !is_quiet_note)
        diag_print_text(out, options->program, entry, style);
}

/* Where a code came up more than once, all are told again together: those of which only the number
 * is left, and which of them most lines were about. */
static void print_tail(struct diag_writer *writer, const struct diag *diag, enum status status,
                       FILE *out)
{
    (void)status;
    bool has_notes = !writer->options.quiet, is_repeated = false;
    struct diag_group *groups = diag ? diag_summary(diag) : NULL;
    for (size_t i = 0; i < arrlenu(groups); i++)
        is_repeated |= groups[i].count > 1 && (groups[i].severity != DIAG_NOTE || has_notes);
    if (is_repeated)
        diag_summary_text(out, writer->options.program, groups, has_notes);
    arrfree(groups);
}

static void put_last(const struct diag_writer *writer, const struct diag_last *last,
                     struct diag_fixed *out)
{
    const struct diag_info *info = diag_info(last->code);
    const char *const parts[] = {
        writer->options.program, ": error ",  info->code, ": ", info->title, ": ",
        last->message,           "\n  fix: ", info->fix,  "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        diag_fixed_add(out, parts[i]);
}

const struct diag_format diag_format_text = {
    .name = "text", .entry = print_entry, .tail = print_tail, .last = put_last};
