/* Inside common/bsp: a file that is put together of pieces, which stay where they are until it is
 * written. */
#ifndef BSP_CODEC_IMAGE_H
#define BSP_CODEC_IMAGE_H

#include "common/core/arena.h"
#include "common/io/fs_gather.h"

/* Zero-initialise, but for the order; free with image_free. */
struct image {
    enum byte_order order;
    size_t size;                 /* so far */
    struct fs_segment *segments; /* stb_ds array; those that touch are one */
    struct bytes *taken;         /* stb_ds array */
    struct arena arena;
};

/* Zeros that may be written to until the image is freed. */
unsigned char *image_room(struct image *image, size_t size);
/* Fills up to a multiple of it with zeros. */
void image_align(struct image *image, size_t alignment);
/* Bytes that live as long. */
void image_borrow(struct image *image, const void *data, size_t size);
/* The same of bytes that are freed with the image; *data is empty afterwards. */
void image_take(struct image *image, struct bytes *data);
/* A part of the source that image_gather is told. */
void image_from_source(struct image *image, uint64_t offset, size_t size);

struct fs_gather image_gather(const struct image *image, struct fs_source *source,
                              struct fs_staged *staged);
void image_free(struct image *image);

#endif
