/* Default textures of cubemaps: the sky alone. The format is that of the SDK's default files, as
 * found in compiled maps. */
#include "vbsp/target/source/materials/cubemap.h"

#include "common/assets/materials/sky_sides.h"
#include "common/assets/textures/vtf_cube.h"
#include "common/assets/textures/vtf_write.h"
#include "common/core/array.h"
#include "common/diag/codes/overlays.def"
#include "vbsp/target/source/materials/material_patch.h"

enum {
    FACES = VTF_CUBE_FACES,
    FLAGS = VTF_CLAMP_S | VTF_CLAMP_T | VTF_NO_MIP | VTF_NO_LOD,
    MAX_SAMPLES = 16, /* along each side of a pixel */
    MAX_IMAGE = 512,  /* width of the sky's images as they are sampled */
};

/* Samples as many of its pixels as the sky's images have, up to a limit. */
static void draw_pixel(const struct sky_sides *sky, const struct vtf_cube_axes *axes, int side,
                       int index, float out[4])
{
    int wide = sky->sides[0].width / side;
    int samples = wide < 1 ? 1 : wide > MAX_SAMPLES ? MAX_SAMPLES : wide;
    float sum[3] = {0};
    for (int i = 0; i < samples * samples; i++) {
        double x = index % side + (i % samples + 0.5) / samples;
        double y = index / side + (i / samples + 0.5) / samples;
        struct vec3 direction = vec3_mad(axes->ahead, axes->right, 2 * x / side - 1);
        float light[3];
        sky_sides_at(sky, vec3_mad(direction, axes->down, 2 * y / side - 1), light);
        for (int k = 0; k < 3; k++)
            sum[k] += light[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] / (float)(samples * samples);
    out[3] = 1;
}

static void draw_face(const struct sky_sides *sky, int face, int side, float (*out)[4])
{
    struct vtf_cube_axes axes = vtf_cube_axes(face);
    for (int i = 0; i < side * side; i++)
        draw_pixel(sky, &axes, side, i, out[i]);
}

/* Of the form that the SDK's default files have. */
static struct bytes make_texture(const struct sky_sides *sky, int side, enum vtf_format format)
{
    const float *pictures[FACES];
    const struct vtf_source source = {side, side, 1, FACES, NULL, pictures};
    const struct vtf_write_options options = {
        .format = format, .minor = 4, .flags = FLAGS, .mips = true, .bump_scale = 1};
    struct bytes out = {0};
    size_t count = (size_t)side * (size_t)side;
    float(*faces)[4] = memory_alloc(FACES * count * sizeof *faces);
    for (int i = 0; i < FACES; i++) {
        draw_face(sky, i, side, faces + (size_t)i * count);
        pictures[i] = faces[(size_t)i * count];
    }
    (void)vtf_write(&source, &options, 1, &out); /* has no faults */
    memory_free(faces);
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

static bool is_found(const struct sky_sides *sky)
{
    for (int i = 0; i < SKY_SIDES; i++)
        if (sky->sides[i].light)
            return true;
    return false;
}

/* Returns false without the sky's textures. */
static bool pack_light(struct compile *compile, bool hdr)
{
    const char *name = entity_value(&compile->entities[0].map_entity->keys, "skyname");
    struct sky_sides sky;
    int side = compile->options->default_cubemap_side;
    int max = side * MAX_SAMPLES < MAX_IMAGE ? side * MAX_SAMPLES : MAX_IMAGE;
    sky_sides_read(compile->assets, name, hdr, max, &sky);
    bool found = is_found(&sky);
    if (found && (!hdr || sky.names_hdr)) {
        struct bytes texture = make_texture(&sky, side, hdr ? VTF_RGBA16F : VTF_BGR888);
        pack_all(compile, &texture, hdr ? ".hdr.vtf" : ".vtf");
        bytes_free(&texture);
    }
    sky_sides_free(&sky);
    return found;
}

void cubemaps_pack(struct compile *compile)
{
    ptrdiff_t count = arrlen(compile->bsp->cubemaps);
    if (compile->options->no_default_cubemap)
        return;
    bool found = pack_light(compile, false);
    found |= pack_light(compile, true);
    struct diag_where where = {.file = compile->level->file};
    if (!found && count)
        diag_report(compile->env->diag, DIAG_CUBEMAPS_MISSING, &where,
                    "the skybox textures are missing, so the game has none for %td cubemap%s",
                    count, count == 1 ? "" : "s");
}
