#include "scene/images/image_encode.h"

#include <limits.h>
#include <zlib.h>

#include "common/core/memory.h"

/* Of zlib. The best one takes seven times as long as the quick one on a picture of a map, and makes
 * it a ninth smaller. */
enum { BEST = Z_BEST_COMPRESSION, QUICK = 7 };

static _Thread_local int level = BEST;

/* stb's own compression makes files half as large again. */
static unsigned char *pack(unsigned char *data, int length, int *packed, int quality)
{
    (void)quality;
    uLongf size = compressBound((uLong)length);
    unsigned char *out = memory_alloc(size);
    int result = compress2(out, &size, data, (uLong)length, level);
    if (result == Z_MEM_ERROR)
        memory_refused(size);
    if (result != Z_OK || size > INT_MAX) {
        memory_free(out);
        return NULL;
    }
    *packed = (int)size;
    return out;
}

#define STBIW_ZLIB_COMPRESS        pack
#define STBIW_MALLOC(size)         memory_alloc(size)
#define STBIW_REALLOC(block, size) memory_realloc(block, size)
#define STBIW_FREE(block)          memory_free(block)
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

static void append(void *context, void *data, int size)
{
    bytes_append(context, data, (size_t)size);
}

void png_encode(const unsigned char *pixels, int channels, int width, int height, struct bytes *out)
{
    stbi_write_png_to_func(append, out, width, height, channels, pixels, channels * width);
}

void png_encode_quick(const unsigned char *pixels, int channels, int width, int height,
                      struct bytes *out)
{
    level = QUICK;
    png_encode(pixels, channels, width, height, out);
    level = BEST;
}

void jpeg_encode(const unsigned char *rgb, int width, int height, int quality, struct bytes *out)
{
    stbi_write_jpg_to_func(append, out, width, height, 3, rgb, quality);
}
