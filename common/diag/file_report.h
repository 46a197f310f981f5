/* Reports of files that cannot be read or written, for all that does so itself: the parts of
 * common/io report what they are asked for. */
#ifndef DIAG_FILE_REPORT_H
#define DIAG_FILE_REPORT_H

#include "common/diag/diag.h"

/* FILE_READ and FILE_WRITE; `path` may be NULL. Always return STATUS_FAILED. */
enum status file_unread(struct diag *diag, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum status file_unwritten(struct diag *diag, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
