#include "common/cli/command_line.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "common/cli/command_line_words.h"
#include "common/core/array.h"
#include "common/core/ending.h"
#include "common/core/wide.h"
#include "common/diag/codes/options.def"

enum { OUTPUT_BUFFER = 1 << 14 };

/* Lives as long as the process. */
static struct command_words taken;

static void take_bytes_as_they_are(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (_fileno(streams[i]) >= 0)
            (void)_setmode(_fileno(streams[i]), _O_BINARY);
    /* A console would get each letter by a call of its own. */
    (void)setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
}

/* The page of a console outlives the process. */
static UINT page_before;

static void restore_page(void)
{
    (void)SetConsoleOutputCP(page_before);
}

static void print_utf8(void)
{
    page_before = GetConsoleOutputCP();
    if (page_before && page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        (void)atexit(restore_page);
}

/* The first handler that is set is the last to be called: when no other keeps the process. */
static BOOL WINAPI end_at_control(DWORD kind)
{
    (void)kind;
    ending_run();
    ExitProcess((UINT)STATUS_CONTROL_C_EXIT);
}

void command_line_take(int *argc, char ***argv)
{
    (void)SetConsoleCtrlHandler(end_at_control, TRUE);
    take_bytes_as_they_are();
    print_utf8();
    char *line = utf8_from_wide(GetCommandLineW());
    command_words_split(line, &taken);
    memory_free(line);
    if (!arrlenu(taken.words))
        return;
    *argc = (int)arrlenu(taken.words);
    arrput(taken.words, NULL);
    *argv = taken.words;
}

void command_line_report(struct diag *diag)
{
    if (taken.guessed)
        (void)diag_report(diag, DIAG_COMMAND_LINE_QUOTE, NULL, "%s", taken.guessed);
    taken.guessed = NULL;
}
