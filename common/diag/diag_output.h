/* Internal: bytes of writers, on their way to a file or a stream, and ends of the process that come
 * between them. */
#ifndef DIAG_DIAG_OUTPUT_H
#define DIAG_DIAG_OUTPUT_H

#include <stddef.h>

/* Held while bytes are written, and at no other time: whoever ends the process can wait for it.
 * Signals wait meanwhile, as their handler wants it, too. */
void diag_output_lock(void);
void diag_output_unlock(void);

/* None of these allocates. `file` is a descriptor. */
void diag_output_all(int file, const char *text, size_t size);
/* Writes at this place of a regular file. Returns an errno, or 0. */
int diag_output_at(int file, const char *text, size_t size, size_t at);
/* Ends a regular file there. Returns an errno, or 0. */
int diag_output_cut(int file, size_t size);
/* Waits until a regular file is on the disk. Returns an errno, or 0. */
int diag_output_sync(int file);

/* From here on `complete` is called, under the lock, before a signal ends the process; a signal
 * that does something else, or nothing, is left so. */
typedef void diag_complete(void);
void diag_output_catch(diag_complete *complete);

#endif
