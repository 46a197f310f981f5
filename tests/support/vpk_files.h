/* VPK archives written in memory. */
#ifndef TESTS_VPK_FILES_H
#define TESTS_VPK_FILES_H

#include <string.h>
#include <zlib.h>

#include "common/core/bytes.h"

struct vpk_file {
    const char *extension, *folder, *name;
    const char *preload, *data;
    int archive; /* 0x7FFF: after the directory */
};

/* Entries must be sorted by extension, then folder. Data of archive n is appended to parts[n],
 * which may be NULL when all files are in the directory. */
static inline void vpk_files_write(int version, const struct vpk_file *files, size_t count,
                                   struct bytes *out, struct bytes *parts)
{
    struct bytes tree = {0}, own = {0};
    for (size_t i = 0; i < count; i++) {
        const struct vpk_file *file = &files[i], *before = i ? file - 1 : NULL;
        bool same_extension = before && strcmp(before->extension, file->extension) == 0;
        bool same_folder = same_extension && strcmp(before->folder, file->folder) == 0;
        if (before && !same_folder)
            bytes_u8(&tree, 0);
        if (before && !same_extension)
            bytes_u8(&tree, 0);
        if (!same_extension)
            bytes_append(&tree, file->extension, strlen(file->extension) + 1);
        if (!same_folder)
            bytes_append(&tree, file->folder, strlen(file->folder) + 1);
        bytes_append(&tree, file->name, strlen(file->name) + 1);
        struct bytes *to = file->archive == 0x7FFF ? &own : &parts[file->archive];
        uLong crc = crc32_z(0, (const Bytef *)file->preload, strlen(file->preload));
        bytes_u32(&tree, (uint32_t)crc32_z(crc, (const Bytef *)file->data, strlen(file->data)));
        bytes_u16(&tree, (uint16_t)strlen(file->preload));
        bytes_u16(&tree, (uint16_t)file->archive);
        bytes_u32(&tree, (uint32_t)to->size);
        bytes_u32(&tree, (uint32_t)strlen(file->data));
        bytes_u16(&tree, 0xFFFF);
        bytes_append(&tree, file->preload, strlen(file->preload));
        bytes_append(to, file->data, strlen(file->data));
    }
    bytes_fill(&tree, 0, count ? 3 : 1);
    bytes_u32(out, 0x55AA1234);
    bytes_u32(out, (uint32_t)version);
    bytes_u32(out, (uint32_t)tree.size);
    if (version == 2) {
        bytes_u32(out, (uint32_t)own.size);
        bytes_fill(out, 0, 12);
    }
    bytes_append(out, tree.data, tree.size);
    bytes_append(out, own.data, own.size);
    bytes_free(&tree);
    bytes_free(&own);
}

#endif
