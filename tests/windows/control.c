/* control FILE COMMAND: starts the command in a console, waits until there is such a file, presses
 * Ctrl-C there, and prints the exit code of the command. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

enum { WAIT_STEP = 5, LONGEST_RUN = 300000 }; /* milliseconds */

/* For this process alone: to ignore them by NULL would be inherited. */
static BOOL WINAPI stay(DWORD event)
{
    (void)event;
    return TRUE;
}

static BOOL is_there(const wchar_t *file, HANDLE process)
{
    while (GetFileAttributesW(file) == INVALID_FILE_ATTRIBUTES)
        if (WaitForSingleObject(process, WAIT_STEP) != WAIT_TIMEOUT)
            return FALSE;
    return TRUE;
}

/* Its outputs stay those of this process: a new console brings its own. */
static BOOL start_in_console(wchar_t *command, PROCESS_INFORMATION *made)
{
    STARTUPINFOW start = {.cb = sizeof start,
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
                          .hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE),
                          .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    FreeConsole();
    AllocConsole();
    SetConsoleCtrlHandler(stay, TRUE);
    return CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, made);
}

int wmain(int argc, wchar_t **argv)
{
    PROCESS_INFORMATION made;
    DWORD code = 0;
    if (argc != 3)
        return 2;
    if (!start_in_console(argv[2], &made))
        return 1;
    if (is_there(argv[1], made.hProcess) && !GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0))
        fprintf(stderr, "no Ctrl-C: error %lu\n", GetLastError());
    if (WaitForSingleObject(made.hProcess, LONGEST_RUN) == WAIT_TIMEOUT)
        TerminateProcess(made.hProcess, 1);
    GetExitCodeProcess(made.hProcess, &code);
    printf("%08lx\n", code);
    return 0;
}
