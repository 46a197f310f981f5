#include "common/assets/textures/pcx.h"

#include <string.h>

#include "common/core/bytes.h"
#include "common/core/memory.h"

enum {
    HEADER = 128,
    MANUFACTURER = 10,
    MAX_PIXELS = 16384, /* a side */
    RUN = 0xc0,         /* a byte from here on is a length, and the next one its value */
    LONGEST_RUN = 63,
};

struct pcx {
    const unsigned char *data;
    size_t size, width, height, row; /* row: bytes of a row in the file */
    bool has_runs;
};

static bool read_header(const unsigned char *data, size_t size, struct pcx *out)
{
    if (size < HEADER || data[0] != MANUFACTURER || data[2] > 1 || data[3] != 8 || data[65] != 1)
        return false;
    int width = load_u16(data + 8) - load_u16(data + 4) + 1;
    int height = load_u16(data + 10) - load_u16(data + 6) + 1;
    *out = (struct pcx){.data = data + HEADER,
                        .size = size - HEADER,
                        .width = (size_t)width,
                        .height = (size_t)height,
                        .row = load_u16(data + 66),
                        .has_runs = data[2] == 1};
    /* Two bytes hold a run, one byte itself. */
    size_t max = out->has_runs ? (out->size / 2 + 1) * LONGEST_RUN : out->size;
    return width > 0 && height > 0 && width <= MAX_PIXELS && height <= MAX_PIXELS &&
           out->row >= out->width && out->row * out->height <= max;
}

/* Runs may go on from row to row, and beyond the last one. */
static bool unpack(const struct pcx *pcx, unsigned char *out, size_t wanted)
{
    size_t at = 0, done = 0;
    while (done < wanted && at < pcx->size) {
        size_t count = 1;
        if (pcx->has_runs && pcx->data[at] >= RUN)
            count = pcx->data[at++] & LONGEST_RUN;
        if (at >= pcx->size)
            return false;
        count = count < wanted - done ? count : wanted - done;
        memset(out + done, pcx->data[at++], count);
        done += count;
    }
    return done == wanted;
}

uint8_t *pcx_decode(const void *data, size_t size, int *width, int *height)
{
    struct pcx pcx;
    if (!read_header(data, size, &pcx))
        return NULL;
    uint8_t *pixels = memory_alloc(pcx.row * pcx.height);
    if (!unpack(&pcx, pixels, pcx.row * pcx.height)) {
        memory_free(pixels);
        return NULL;
    }
    for (size_t y = 1; y < pcx.height; y++)
        memmove(pixels + y * pcx.width, pixels + y * pcx.row, pcx.width);
    *width = (int)pcx.width;
    *height = (int)pcx.height;
    return pixels;
}
