/* Textures of Source as files: VTF 7.2 of one image without mipmaps. */
#ifndef TESTS_TEXTURE_FILES_H
#define TESTS_TEXTURE_FILES_H

#include "common/core/bytes.h"
#include "common/io/fs.h"
#include "tests/support/suite.h"

/* Numbers of the file for four bytes a texel. */
enum texture_format { TEXTURE_RGBA = 0, TEXTURE_BGRA = 12 };

static inline void put_vtf(struct fs *fs, const char *path, int width, int height,
                           enum texture_format format, const uint8_t *texels)
{
    struct bytes vtf = {0};
    bytes_append(&vtf, "VTF\0\7\0\0\0\2\0\0\0\x50\0\0\0", 16);
    bytes_u16(&vtf, (uint16_t)width);
    bytes_u16(&vtf, (uint16_t)height);
    bytes_append(&vtf, "\0\x23\0\0\1\0", 6);
    bytes_fill(&vtf, 0, 22);
    bytes_f32(&vtf, 1);
    bytes_u32(&vtf, (uint32_t)format);
    bytes_u8(&vtf, 1);
    bytes_i32(&vtf, -1);
    bytes_fill(&vtf, 0, 19);
    bytes_append(&vtf, texels, (size_t)(4 * width * height));
    assert_int_equal(fs->ops->write(fs, path, vtf.data, vtf.size), 0);
    bytes_free(&vtf);
}

#endif
