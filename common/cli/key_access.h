/* Who may read a file with a secret. */
#ifndef CLI_KEY_ACCESS_H
#define CLI_KEY_ACCESS_H

#include <stdbool.h>

enum { KEY_ACCESS_TEXT = 32 };

/* Returns true, with what lets them, if users of the system beside its owner may read the file. */
bool key_access_of_others(const char *path, char text[KEY_ACCESS_TEXT]);

#endif
