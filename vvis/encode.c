#include "vvis/encode.h"

enum { RUN_MOST = 255 };

static unsigned char byte_of(const uint64_t *row, size_t byte)
{
    return (unsigned char)(row[byte / 8] >> (byte % 8 * 8));
}

/* Bytes from `at` on that are zero. */
static size_t zeros_from(const uint64_t *row, size_t at, size_t size)
{
    size_t end = at;
    while (end < size) {
        if (end % 8 == 0 && !row[end / 8])
            end += 8;
        else if (!byte_of(row, end))
            end++;
        else
            break;
    }
    return (end < size ? end : size) - at;
}

/* At worst each byte is a zero between others, and takes two. */
void encode_row(const uint64_t *row, int clusters, struct bytes *out)
{
    size_t size = ((size_t)clusters + 7) / 8, before = out->size;
    unsigned char *to = bytes_extend(out, 2 * size);
    for (size_t i = 0; i < size;) {
        *to = byte_of(row, i);
        if (*to++) {
            i++;
            continue;
        }
        size_t run = zeros_from(row, i, size);
        if (run > RUN_MOST)
            run = RUN_MOST;
        *to++ = (unsigned char)run;
        i += run;
    }
    out->size = before + (size_t)(to - (out->data + before));
}

static void encode_rows(const struct bit_rows *rows, int clusters, size_t start, size_t table,
                        struct bytes *out)
{
    for (int i = 0; i < clusters; i++) {
        uint32_t offset = (uint32_t)(out->size - start);
        size_t entry = table + (size_t)i * 8;
        for (size_t k = 0; k < 4; k++)
            out->data[entry + k] = (unsigned char)(offset >> (8 * k));
        encode_row(bit_row(rows, (size_t)i), clusters, out);
    }
}

void encode_visibility(const struct bit_rows *pvs, const struct bit_rows *pas, int clusters,
                       struct bytes *out)
{
    if (clusters <= 0)
        return;
    size_t start = out->size;
    bytes_i32(out, clusters);
    bytes_fill(out, 0, (size_t)clusters * 8);
    encode_rows(pvs, clusters, start, start + 4, out);
    encode_rows(pas, clusters, start, start + 8, out);
}
