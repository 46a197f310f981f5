/* hold FILE SECONDS: opens the file so that no other program can, says so, and closes it after that
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

int wmain(int argc, wchar_t **argv)
{
    if (argc != 3)
        return 2;
    HANDLE file = CreateFileW(argv[1], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return 1;
    puts("held");
    fflush(stdout);
    Sleep((DWORD)(wcstod(argv[2], NULL) * 1000));
    CloseHandle(file);
    return 0;
}
