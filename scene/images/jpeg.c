#include "scene/images/jpeg.h"

#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

static void append(void *context, void *data, int size)
{
    bytes_append(context, data, (size_t)size);
}

void jpeg_encode(const unsigned char *rgb, int width, int height, int quality, struct bytes *out)
{
    stbi_write_jpg_to_func(append, out, width, height, 3, rgb, quality);
}
