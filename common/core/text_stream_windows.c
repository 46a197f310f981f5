/* The C library of Windows has no streams into memory: a temporary file, which the system keeps in
 * memory, takes the text. Files are used again, as making one takes longer than all else. */
#include "common/core/text_stream.h"

#include <fcntl.h>
#include <io.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

enum { KEPT = 4, BUFFER = 1 << 14, TRIES = 16, NAME = MAX_PATH + 64 };

static struct {
    pthread_mutex_t lock;
    FILE *files[KEPT];
    size_t count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static HANDLE open_temporary(void)
{
    static volatile LONG number;
    wchar_t folder[MAX_PATH + 1], name[NAME];
    HANDLE file = INVALID_HANDLE_VALUE;
    DWORD length = GetTempPathW(MAX_PATH + 1, folder);
    for (int i = 0; i < TRIES && length && file == INVALID_HANDLE_VALUE; i++) {
        _snwprintf(name, NAME, L"%lsbrushwork-%lu-%ld.tmp", folder, GetCurrentProcessId(),
                   InterlockedIncrement(&number));
        name[NAME - 1] = 0;
        file = CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_DELETE, NULL,
                           CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    }
    return file;
}

static FILE *new_file(void)
{
    HANDLE file = open_temporary();
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    int descriptor = _open_osfhandle((intptr_t)file, _O_RDWR | _O_BINARY | _O_NOINHERIT);
    if (descriptor < 0) {
        CloseHandle(file);
        return NULL;
    }
    FILE *out = _fdopen(descriptor, "w+b");
    if (!out)
        _close(descriptor);
    else
        setvbuf(out, NULL, _IOFBF, BUFFER);
    return out;
}

static FILE *take_kept(void)
{
    pthread_mutex_lock(&kept.lock);
    FILE *file = kept.count ? kept.files[--kept.count] : NULL;
    pthread_mutex_unlock(&kept.lock);
    return file;
}

static void keep(FILE *file)
{
    rewind(file);
    bool is_empty = _chsize_s(_fileno(file), 0) == 0;
    pthread_mutex_lock(&kept.lock);
    bool has_room = is_empty && kept.count < KEPT;
    if (has_room)
        kept.files[kept.count++] = file;
    pthread_mutex_unlock(&kept.lock);
    if (!has_room)
        fclose(file);
}

bool text_stream_open(struct text_stream *stream)
{
    *stream = (struct text_stream){.out = take_kept()};
    if (!stream->out)
        stream->out = new_file();
    return stream->out != NULL;
}

size_t text_stream_size(struct text_stream *stream)
{
    int64_t size = _ftelli64(stream->out);
    return size > 0 ? (size_t)size : 0;
}

void text_stream_close(struct text_stream *stream)
{
    size_t size = text_stream_size(stream);
    stream->text = malloc(size + 1);
    if (stream->text) {
        rewind(stream->out);
        stream->size = fread(stream->text, 1, size, stream->out);
        stream->text[stream->size] = 0;
    } else {
        stream->text = calloc(1, 1);
    }
    keep(stream->out);
    stream->out = NULL;
}
