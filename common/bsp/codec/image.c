#include "common/bsp/codec/image.h"

#include "common/core/array.h"

/* Returns true when the bytes continue the last segment. */
static bool goes_on(const struct fs_segment *last, const void *data, uint64_t offset)
{
    if (data)
        return last->data && (const unsigned char *)last->data + last->size == data;
    return !last->data && last->offset + last->size == offset;
}

static void add(struct image *image, const void *data, uint64_t offset, size_t size)
{
    if (!size)
        return;
    image->size += size;
    if (arrlenu(image->segments) && goes_on(&arrlast(image->segments), data, offset))
        arrlast(image->segments).size += size;
    else
        arrput(image->segments, ((struct fs_segment){data, size, offset}));
}

unsigned char *image_reserve(struct image *image, size_t size)
{
    unsigned char *room = arena_alloc(&image->arena, size, 1);
    add(image, room, 0, size);
    return room;
}

void image_align(struct image *image, size_t alignment)
{
    size_t missing = (alignment - image->size % alignment) % alignment;
    if (missing)
        image_reserve(image, missing);
}

void image_borrow(struct image *image, const void *data, size_t size)
{
    add(image, data, 0, size);
}

void image_take(struct image *image, struct bytes *data)
{
    image_borrow(image, data->data, data->size);
    if (data->capacity)
        arrput(image->taken, *data);
    *data = (struct bytes){0};
}

void image_from_source(struct image *image, uint64_t offset, size_t size)
{
    add(image, NULL, offset, size);
}

struct fs_gather image_gather(const struct image *image, struct fs_source *source,
                              struct fs_staged *staged)
{
    return (struct fs_gather){.segments = image->segments,
                              .count = arrlenu(image->segments),
                              .source = source,
                              .staged = staged};
}

void image_free(struct image *image)
{
    for (size_t i = 0; i < arrlenu(image->taken); i++)
        bytes_free(&image->taken[i]);
    arrfree(image->taken);
    arrfree(image->segments);
    arena_free(&image->arena);
    *image = (struct image){0};
}
