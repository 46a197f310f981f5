/* A stream into memory: for text that is printed by functions which take a FILE. */
#ifndef CORE_TEXT_STREAM_H
#define CORE_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_stream {
    FILE *out;
    char *text; /* after text_stream_close: ends with NUL; free with free() */
    size_t size;
};

/* Returns false when there is no memory for it. */
bool text_stream_open(struct text_stream *stream);
/* Returns the number of bytes printed so far. */
size_t text_stream_size(struct text_stream *stream);
void text_stream_close(struct text_stream *stream);

#endif
