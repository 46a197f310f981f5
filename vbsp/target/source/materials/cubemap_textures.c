/* Default textures of cubemaps: each face in the mean colour of the sky's texture there. The format
 * is that of the SDK's default files, as found in compiled maps. */
#include "vbsp/target/source/materials/cubemap.h"

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/textures/vtf.h"
#include "common/assets/textures/vtf_write.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/target/source/materials/material_patch.h"

enum {
    SIDES = VTF_CUBE_FACES,
    SIZE = 32,
    FLAGS = VTF_CLAMP_S | VTF_CLAMP_T | VTF_NO_MIP | VTF_NO_LOD,
};

struct sky {
    double colours[SIDES][3]; /* linear, 1 is white */
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
    return sky;
}

/* Of the form that the SDK's default files have. */
static struct bytes make_texture(const struct sky *sky, enum vtf_format format)
{
    float faces[SIDES][SIZE * SIZE][4];
    const float *pictures[SIDES];
    const struct vtf_source source = {SIZE, SIZE, 1, SIDES, NULL, pictures};
    const struct vtf_write_options options = {
        .format = format, .minor = 4, .flags = FLAGS, .mips = true, .bump_scale = 1};
    struct bytes out = {0};
    for (int i = 0; i < SIDES; i++) {
        pictures[i] = faces[i][0];
        for (int k = 0; k < SIZE * SIZE * 4; k++)
            faces[i][k / 4][k % 4] = k % 4 < 3 ? (float)sky->colours[i][k % 4] : 1;
    }
    (void)vtf_write(&source, &options, 1, &out); /* has no faults */
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
    struct bytes texture = make_texture(&sky, VTF_BGR888);
    pack_all(compile, &texture, ".vtf");
    bytes_free(&texture);
    if (sky.hdr) {
        texture = make_texture(&sky, VTF_RGBA16F);
        pack_all(compile, &texture, ".hdr.vtf");
        bytes_free(&texture);
    }
}
