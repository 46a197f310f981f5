#include "common/assets/textures/vtf_encode.h"

#include <string.h>

#include "common/assets/textures/bc_encode.h"
#include "common/assets/textures/half_float.h"
#include "common/core/bytes.h"
#include "common/parallel/parallel.h"

enum { BLOCK = 4 };

struct block_job {
    enum vtf_format format;
    const uint8_t *rgba;
    int width, height;
    unsigned char *out;
};

static void gather_block(const struct block_job *job, int x, int y, uint8_t pixels[BC_PIXELS][4])
{
    for (int i = 0; i < BC_PIXELS; i++) {
        int px = x + i % BLOCK, py = y + i / BLOCK;
        px = px < job->width ? px : job->width - 1;
        py = py < job->height ? py : job->height - 1;
        memcpy(pixels[i], job->rgba + 4 * ((size_t)py * (size_t)job->width + (size_t)px), 4);
    }
}

static void encode_block_row(void *context, size_t row, int thread)
{
    (void)thread;
    const struct block_job *job = context;
    size_t bytes = job->format == VTF_DXT5 ? BC3_BYTES : BC1_BYTES;
    size_t across = ((size_t)job->width + BLOCK - 1) / BLOCK;
    for (size_t i = 0; i < across; i++) {
        uint8_t pixels[BC_PIXELS][4];
        unsigned char *to = job->out + (row * across + i) * bytes;
        gather_block(job, BLOCK * (int)i, BLOCK * (int)row, pixels);
        if (job->format == VTF_DXT5)
            bc3_encode(pixels, to);
        else
            bc1_encode(pixels, job->format == VTF_DXT1_ONEBITALPHA, to);
    }
}

/* The order of channels in the file; -1: none more. */
static const int *channels_of(enum vtf_format format)
{
    static const int rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, bgr[] = {2, 1, 0, -1},
                     rgb[] = {0, 1, 2, -1};
    switch (format) {
    case VTF_RGBA8888:
        return rgba;
    case VTF_BGRA8888:
        return bgra;
    case VTF_RGB888:
        return rgb;
    default:
        return bgr;
    }
}

void vtf_encode_picture(enum vtf_format format, const uint8_t *rgba, int width, int height,
                        int threads, unsigned char *out)
{
    size_t count = (size_t)width * (size_t)height;
    if (format == VTF_DXT1 || format == VTF_DXT1_ONEBITALPHA || format == VTF_DXT5) {
        struct block_job job = {format, rgba, width, height, out};
        parallel_for(threads, ((size_t)height + BLOCK - 1) / BLOCK, encode_block_row, &job);
        return;
    }
    const int *channels = channels_of(format);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 4 && channels[k] >= 0; k++)
            *out++ = rgba[4 * i + (size_t)channels[k]];
}

void vtf_encode_light(const float *rgba, int width, int height, unsigned char *out)
{
    size_t count = 4 * (size_t)width * (size_t)height;
    for (size_t i = 0; i < count; i++)
        store_u16(ORDER_LITTLE, out + 2 * i, half_of_float(rgba[i]));
}
