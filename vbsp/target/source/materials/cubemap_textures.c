/* Default textures of cubemaps: each face in the mean colour of the sky's texture there. The format
 * is that of the SDK's default files, as found in compiled maps. */
#include "common/core/portable_math.h"
#include "vbsp/target/source/materials/cubemap.h"

#include <math.h>
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/textures/vtf.h"
#include "common/core/array.h"
#include "vbsp/target/source/materials/material_patch.h"

enum {
    SIDES = 6,
    FACES = 7, /* including the sphere map of old engines */
    SIZE = 32,
    HEADER = 88,
    FORMAT_BGR888 = 3,
    FORMAT_RGBA16F = 24,
    FLAGS = 0x430C, /* clamped, no LOD, a cubemap */
};

struct sky {
    double colours[FACES][3]; /* linear, 1 is white */
    bool found, hdr;
};

static bool read_reflectivity(struct assets *assets, struct arena *arena, const char *texture,
                              double colour[3])
{
    const char *file = texture ? asset_texture_file(arena, texture) : NULL;
    struct bytes bytes = {0};
    struct vtf_header header;
    bool read = file && assets_read(assets, file, &bytes) &&
                vtf_read_header(bytes.data, bytes.size, &header);
    bytes_free(&bytes);
    for (int i = 0; read && i < 3; i++)
        colour[i] = portable_fmax(0, portable_fmin(1, (double)header.reflectivity[i]));
    return read;
}

static void read_sky_side(struct assets *assets, const char *name, struct sky *sky, int side)
{
    struct arena arena = {0};
    struct vmt vmt;
    struct diag *silent = diag_new(NULL, NULL);
    if (assets_vmt(assets, arena_printf(&arena, "skybox/%s", name), &arena, silent, &vmt)) {
        const char *hdr = vmt_value(&vmt, "$hdrcompressedtexture");
        hdr = hdr ? hdr : vmt_value(&vmt, "$hdrbasetexture");
        sky->hdr |= hdr != NULL;
        sky->found |= read_reflectivity(assets, &arena, vmt_value(&vmt, "$basetexture"),
                                        sky->colours[side]) ||
                      read_reflectivity(assets, &arena, hdr, sky->colours[side]);
    }
    diag_free(silent);
    arena_free(&arena);
}

/* In the order of cubemap faces: +x, -x, +y, -y, up, down. */
static struct sky read_sky(struct compile *compile)
{
    static const char *const endings[SIDES] = {"rt", "lf", "bk", "ft", "up", "dn"};
    struct sky sky = {0};
    const char *name = entity_value(&compile->entities[0].map_entity->keys, "skyname");
    for (int i = 0; i < SIDES && *name; i++)
        read_sky_side(compile->assets, arena_printf(&compile->arena, "%s%s", name, endings[i]),
                      &sky, i);
    for (int i = 0; i < SIDES; i++)
        for (int j = 0; j < 3; j++)
            sky.colours[SIDES][j] += sky.colours[i][j] / (double)SIDES;
    return sky;
}

/* Half-precision float of a number from 0 to 1; tiny numbers become 0. */
static uint16_t half_of(double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent); /* 0.5 to 1 */
    if (!(value > 0) || exponent < -13)
        return 0;
    return (uint16_t)(((exponent + 14) << 10) + lround((mantissa * 2 - 1) * 1024));
}

/* VTF 7.4: 80 bytes and one resource entry, the image. */
static void put_header(struct bytes *out, const struct sky *sky, int format)
{
    bytes_append(out, "VTF", 4);
    bytes_u32(out, 7);
    bytes_u32(out, 4);
    bytes_u32(out, HEADER);
    bytes_u16(out, SIZE);
    bytes_u16(out, SIZE);
    bytes_u32(out, FLAGS);
    bytes_u32(out, 1); /* frames, first frame */
    bytes_u32(out, 0);
    for (int i = 0; i < 3; i++)
        bytes_f32(out, (float)sky->colours[SIDES][i]);
    bytes_u32(out, 0);
    bytes_f32(out, 1); /* bump scale */
    bytes_u32(out, (uint32_t)format);
    const unsigned char rest[12] = {6, 255, 255, 255, 255, 0, 0, 1}; /* mips, no thumbnail, depth */
    bytes_append(out, rest, sizeof rest);
    bytes_u32(out, 1); /* entries */
    bytes_u32(out, 0);
    bytes_u32(out, 0);
    bytes_u32(out, 0x30);
    bytes_u32(out, HEADER);
}

static void put_pixel(struct bytes *out, const double colour[3], int format)
{
    if (format == FORMAT_RGBA16F) {
        for (int i = 0; i < 3; i++)
            bytes_u16(out, half_of(colour[i]));
        bytes_u16(out, half_of(1));
        return;
    }
    unsigned char bgr[3];
    for (int i = 0; i < 3; i++)
        bgr[2 - i] = (unsigned char)lround(255 * portable_pow(colour[i], 1 / 2.2));
    bytes_append(out, bgr, sizeof bgr);
}

/* The smallest mipmap first. */
static struct bytes make_texture(const struct sky *sky, int format)
{
    struct bytes out = {0};
    put_header(&out, sky, format);
    for (int size = 1; size <= SIZE; size *= 2)
        for (int face = 0; face < FACES; face++)
            for (int i = 0; i < size * size; i++)
                put_pixel(&out, sky->colours[face], format);
    return out;
}

/* An existing one has precedence: built by the game or by the mapper. */
static void pack_picture(struct compile *compile, const char *name, const struct bytes *texture)
{
    if (!pakfile_find(&compile->pakfile, name))
        pakfile_put(&compile->pakfile, name, texture->data, texture->size);
}

static void pack_all(struct compile *compile, const struct bytes *texture, const char *ending)
{
    struct arena arena = {0};
    const char *folder =
        arena_printf(&arena, "materials/maps/%s", level_name(&arena, compile->level->file));
    pack_picture(compile, arena_printf(&arena, "%s/cubemapdefault%s", folder, ending), texture);
    for (size_t i = 0; i < arrlenu(compile->bsp->cubemaps); i++) {
        const int32_t *at = compile->bsp->cubemaps[i].origin;
        pack_picture(compile,
                     arena_printf(&arena, "%s/c%d_%d_%d%s", folder, (int)at[0], (int)at[1],
                                  (int)at[2], ending),
                     texture);
    }
    arena_free(&arena);
}

void cubemaps_pack(struct compile *compile)
{
    struct sky sky = read_sky(compile);
    if (!sky.found) {
        struct diag_where where = {.file = compile->level->file};
        if (arrlen(compile->bsp->cubemaps))
            diag_report(compile->env->diag, DIAG_CUBEMAPS_MISSING, &where,
                        "the skybox textures are missing, so the game has none for %td cubemap%s",
                        arrlen(compile->bsp->cubemaps),
                        arrlen(compile->bsp->cubemaps) == 1 ? "" : "s");
        return;
    }
    struct bytes texture = make_texture(&sky, FORMAT_BGR888);
    pack_all(compile, &texture, ".vtf");
    bytes_free(&texture);
    if (sky.hdr) {
        texture = make_texture(&sky, FORMAT_RGBA16F);
        pack_all(compile, &texture, ".hdr.vtf");
        bytes_free(&texture);
    }
}
