/* Parts of a page. No text of a map becomes markup: it is written by html_text alone. */
#ifndef REPORT_HTML_HTML_H
#define REPORT_HTML_HTML_H

#include "common/core/bytes.h"

enum { HTML_TEXT_MAX = 300 /* characters that are shown of a text */ };

/* Appends a text, escaped, cut off with "..." where it is longer than HTML_TEXT_MAX. Bytes that are
 * no UTF-8 and characters that print nothing become U+FFFD. */
void html_text(struct bytes *out, const char *text);
/* A text of this program, in ASCII, which is not cut off; as paragraphs, which an empty line
 * separates; and as lines. */
void html_whole(struct bytes *out, const char *text);
void html_paragraphs(struct bytes *out, const char *text);
void html_lines(struct bytes *out, const char *text);
/* The same as html_text for a key: "shadow_rays" as "shadow rays". */
void html_key(struct bytes *out, const char *key);
/* A whole number, its digits in groups of three; and one with that many digits after the point. */
void html_count(struct bytes *out, int64_t number);
void html_number(struct bytes *out, double number, int digits);
/* "300 bytes", "12.3 MB": 1000 bytes are a kB. */
void html_size(struct bytes *out, int64_t bytes);

/* A chapter with a heading; `id` names it in links. The note below the heading may be NULL. */
void html_section(struct bytes *out, const char *id, const char *title, const char *note);
void html_section_end(struct bytes *out);

/* A part that is folded away: the caller writes the summary, and after html_fold_body the rest.
 * `class` may be NULL. */
void html_fold(struct bytes *out, const char *class);
void html_fold_body(struct bytes *out);
void html_fold_end(struct bytes *out);

/* A table; rows after the first `shown` are folded away. */
struct html_table {
    struct bytes *out;
    const char *const *columns; /* headings; ends with NULL. One that begins with # is of numbers */
    size_t shown, total;        /* rows */
    size_t row, column;         /* that come next */
};

void html_table(struct html_table *table);
void html_row(struct html_table *table);
void html_row_end(struct html_table *table);
/* Begin and end a cell, of which the caller writes the content; or write one. */
void html_cell(struct html_table *table);
void html_cell_end(struct html_table *table);
void html_cell_text(struct html_table *table, const char *text);
void html_cell_word(struct html_table *table, const char *word); /* on one line */
void html_cell_count(struct html_table *table, int64_t number);
void html_cell_bar(struct html_table *table, double share);
void html_table_end(struct html_table *table);
/* Says how many rows a table leaves out, unless that is 0. */
void html_left_out(struct bytes *out, size_t rows);

#endif
