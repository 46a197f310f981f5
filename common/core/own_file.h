/* The file of the program that runs, where the system does not say which it is. */
#ifndef CORE_OWN_FILE_H
#define CORE_OWN_FILE_H

/* Returns the path that the process was started by, or NULL when it is not known. Without /proc,
 * which says it better (/proc/self/exe is right also when the file was moved or replaced), this is
 * the only trace of it. It lives as long as the process; a relative one is of the working folder at
 * the start. */
const char *own_file_at_start(void);

#endif
