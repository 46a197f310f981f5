#include "ballance/compile/maker.h"
#include "common/assets/textures/image.h"
#include "common/assets/textures/tga.h"
#include "common/assets/textures/vtf.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"
#include "common/io/zip.h"

/* --- what is known of a file --- */

/* Reads the header: "BM", and at 18 width and height as 32-bit integers, the height negative when
 * the top row is first. */
static bool bmp_size(const struct bytes *file, int size[2])
{
    if (file->size < 26 || memcmp(file->data, "BM", 2) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        int64_t side = (int32_t)load_u32(file->data + 18 + 4 * i);
        side = side < 0 ? -side : side;
        if (side < 1 || side > 65536)
            return false;
        size[i] = (int)side;
    }
    return true;
}

static void look_at_alpha(struct texture_image *image, const uint8_t *pixels)
{
    size_t count = (size_t)image->size[0] * (size_t)image->size[1];
    image->has_alpha = false;
    image->is_cut_out = true;
    for (size_t i = 0; i < count; i++) {
        image->has_alpha |= pixels[4 * i + 3] < 255;
        image->is_cut_out &= pixels[4 * i + 3] == 0 || pixels[4 * i + 3] == 255;
    }
    image->is_cut_out &= image->has_alpha;
}

bool ballance_measure_image(struct texture_image *image)
{
    if (bmp_size(&image->data, image->size))
        return true;
    uint8_t *pixels =
        image_decode(image->data.data, image->data.size, &image->size[0], &image->size[1]);
    if (!pixels)
        return false;
    look_at_alpha(image, pixels);
    memory_free(pixels);
    return true;
}

/* Ballance cannot read a VTF. */
static bool convert_vtf(struct texture_image *image)
{
    struct vtf_image vtf;
    struct bytes tga = {0};
    if (!vtf_read_image(image->data.data, image->data.size, 65535, &vtf))
        return false;
    image->size[0] = vtf.width;
    image->size[1] = vtf.height;
    look_at_alpha(image, vtf.rgba);
    tga_encode(vtf.rgba, vtf.width, vtf.height, TGA_RGBA, &tga);
    vtf_image_free(&vtf);
    bytes_free(&image->data);
    image->data = tga;
    return true;
}

/* --- where it is --- */

/* Names of a file by that of a texture: beside the map, and in the game. */
static const struct {
    const char *folder, *ending;
} places[] = {{"textures/", ".bmp"}, {"textures/", ".tga"}, {"textures/", ".png"},
              {"textures/", ".jpg"}, {"", ".bmp"},          {"", ".tga"},
              {"", ".png"},          {"", ".jpg"},          {"materials/", ".vtf"}};

static bool load_place(struct ballance_maker *maker, const char *name, struct bytes *out)
{
    const char *folder = path_folder(&maker->arena, maker->level->file);
    if (!zip_name_is_safe(name)) /* a map of somebody else may not take files from elsewhere */
        return false;
    const char *path = arena_printf(&maker->arena, "%s/%s", folder, name);
    if (maker->env->fs->ops->kind(maker->env->fs, path) == FS_FILE &&
        fs_load_optional(maker->env->fs, maker->env->diag, path, out))
        return true;
    return maker->assets && assets_read(maker->assets, name, out);
}

bool ballance_find_image(struct ballance_maker *maker, const char *texture,
                         struct texture_image *out)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *out = (struct texture_image){0};
        const char *name =
            arena_printf(&maker->arena, "%s%s%s", places[i].folder, texture, places[i].ending);
        if (!load_place(maker, name, &out->data))
            continue;
        bool is_vtf = strcmp(places[i].ending, ".vtf") == 0;
        out->file = arena_printf(&maker->arena, "%s%s", path_name(texture),
                                 is_vtf ? ".tga" : places[i].ending);
        if (is_vtf ? convert_vtf(out) : ballance_measure_image(out)) {
            if (is_vtf)
                diag_report(maker->env->diag, DIAG_BMX_FROM_CONVERTED,
                            &(struct diag_where){.file = name}, "as %s", out->file);
            return true;
        }
        bytes_free(&out->data);
    }
    return false;
}
