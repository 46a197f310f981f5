#include "report/html/html.h"

#include <math.h>
#include <stdio.h>

#include "common/core/unicode.h"

enum { NARROW_SPACE = 0x202f /* at which no line ends */ };

/* --- texts --- */

/* Characters that print nothing, or turn the direction of what follows. */
static bool is_unseen(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

static void put_character(struct bytes *out, uint32_t point)
{
    switch (point) {
    case '&':
        bytes_append_text(out, "&amp;");
        break;
    case '<':
        bytes_append_text(out, "&lt;");
        break;
    case '>':
        bytes_append_text(out, "&gt;");
        break;
    case '"':
        bytes_append_text(out, "&quot;");
        break;
    case '\'':
        bytes_append_text(out, "&#39;");
        break;
    case '\t':
    case '\n':
    case '\r':
        bytes_append_text(out, " ");
        break;
    default:
        utf8_put(out, is_unseen(point) ? UNICODE_REPLACEMENT : point);
    }
}

static void put_text(struct bytes *out, const char *text, bool is_key)
{
    const size_t longest = 4 * (size_t)HTML_TEXT_MAX + 4;
    size_t size = strnlen(text, longest), count = 0;
    while (size && count < HTML_TEXT_MAX) {
        uint32_t point;
        size_t length = utf8_length(text, size, &point);
        put_character(out, !length ? UNICODE_REPLACEMENT : is_key && point == '_' ? ' ' : point);
        length = length ? length : 1;
        text += length;
        size -= length;
        count++;
    }
    if (size)
        bytes_append_text(out, "...");
}

void html_text(struct bytes *out, const char *text)
{
    put_text(out, text, false);
}

void html_key(struct bytes *out, const char *key)
{
    put_text(out, key, true);
}

static void put_whole(struct bytes *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            bytes_append_text(out, "\n");
        else
            put_character(out, (unsigned char)text[i]);
}

void html_whole(struct bytes *out, const char *text)
{
    put_whole(out, text, strlen(text));
}

void html_paragraphs(struct bytes *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        const size_t size = end ? (size_t)(end - text) : strlen(text);
        bytes_append_text(out, "<p>");
        put_whole(out, text, size);
        bytes_append_text(out, "</p>\n");
        text += size + (end ? 2 : 0);
    }
}

void html_lines(struct bytes *out, const char *text)
{
    bytes_append_text(out, "<pre>");
    html_whole(out, text);
    bytes_append_text(out, "</pre>\n");
}

/* --- numbers --- */

void html_count(struct bytes *out, int64_t number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            utf8_put(out, NARROW_SPACE);
        bytes_append(out, &digits[i], 1);
    }
}

void html_number(struct bytes *out, double number, int digits)
{
    if (isfinite(number) && fabs(number) < 1e15)
        bytes_append_text(out, "%.*f", digits, number);
    else
        bytes_append_text(out, "%g", number);
}

void html_size(struct bytes *out, int64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    size_t unit = 0;
    for (; size >= 999.95 && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1000;
    bytes_append_text(out, "%.*f", unit ? 1 : 0, size);
    utf8_put(out, NARROW_SPACE);
    bytes_append_text(out, "%s", units[unit]);
}

/* A bar of this share, 0 .. 1; above it is drawn in another colour. */
static void html_bar(struct bytes *out, double share)
{
    const bool is_over = share > 1;
    double width = share > 0 ? share < 1 ? 100 * share : 100 : 0;
    bytes_append_text(out,
                      "<svg class=\"bar%s\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
                      "aria-hidden=\"true\"><rect class=\"track\" width=\"100\" height=\"8\"/>"
                      "<rect class=\"fill\" width=\"%.2f\" height=\"8\"/></svg>",
                      is_over ? " over" : "", width);
}

/* --- chapters --- */

void html_section(struct bytes *out, const char *id, const char *title, const char *note)
{
    bytes_append_text(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    if (note)
        bytes_append_text(out, "<p class=\"note\">%s</p>\n", note);
}

void html_section_end(struct bytes *out)
{
    bytes_append_text(out, "</section>\n");
}

void html_fold(struct bytes *out, const char *class)
{
    bytes_append_text(out, "<details");
    if (class)
        bytes_append_text(out, " class=\"%s\"", class);
    bytes_append_text(out, "><summary>");
}

void html_fold_body(struct bytes *out)
{
    bytes_append_text(out, "</summary>\n");
}

void html_fold_end(struct bytes *out)
{
    bytes_append_text(out, "</details>\n");
}

/* --- tables --- */

static bool is_of_numbers(const char *heading)
{
    return *heading == '#';
}

/* A column without a heading has no cell that is one. */
static void put_heading(struct bytes *out, const char *heading)
{
    const bool numbers = is_of_numbers(heading);
    const char *text = heading + numbers;
    if (!*text)
        bytes_append_text(out, "<td></td>");
    else
        bytes_append_text(out, "<th scope=\"col\"%s>%s</th>", numbers ? " class=\"n\"" : "", text);
}

static void open_table(struct html_table *table)
{
    bytes_append_text(table->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                                  "aria-label=\"Table\"><table>\n<thead><tr>");
    for (const char *const *heading = table->columns; *heading; heading++)
        put_heading(table->out, *heading);
    bytes_append_text(table->out, "</tr></thead>\n<tbody>\n");
}

static void close_table(struct html_table *table)
{
    bytes_append_text(table->out, "</tbody></table></div>\n");
}

void html_table(struct html_table *table)
{
    table->row = 0;
    open_table(table);
}

void html_row(struct html_table *table)
{
    if (table->row == table->shown) {
        close_table(table);
        html_fold(table->out, NULL);
        bytes_append_text(table->out, "%zu more", table->total - table->shown);
        html_fold_body(table->out);
        open_table(table);
    }
    table->row++;
    table->column = 0;
    bytes_append_text(table->out, "<tr>");
}

void html_row_end(struct html_table *table)
{
    bytes_append_text(table->out, "</tr>\n");
}

void html_cell(struct html_table *table)
{
    const char *heading = table->columns[table->column++];
    bytes_append_text(table->out, is_of_numbers(heading) ? "<td class=\"n\">" : "<td>");
}

void html_cell_end(struct html_table *table)
{
    bytes_append_text(table->out, "</td>");
}

void html_cell_text(struct html_table *table, const char *text)
{
    html_cell(table);
    html_text(table->out, text);
    html_cell_end(table);
}

void html_cell_word(struct html_table *table, const char *word)
{
    html_cell(table);
    bytes_append_text(table->out, "<span class=\"word\">");
    html_text(table->out, word);
    bytes_append_text(table->out, "</span>");
    html_cell_end(table);
}

void html_cell_count(struct html_table *table, int64_t number)
{
    html_cell(table);
    html_count(table->out, number);
    html_cell_end(table);
}

void html_cell_bar(struct html_table *table, double share)
{
    html_cell(table);
    html_bar(table->out, share);
    html_cell_end(table);
}

void html_table_end(struct html_table *table)
{
    close_table(table);
    if (table->row > table->shown)
        html_fold_end(table->out);
}

void html_left_out(struct bytes *out, size_t rows)
{
    if (rows)
        bytes_append_text(out, "<p class=\"note\">%zu more are not listed.</p>\n", rows);
}
