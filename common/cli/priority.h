/* Letting others go first. */
#ifndef CLI_PRIORITY_H
#define CLI_PRIORITY_H

/* Gives the process, with the threads that it starts from here on, the lowest priority. Where the
 * system refuses, it keeps its own. */
void priority_lower(void);

#endif
