/* Paths and URIs of files as CI systems want them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/diag_format.h"

char *diag_path(const char *path)
{
    char *folder = system_path_absolute("."), *whole = system_path_absolute(path);
    size_t length = strlen(folder);
    length -= folder[length - 1] == '/';
    const bool is_below = strlen(whole) > length + 1 && whole[length] == '/' &&
                          system_path_compare(whole, folder, length) == 0;
    char *out = str_copy(is_below ? whole + length + 1 : whole);
    memory_free(folder);
    memory_free(whole);
    return out;
}

char *diag_uri(const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char scheme[] = "file://", scheme_of_drive[] = "file:///";
    char *clean = diag_path(path),
         *out = memory_zalloc(3 * strlen(clean) + sizeof scheme_of_drive, 1);
    char *to = out;
    const char *behind_drive = clean + system_path_drive(clean);
    if (system_path_is_absolute(clean))
        to += strlen(strcpy(out, *clean == '/' ? scheme : scheme_of_drive));
    for (const char *from = clean; *from; from++) {
        unsigned char c = (unsigned char)*from;
        if ((c < 0x80 && isalnum(c)) || strchr("-._~/", c) || (c == ':' && from < behind_drive)) {
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
