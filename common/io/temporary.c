#include "common/io/temporary.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/clock.h"
#include "common/core/entropy.h"
#include "common/io/fs.h"

#define MARK ".brushwork-"

enum { DRAWN = 6, SYSTEM_DIGITS = 16, STEM_MAX = 200 };

uint64_t temporary_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A name in use is tried again. */
static void draw_time(unsigned char out[DRAWN])
{
    double now = clock_seconds(CLOCK_MONOTONIC);
    uint64_t units = (uint64_t)(now * 1e9);
    for (size_t i = 0; i < DRAWN; i++)
        out[i] = (unsigned char)(units >> (i * 4));
}

static void draw(char *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char drawn[DRAWN];
    if (!entropy_draw(drawn, sizeof drawn))
        draw_time(drawn);
    for (size_t i = 0; i < DRAWN; i++)
        out[i] = letters[drawn[i] % (sizeof letters - 1)];
    out[DRAWN] = 0;
}

char *temporary_name(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    size_t length = strlen(name) < STEM_MAX ? strlen(name) : STEM_MAX;
    char drawn[DRAWN + 1];
    draw(drawn);
    return arena_printf(arena, "%.*s" MARK "%lld-%0*llx-%s", (int)((size_t)(name - path) + length),
                        path, (long long)temporary_process(), SYSTEM_DIGITS,
                        (unsigned long long)temporary_system(), drawn);
}

bool temporary_parse(const char *name, struct temporary_owner *out)
{
    const char *mark = NULL;
    for (const char *at = strstr(name, MARK); at; at = strstr(at + 1, MARK))
        mark = at;
    if (!mark || mark == name)
        return false;
    const char *digits = mark + strlen(MARK);
    char *end;
    size_t count = strspn(digits, "0123456789");
    if (!count || count > 9 || digits[count] != '-')
        return false;
    out->process = strtoll(digits, &end, 10);
    const char *system = end + 1;
    if (strspn(system, "0123456789abcdef") != SYSTEM_DIGITS || system[SYSTEM_DIGITS] != '-')
        return false;
    out->system = strtoull(system, &end, 16);
    const char *drawn = end + 1;
    size_t length = strlen(drawn);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)drawn[i]))
            return false;
    return length == DRAWN && out->process > 0;
}
