#include "common/core/text_stream.h"

bool text_stream_open(struct text_stream *stream)
{
    *stream = (struct text_stream){0};
    stream->out = open_memstream(&stream->text, &stream->size);
    return stream->out != NULL;
}

size_t text_stream_size(struct text_stream *stream)
{
    fflush(stream->out);
    return stream->size;
}

void text_stream_close(struct text_stream *stream)
{
    fclose(stream->out);
    stream->out = NULL;
}
