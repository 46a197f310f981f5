#include "common/cli/terminal.h"

#include <io.h>
#include <windows.h>

static HANDLE handle_of(FILE *file)
{
    int descriptor = _fileno(file);
    return descriptor >= 0 ? (HANDLE)_get_osfhandle(descriptor) : INVALID_HANDLE_VALUE;
}

bool terminal_is(FILE *file)
{
    HANDLE handle = handle_of(file);
    DWORD mode;
    return GetConsoleMode(handle, &mode) &&
           SetConsoleMode(handle,
                          mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int terminal_columns(FILE *file)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(handle_of(file), &info))
        return 0;
    return info.srWindow.Right - info.srWindow.Left + 1;
}
