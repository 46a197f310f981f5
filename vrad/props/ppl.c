#include "vrad/props/ppl.h"

#include "common/core/array.h"

enum {
    VERSION = 0,
    RGB888 = 2, /* as a VTF has it */
    HEADER = 32,
    RECORD = 32,
    BLOCK = 512, /* pixels start and files end at multiples of it, as in a VHV */
};

static bool is_side(int64_t side)
{
    return side > 0 && side <= PPL_SIDE_MAX;
}

static uint64_t pixel_bytes(const struct ppl_image *image)
{
    return PPL_PIXEL * (uint64_t)image->width * (uint64_t)image->height;
}

/* The first image that has the same pixels: itself, if there is none before it. */
static size_t owner_of(const struct ppl *ppl, size_t index)
{
    const struct ppl_image *image = &ppl->images[index];
    for (size_t i = 0; i < index; i++)
        if (ppl->images[i].pixels == image->pixels &&
            pixel_bytes(&ppl->images[i]) == pixel_bytes(image))
            return i;
    return index;
}

static uint64_t round_up(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* Where the pixels of each image begin, an stb_ds array; NULL when that cannot be written. */
static uint32_t *lay_out(const struct ppl *ppl)
{
    size_t count = arrlenu(ppl->images);
    uint64_t end = round_up(HEADER + RECORD * (uint64_t)count);
    uint32_t *places = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t owner = owner_of(ppl, i);
        bool fits = is_side(ppl->images[i].width) && is_side(ppl->images[i].height);
        uint64_t size = fits ? pixel_bytes(&ppl->images[i]) : 0;
        if (!fits || round_up(end + size) > UINT32_MAX) {
            arrfree(places);
            return NULL;
        }
        arrput(places, owner < i ? places[owner] : (uint32_t)end);
        end += owner < i ? 0 : size;
    }
    return places;
}

bool ppl_encode(const struct ppl *ppl, struct bytes *out)
{
    size_t count = arrlenu(ppl->images);
    uint32_t *places = lay_out(ppl);
    struct bytes file = {0};
    if (count && !places)
        return false;
    bytes_u32(&file, VERSION);
    bytes_u32(&file, ppl->checksum);
    bytes_u32(&file, RGB888);
    bytes_u32(&file, (uint32_t)count);
    bytes_fill(&file, 0, HEADER - 16);
    for (size_t i = 0; i < count; i++) {
        const struct ppl_image *image = &ppl->images[i];
        bytes_u32(&file, image->lod);
        bytes_u32(&file, places[i]);
        bytes_u32(&file, (uint32_t)pixel_bytes(image));
        bytes_u32(&file, (uint32_t)image->width);
        bytes_u32(&file, (uint32_t)image->height);
        bytes_fill(&file, 0, RECORD - 20);
    }
    bytes_align(&file, BLOCK);
    for (size_t i = 0; i < count; i++)
        if (owner_of(ppl, i) == i)
            bytes_append(&file, ppl->images[i].pixels, (size_t)pixel_bytes(&ppl->images[i]));
    bytes_align(&file, BLOCK);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
    arrfree(places);
    return true;
}

static bool read_image(const struct bytes *file, size_t index, uint64_t start,
                       struct ppl_image *out)
{
    const unsigned char *record = file->data + HEADER + RECORD * index;
    uint64_t place = load_u32(record + 4), length = load_u32(record + 8);
    uint32_t width = load_u32(record + 12), height = load_u32(record + 16);
    if (!is_side(width) || !is_side(height))
        return false;
    *out = (struct ppl_image){.lod = load_u32(record), .width = (int)width, .height = (int)height};
    if (length != pixel_bytes(out) || place < start || place + length > file->size)
        return false;
    out->pixels = file->data + place;
    return true;
}

bool ppl_decode(const struct bytes *file, struct ppl *out)
{
    *out = (struct ppl){0};
    if (file->size < HEADER || load_u32(file->data) != VERSION ||
        load_u32(file->data + 8) != RGB888)
        return false;
    uint32_t count = load_u32(file->data + 12);
    if (count > (file->size - HEADER) / RECORD)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct ppl_image image;
        if (!read_image(file, i, HEADER + RECORD * (uint64_t)count, &image)) {
            ppl_free(out);
            return false;
        }
        arrput(out->images, image);
    }
    out->checksum = load_u32(file->data + 4);
    return true;
}

const struct ppl_image *ppl_finest(const struct ppl *ppl)
{
    for (size_t i = 0; i < arrlenu(ppl->images); i++)
        if (ppl->images[i].lod == 0)
            return &ppl->images[i];
    return NULL;
}

void ppl_free(struct ppl *ppl)
{
    arrfree(ppl->images);
    *ppl = (struct ppl){0};
}
