/* Paths and URIs of files as CI systems want them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag_format.h"

enum { MAX_FOLDER = 4096 };

/* Appends the parts of a path to an absolute one, which ends without "/". Ends with NUL. */
static void append_parts(char **to, const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && strncmp(path, "..", 2) == 0) {
            while (arrlenu(*to) && arrpop(*to) != '/')
                continue;
        } else if (length && !(length == 1 && *path == '.')) {
            arrput(*to, '/');
            memcpy(arraddnptr(*to, length), path, length);
        }
        path += length + (path[length] == '/');
    }
}

char *diag_path(const char *path)
{
    char folder[MAX_FOLDER];
    if (!getcwd(folder, sizeof folder))
        *folder = 0;
    char *whole = NULL, *base = NULL;
    append_parts(&base, folder);
    if (*path != '/')
        append_parts(&whole, folder);
    append_parts(&whole, path);
    size_t length = arrlenu(base), size = arrlenu(whole), from = 0;
    if (size > length && whole[length] == '/' && (!length || memcmp(whole, base, length) == 0))
        from = length + 1;
    char *out = memory_zalloc(size - from + 1, 1);
    if (size > from)
        memcpy(out, whole + from, size - from);
    arrfree(base);
    arrfree(whole);
    return out;
}

char *diag_uri(const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char scheme[] = "file://";
    char *clean = diag_path(path), *out = memory_zalloc(3 * strlen(clean) + sizeof scheme, 1);
    char *to = out;
    if (*clean == '/')
        to += strlen(strcpy(out, scheme));
    for (const char *from = clean; *from; from++) {
        unsigned char c = (unsigned char)*from;
        if ((c < 0x80 && isalnum(c)) || strchr("-._~/", c)) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    memory_free(clean);
    return out;
}
