/* Windows: text of the system, which is UTF-16, and paths as its calls take them. */
#ifndef CORE_WIDE_H
#define CORE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

/* Copies on the heap; free with memory_free. NULL: not UTF-8. */
wchar_t *wide_from_utf8(const char *text);
/* A surrogate without its partner becomes U+FFFD. */
char *utf8_from_wide(const wchar_t *text);
/* The same with `/` for each `\`, and without `\\?\`: a path as programs hold it. */
char *path_from_wide(const wchar_t *path);

/* Makes the path of a file absolute, with `\`, and of the form `\\?\C:\...`, which may be as long
 * as the system's are. *out is on the heap. Returns 0 or an errno value: ERROR_NAME for a name that
 * Windows refuses, or has for something else: `con`, `a:b`, `name.`. */
int wide_path(const char *path, wchar_t **out);

/* Returns the path of an open file behind all links, as path_from_wide; NULL: it has none. */
char *path_of_handle(void *handle);

/* Returns the errno value of an error of the system (GetLastError). */
int windows_error(uint32_t error);
/* The errno value of the call that failed last in this thread. */
int windows_last_error(void);

#endif
