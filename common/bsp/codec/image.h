/* Internal to common/bsp: assembles a file from segments, which are not copied before it is
 * written. */
#ifndef BSP_CODEC_IMAGE_H
#define BSP_CODEC_IMAGE_H

#include "common/core/arena.h"
#include "common/io/fs_gather.h"

/* Zero-initialise, except for the order; free with image_free. */
struct image {
    enum byte_order order;
    size_t size;                 /* so far */
    struct fs_segment *segments; /* stb_ds array; adjacent ones are merged */
    struct bytes *taken;         /* stb_ds array: bytes that the image owns */
    struct arena arena;
};

/* Appends zeros that the caller may overwrite until the image is freed. */
unsigned char *image_reserve(struct image *image, size_t size);
/* Pads with zeros to a multiple of the alignment. */
void image_align(struct image *image, size_t alignment);
/* Appends bytes that outlive the image. */
void image_borrow(struct image *image, const void *data, size_t size);
/* Appends bytes that the image takes ownership of; *data is empty afterwards. */
void image_take(struct image *image, struct bytes *data);
/* Appends a range of the source that is given to image_gather. */
void image_from_source(struct image *image, uint64_t offset, size_t size);

struct fs_gather image_gather(const struct image *image, struct fs_source *source,
                              struct fs_staged *staged);
void image_free(struct image *image);

#endif
