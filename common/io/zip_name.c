#include <ctype.h>

#include "common/io/zip.h"

enum { FNV_BASIS = 0x811c9dc5, FNV_PRIME = 16777619 };

bool zip_name_is_safe(const char *name)
{
    size_t part = 0; /* length of the part so far */
    if (!*name)
        return false;
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '\\' || *c == ':')
            return false;
        part = *c == '/' ? 0 : part + 1;
        if (*c == '/' && (c == name || c[-1] == '/'))
            return false;
        bool ends = c[1] == '/' || !c[1];
        if (ends && ((part == 1 && *c == '.') || (part == 2 && *c == '.' && c[-1] == '.')))
            return false;
    }
    return true;
}

static int folded(char c)
{
    return c == '\\' ? '/' : tolower((unsigned char)c);
}

bool zip_name_equal(const char *a, const char *b)
{
    while (*a && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return folded(*a) == folded(*b);
}

/* FNV-1a. */
uint32_t zip_name_hash(const char *name)
{
    uint32_t hash = FNV_BASIS;
    for (; *name; name++)
        hash = (hash ^ (uint32_t)folded(*name)) * FNV_PRIME;
    return hash;
}
