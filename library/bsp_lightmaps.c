#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/float_mode.h"
#include "library/bsp.h"
#include "vrad/luxels/colour.h"

enum { BUMPED_IMAGES = 4, LUXEL_BYTES = 4, CHANNELS = 3 };

/* A byte of white. */
#define WHITE 255.0F

static const struct bsp_light_set *light_of(const struct brushwork_bsp *bsp)
{
    return bsp_lighting(bsp->bsp, bsp->use_hdr);
}

static const struct bsp_face *faces_of(const struct brushwork_bsp *bsp)
{
    return bsp_faces_of(bsp->bsp, light_of(bsp));
}

/* Returns the bytes of one style with all its directions. */
static int64_t image_bytes(const struct brushwork_lightmap *info)
{
    return (int64_t)info->width * info->height * LUXEL_BYTES *
           (info->is_bumped ? BUMPED_IMAGES : 1);
}

/* Returns false when the face has no lightmap in the lighting. */
static bool describe(const struct brushwork_bsp *bsp, const struct bsp_face *face,
                     struct brushwork_lightmap *out)
{
    const struct bsp *from = bsp->bsp;
    const int64_t size = (int64_t)light_of(bsp)->lighting.size;
    *out = (struct brushwork_lightmap){0};
    if (face->light_offset < 0 || face->texinfo < 0 || face->lightmap_size[0] < 0 ||
        face->lightmap_size[1] < 0 || face->lightmap_size[0] >= size ||
        face->lightmap_size[1] >= size)
        return false;
    out->width = face->lightmap_size[0] + 1;
    out->height = face->lightmap_size[1] + 1;
    out->is_bumped = (from->texinfo[face->texinfo].flags & SURFACE_BUMPLIGHT) != 0;
    while (out->style_count < BSP_FACE_STYLES && face->styles[out->style_count] != BSP_STYLE_NONE) {
        out->styles[out->style_count] = face->styles[out->style_count];
        out->style_count++;
    }
    return out->style_count && face->light_offset <= size &&
           image_bytes(out) * out->style_count <= size - face->light_offset;
}

static void list_faces(struct brushwork_bsp *bsp)
{
    const struct bsp_face *faces = faces_of(bsp);
    for (size_t i = 0; i < arrlenu(bsp->bsp->faces); i++) {
        struct lightmap lightmap = {.face = (int)i};
        bool is_lit = describe(bsp, &faces[i], &lightmap.info);
        arrput(bsp->face_lightmaps, is_lit ? (int)arrlen(bsp->lightmaps) : -1);
        if (is_lit)
            arrput(bsp->lightmaps, lightmap);
    }
}

static void list_pages(struct brushwork_bsp *bsp)
{
    size_t count = bsp_page_count(bsp->bsp);
    const int side = bsp_page_side(bsp->bsp);
    for (size_t i = 0; i < count; i++) {
        struct lightmap lightmap = {.face = (int)i,
                                    .info = {.width = side, .height = side, .style_count = 1}};
        arrput(bsp->lightmaps, lightmap);
    }
}

void bsp_need_lightmaps(struct brushwork_bsp *bsp)
{
    if (bsp->has_lightmaps)
        return;
    if (bsp->bsp->engine->light.lightmap_pages)
        list_pages(bsp);
    else
        list_faces(bsp);
    bsp->has_lightmaps = true;
}

void bsp_drop_lightmaps(struct brushwork_bsp *bsp)
{
    arrfree(bsp->lightmaps);
    arrfree(bsp->face_lightmaps);
    bsp->has_lightmaps = false;
}

enum brushwork_status brushwork_bsp_use_hdr(struct brushwork_bsp *bsp, int hdr)
{
    ENTER(bsp_enter(bsp));
    if (bsp->use_hdr != (hdr != 0)) {
        bsp->use_hdr = hdr != 0;
        bsp_drop_mesh(bsp);
        bsp_drop_lightmaps(bsp);
    }
    return session_leave(bsp->session, BRUSHWORK_OK);
}

size_t brushwork_lightmap_count(struct brushwork_bsp *bsp)
{
    if (bsp_enter(bsp) != BRUSHWORK_OK)
        return 0;
    bsp_need_lightmaps(bsp);
    size_t count = arrlenu(bsp->lightmaps);
    (void)session_leave(bsp->session, BRUSHWORK_OK);
    return count;
}

static const struct lightmap *lightmap_at(struct brushwork_bsp *bsp, size_t lightmap)
{
    bsp_need_lightmaps(bsp);
    return lightmap < arrlenu(bsp->lightmaps) ? &bsp->lightmaps[lightmap] : NULL;
}

static enum brushwork_status tell_info(struct brushwork_bsp *bsp, size_t lightmap,
                                       struct brushwork_lightmap *out)
{
    const struct lightmap *at = lightmap_at(bsp, lightmap);
    if (!out)
        return session_refuse(bsp->session, "the argument \"out\" is NULL");
    if (!at)
        return session_refuse(bsp->session, "there is no lightmap %zu", lightmap);
    *out = at->info;
    return BRUSHWORK_OK;
}

enum brushwork_status brushwork_lightmap_info(struct brushwork_bsp *bsp, size_t lightmap,
                                              struct brushwork_lightmap *out)
{
    if (out)
        *out = (struct brushwork_lightmap){0};
    ENTER(bsp_enter(bsp));
    return session_leave(bsp->session, tell_info(bsp, lightmap, out));
}

static void decode_page(const unsigned char *from, size_t luxels, float *out)
{
    for (size_t i = 0; i < luxels * CHANNELS; i++)
        out[i] = (float)from[i] / WHITE;
}

static void decode_luxels(const unsigned char *from, size_t luxels, float *out)
{
    for (size_t i = 0; i < luxels; i++, from += LUXEL_BYTES, out += CHANNELS) {
        colour_decode((struct bsp_colour){from[0], from[1], from[2], (int8_t)from[3]}, out);
        for (int k = 0; k < CHANNELS; k++)
            out[k] /= WHITE;
    }
}

static float *copy_pixels(struct brushwork_bsp *bsp, size_t lightmap, int32_t style)
{
    const struct lightmap *at = lightmap_at(bsp, lightmap);
    if (!at || style < 0 || style >= at->info.style_count)
        return NULL;
    const unsigned char *lighting = light_of(bsp)->lighting.data;
    size_t luxels = (size_t)at->info.width * (size_t)at->info.height;
    float *out = memory_alloc(luxels * CHANNELS * sizeof *out);
    struct float_mode mode;
    float_mode_begin(&mode);
    if (bsp->bsp->engine->light.lightmap_pages)
        decode_page(lighting + (size_t)at->face * bsp_page_bytes(bsp->bsp), luxels, out);
    else
        decode_luxels(lighting + faces_of(bsp)[at->face].light_offset +
                          image_bytes(&at->info) * style,
                      luxels, out);
    float_mode_end(&mode);
    return out;
}

float *brushwork_lightmap_pixels(struct brushwork_bsp *bsp, size_t lightmap, int32_t style)
{
    if (bsp_enter(bsp) != BRUSHWORK_OK)
        return NULL;
    float *pixels = copy_pixels(bsp, lightmap, style);
    (void)session_leave(bsp->session, BRUSHWORK_OK);
    return pixels;
}
