#include <errno.h>
#include <io.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "common/core/wide.h"
#include "common/diag/diag_output.h"

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

/* Of the document that the end of the process has to complete. */
static diag_complete *complete;

void diag_output_lock(void)
{
    pthread_mutex_lock(&output);
}

void diag_output_unlock(void)
{
    pthread_mutex_unlock(&output);
}

static DWORD step_of(size_t size)
{
    return size < INT32_MAX ? (DWORD)size : INT32_MAX;
}

void diag_output_all(int file, const char *text, size_t size)
{
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    DWORD count;
    while (size && WriteFile(handle, text, step_of(size), &count, NULL) && count) {
        text += count;
        size -= count;
    }
}

int diag_output_at(int file, const char *text, size_t size, size_t at)
{
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    while (size) {
        OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
        DWORD count = 0;
        if (!WriteFile(handle, text, step_of(size), &count, &place))
            return windows_last_error();
        if (!count)
            return EIO;
        text += count;
        at += count;
        size -= count;
    }
    return 0;
}

int diag_output_cut(int file, size_t size)
{
    return _chsize_s(file, (int64_t)size);
}

int diag_output_sync(int file)
{
    return FlushFileBuffers((HANDLE)_get_osfhandle(file)) ? 0 : windows_last_error();
}

/* Runs in a thread of its own, which the system starts; the next handler ends the process. */
static BOOL WINAPI on_end(DWORD kind)
{
    (void)kind;
    diag_output_lock();
    complete();
    return FALSE;
}

void diag_output_catch(diag_complete *of_document)
{
    bool is_first = !complete;
    complete = of_document;
    if (is_first)
        (void)SetConsoleCtrlHandler(on_end, TRUE);
}
