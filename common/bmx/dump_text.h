/* Inside common/bmx: words, numbers and quoted texts of an unpacked BM file. */
#ifndef BMX_DUMP_TEXT_H
#define BMX_DUMP_TEXT_H

#include "common/bmx/text.h"
#include "common/diag/diag.h"

/* Each puts a blank before what it writes. */
void dump_put_number(struct bytes *out, uint64_t value);
/* Nine digits, which give back the same float; 0x and the bits of what is not finite. */
void dump_put_float(struct bytes *out, float value);
/* In quotes: \" \\ and \u{1f} for what has no safe form in UTF-8. */
void dump_put_text(struct bytes *out, const struct bmx_text *text);
/* Bytes that should be UTF-8: those that are not are \xff. */
void dump_put_bytes(struct bytes *out, const void *data, size_t size);
/* As many hexadecimal digits as there are bytes, twice. */
void dump_put_hex(struct bytes *out, const unsigned char *data, size_t size);

/* Text in lines. Empty ones and those that begin with # are passed over. */
struct dump_reader {
    const char *at, *end;
    const char *line_end; /* of the line under way, which begins with the keyword */
    const char *keyword;
    size_t keyword_length; /* 0: there are no more lines */
    struct diag_where where;
    struct diag *diag;
    bool failed;
};

/* Begins with the first line. The text ends with a null character at text[size]. */
void dump_open(struct dump_reader *reader, const char *text, size_t size, const char *path,
               struct diag *diag);
/* Whether the line begins with this word. */
bool dump_at(const struct dump_reader *reader, const char *keyword);
/* Reports what is wrong with the line (once), after which no line is left. */
void dump_fail(struct dump_reader *reader, const char *what);
/* Passes the keyword, or fails. */
void dump_expect(struct dump_reader *reader, const char *keyword);
/* Ends the line, which must have no more words, and goes on to the next. */
void dump_end_line(struct dump_reader *reader);

/* The next word of the line; zero, empty or NULL and failed when it is none of the kind. */
uint64_t dump_number(struct dump_reader *reader, uint64_t max);
float dump_float(struct dump_reader *reader);
struct bmx_text dump_text(struct dump_reader *reader);
void dump_bytes(struct dump_reader *reader, struct bytes *out);
void dump_hex(struct dump_reader *reader, struct bytes *out);
/* Passes one character, such as the `/` within `1/2/3`, with no blank before it. */
void dump_mark(struct dump_reader *reader, char mark);
/* The same as dump_number without blanks before it. */
uint64_t dump_joined_number(struct dump_reader *reader, uint64_t max);

#endif
