/* Texts of errno values. */
#ifndef CORE_ERROR_TEXT_H
#define CORE_ERROR_TEXT_H

/* Returns the text that glibc has for it: "No such file or directory". */
const char *error_text(int error);

#endif
