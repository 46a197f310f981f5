#include "common/diag/file_report.h"

#include "common/diag/codes/file_writes.def"
#include "common/diag/codes/files.def"

enum status file_unread(struct diag *diag, const char *path, const char *format, ...)
{
    const struct diag_where where = {.file = path};
    va_list args;
    va_start(args, format);
    enum status status = diag_report_list(diag, DIAG_FILE_READ, path ? &where : NULL, format, args);
    va_end(args);
    return status;
}

enum status file_unwritten(struct diag *diag, const char *path, const char *format, ...)
{
    const struct diag_where where = {.file = path};
    va_list args;
    va_start(args, format);
    enum status status =
        diag_report_list(diag, DIAG_FILE_WRITE, path ? &where : NULL, format, args);
    va_end(args);
    return status;
}
