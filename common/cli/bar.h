/* The line that shows how far a phase is. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

enum { BAR_LINE = 200 };

/* Writes "  name [###...]  42 %  about 20 s left" in at most `room` characters, from 19 on, and a
 * 0: where it does not fit, the bar is shorter, then without the estimate, then only the name, cut,
 * and how far. `part` is negative where it is not known; `left` is the estimate or "". */
void bar_line(char line[BAR_LINE + 1], int room, const char *name, double part, const char *left);

#endif
