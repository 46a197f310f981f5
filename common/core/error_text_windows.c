/* Those of the C library of Windows are others, or none. */
#include "common/core/error_text.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
    int error;
    const char *text;
} texts[] = {
    {EACCES, "Permission denied"},
    {EADDRINUSE, "Address already in use"},
    {EADDRNOTAVAIL, "Cannot assign requested address"},
    {EAGAIN, "Resource temporarily unavailable"},
    {EBADF, "Bad file descriptor"},
    {EBUSY, "Device or resource busy"},
    {ECONNREFUSED, "Connection refused"},
    {ECONNRESET, "Connection reset by peer"},
    {EEXIST, "File exists"},
    {EFBIG, "File too large"},
    {EHOSTUNREACH, "No route to host"},
    {EILSEQ, "Invalid or incomplete multibyte or wide character"},
    {EINVAL, "Invalid argument"},
    {EIO, "Input/output error"},
    {EISDIR, "Is a directory"},
    {ELOOP, "Too many levels of symbolic links"},
    {EMFILE, "Too many open files"},
    {ENAMETOOLONG, "File name too long"},
    {ENETUNREACH, "Network is unreachable"},
    {ENOENT, "No such file or directory"},
    {ENOMEM, "Cannot allocate memory"},
    {ENOSPC, "No space left on device"},
    {ENOSYS, "Function not implemented"},
    {ENOTDIR, "Not a directory"},
    {ENOTEMPTY, "Directory not empty"},
    {ENOTSUP, "Operation not supported"},
    {EPERM, "Operation not permitted"},
    {EPIPE, "Broken pipe"},
    {EROFS, "Read-only file system"},
    {ESPIPE, "Illegal seek"},
    {ETIMEDOUT, "Connection timed out"},
    {EWOULDBLOCK, "Resource temporarily unavailable"},
    {EXDEV, "Invalid cross-device link"},
};

const char *error_text(int error)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error)
            return texts[i].text;
    return strerror(error);
}
