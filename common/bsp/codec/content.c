#include "common/bsp/codec/content.h"

#include "common/bsp/codec/codec.h"
#include "common/core/array.h"

bool bsp_hash_lumps(const struct bsp *bsp, const struct bsp_format *format, uint64_t lumps,
                    struct sha256 *hash)
{
    struct record_range_error range_error;
    bool fits = true;
    format = format ? format : bsp->format ? bsp->format : bsp_format_find("sdk2013");
    sha256_add(hash, format->target, strlen(format->target) + 1);
    for (int lump = 0; lump < format->codec->container->lump_count && lump < BSP_LUMPS && fits;
         lump++) {
        struct bytes data = {0};
        if (!(lumps >> lump & 1))
            continue;
        fits = codec_encode_lump(bsp, format, lump, 0, &data, &range_error);
        const uint64_t size = data.size;
        sha256_add(hash, &size, sizeof size);
        sha256_add(hash, data.data, data.size);
        bytes_free(&data);
    }
    return fits;
}

/* Bytes of a file that was read may be borrowed from it. */
static void own(struct bytes *bytes)
{
    struct bytes copy = {.order = bytes->order};
    if (bytes->capacity || !bytes->size)
        return;
    bytes_append(&copy, bytes->data, bytes->size);
    *bytes = copy;
}

static void own_all(struct bsp *bsp)
{
    struct bytes *const blobs[] = {
        &bsp->disp_lightmap_alphas,
        &bsp->disp_lightmap_samples,
        &bsp->visibility,
        &bsp->ldr.lighting,
        &bsp->hdr.lighting,
        &bsp->pakfile,
        &bsp->physics,
        &bsp->displacement_physics,
        &bsp->physics_surface,
    };
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        own(blobs[i]);
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        own(&bsp->game_lumps[i].data);
}

void bsp_take_content(struct bsp *to, struct bsp *from)
{
    struct bsp *before = memory_alloc(sizeof *before);
    own_all(from);
    *before = *to;
    *to = *from;
    *from = *before;
    memory_free(before);
    /* Now `from` has what was here, of which the form goes back. */
    to->format = from->format;
    to->engine = from->engine;
    to->page_side = from->page_side;
    to->revision = from->revision;
    to->encoding = from->encoding;
    to->skipped = from->skipped;
    char *entities = to->entities;
    to->entities = from->entities;
    from->entities = entities;
    for (int i = 0; i < BSP_LUMPS; i++) {
        struct bsp_raw_lump raw = to->carried[i];
        to->carried[i] = from->carried[i];
        from->carried[i] = raw;
    }
    struct bsp_layout layout = to->layout;
    to->layout = from->layout;
    from->layout = layout;
}
