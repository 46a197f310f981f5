/* The command line of the process, as the system has it. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "common/diag/diag.h"

/* At the start of main: sets its arguments to UTF-8, where the system has them otherwise, and
 * standard streams to bytes as they are. Nothing to do on POSIX. */
void command_line_take(int *argc, char ***argv);

/* Reports what had to be guessed in the command line (COMMAND_LINE_QUOTE); once. */
void command_line_report(struct diag *diag);

#endif
