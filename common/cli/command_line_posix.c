#include "common/cli/command_line.h"

void command_line_take(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

void command_line_report(struct diag *diag)
{
    (void)diag;
}
