/* Lines of a message that fit a terminal. */
#ifndef DIAG_DIAG_WRAP_H
#define DIAG_DIAG_WRAP_H

#include <stdio.h>

/* Prints text with each of its lines broken at blanks, so that it takes at most so many columns
 * where its words allow. What follows a break is indented by four more than the line. Sequences for
 * colours take no columns, and a character of UTF-8 takes one. */
void diag_put_wrapped(FILE *out, const char *text, int columns);

#endif
