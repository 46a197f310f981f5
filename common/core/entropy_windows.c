#include "common/core/entropy.h"

#include <windows.h>

#include <ntsecapi.h>

bool entropy_draw(void *out, size_t size)
{
    return RtlGenRandom(out, (ULONG)size);
}
