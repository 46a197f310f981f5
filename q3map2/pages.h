/* Pages of q3map2 about itself: help, manual page, the page of the documentation, completions.
 */
#ifndef Q3MAP2_PAGES_H
#define Q3MAP2_PAGES_H

#include <stdbool.h>

/* Answers --help, --help all, --help STAGE, --help WORD, --help -OPTION, -h, -?, --version, --man,
 * --markdown and --completion, as the first argument; returns false if it is none of them. */
bool q3_answer(int argc, char *const *argv);

/* Writes the help to standard error, for a command line without arguments. */
void q3_explain(void);

#endif
