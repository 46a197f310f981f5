#include "common/io/size_limit.h"

#include <stddef.h>
#include <string.h>

#include "common/core/strings.h"

enum { MIB = 1 << 20 };

/* Of kinds that are not listed: a BSP cannot address more. */
#define OTHER ((uint64_t)2048 * MIB)

static const struct {
    const char *extension;
    uint64_t limit;
} limits[] = {
    /* materials, and lists of names */
    {".vmt", MIB},
    {".gi", MIB},
    {"gameinfo.txt", MIB},
    {"libraryfolders.vdf", MIB},
    {".shader", 16 * MIB},
    {".rad", 16 * MIB},
    {".txt", 16 * MIB},
    {".res", 16 * MIB},
    {".cfg", 16 * MIB},
    {".vbsp", 16 * MIB},
    {".fgd", 16 * MIB},
    /* textures */
    {".vtf", 512 * MIB},
    {".tga", 256 * MIB},
    {".png", 256 * MIB},
    {".jpg", 256 * MIB},
    {".jpeg", 256 * MIB},
    {".bmp", 256 * MIB},
    {".dds", 256 * MIB},
    {".pcx", 256 * MIB},
    {".hdr", 256 * MIB},
    /* models */
    {".mdl", 64 * MIB},
    {".vvd", 256 * MIB},
    {".vtx", 256 * MIB},
    {".phy", 64 * MIB},
    {".md3", 256 * MIB},
    {".ase", 256 * MIB},
    {".obj", 256 * MIB},
    {".lwo", 256 * MIB},
    /* sources */
    {".vmf", 1024 * MIB},
    {".vmm", 16 * MIB},
    {".map", 1024 * MIB},
};

uint64_t size_limit_of(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t end = strlen(limits[i].extension);
        if (length >= end && str_equal_nocase(name + length - end, limits[i].extension))
            return limits[i].limit;
    }
    return OTHER;
}
