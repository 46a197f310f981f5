/* Terminals. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* True for a terminal that takes the codes of ECMA-48 for colours and for clearing a line; on
 * Windows it is told to. */
bool terminal_is(FILE *file);

/* Columns of a terminal; 0: the file is none, or it does not say. */
int terminal_columns(FILE *file);

#endif
