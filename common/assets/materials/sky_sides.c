#include "common/assets/materials/sky_sides.h"

#include <math.h>
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/textures/light_bytes.h"
#include "common/assets/textures/vtf.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* The light of white in $hdrcompressedtexture, whose alpha is a factor of its linear colours. */
#define COMPRESSED_RANGE 8.0f

const char *const sky_side_endings[SKY_SIDES] = {"rt", "lf", "bk", "ft", "up", "dn"};

/* Which axis, and in which direction, the images of a side go to the right and down. */
static const struct {
    int right, right_sign, down, down_sign;
} axes[SKY_SIDES] = {{1, -1, 2, -1}, {1, 1, 2, -1}, {0, 1, 2, -1},
                     {0, -1, 2, -1}, {1, -1, 0, 1}, {1, -1, 0, -1}};

struct sky_place sky_place_of(struct vec3 direction)
{
    int axis = vec3_major_axis(direction), side = 2 * axis + (direction.e[axis] < 0);
    double far = fabs(direction.e[axis]);
    double right = axes[side].right_sign * direction.e[axes[side].right] / far;
    double down = axes[side].down_sign * direction.e[axes[side].down] / far;
    return (struct sky_place){side, 0.5 + 0.5 * right, 0.5 + 0.5 * down, far};
}

static size_t pixels_of(const struct sky_side *side)
{
    return (size_t)side->width * (size_t)side->height;
}

/* Images of skies often have no smaller levels. */
static void halve(struct sky_side *side)
{
    int width = side->width / 2, height = side->height / 2;
    for (int i = 0; i < width * height; i++) {
        float sum[4] = {0};
        for (int j = 0; j < 4; j++) {
            int x = 2 * (i % width) + j % 2, y = 2 * (i / width) + j / 2;
            for (int k = 0; k < 4; k++)
                sum[k] += side->light[(size_t)y * (size_t)side->width + (size_t)x][k] / 4;
        }
        memcpy(side->light[i], sum, sizeof sum);
    }
    side->width = width;
    side->height = height;
}

/* Halves it until it fits, and gives back the rest of its memory. */
static void fit(struct sky_side *side, int max)
{
    bool fits = true;
    while ((side->width > max || side->height > max) && side->width > 1 && side->height > 1) {
        halve(side);
        fits = false;
    }
    if (!fits)
        side->light = memory_realloc(side->light, pixels_of(side) * sizeof *side->light);
}

/* Bytes as light: with a gamma, or times their alpha. */
static void set_bytes(struct vtf_image *image, bool compressed, int max, struct sky_side *out)
{
    struct light_bytes table;
    light_bytes_fill(&table);
    out->width = image->width;
    out->height = image->height;
    out->light = memory_alloc(pixels_of(out) * sizeof *out->light);
    for (size_t i = 0; i < pixels_of(out); i++) {
        const uint8_t *p = image->rgba + 4 * i;
        for (int k = 0; k < 3; k++)
            out->light[i][k] = compressed ? COMPRESSED_RANGE * (float)(p[k] * p[3]) / (255 * 255)
                                          : table.light[p[k]];
        out->light[i][3] = 1;
    }
    vtf_image_free(image);
    fit(out, max);
}

static void set_mean(const struct vtf_header *header, struct sky_side *out)
{
    out->width = out->height = 1;
    out->light = memory_alloc(sizeof *out->light);
    for (int k = 0; k < 4; k++)
        out->light[0][k] =
            k < 3 ? (float)portable_fmax(0, portable_fmin(1, (double)header->reflectivity[k])) : 1;
}

static struct vtf_place level_of(const struct vtf_header *header, int max)
{
    struct vtf_place place = {0};
    while (place.mip + 1 < header->mips &&
           (header->width >> place.mip > max || header->height >> place.mip > max))
        place.mip++;
    return place;
}

/* The texture of a key, with its kind. */
struct wanted {
    const char *key;
    bool compressed, hdr;
};

static bool decode(const struct bytes *file, const struct wanted *wanted, int max,
                   struct sky_side *out)
{
    struct vtf_header header;
    struct vtf_image image;
    if (!vtf_read_header(file->data, file->size, &header))
        return false;
    struct vtf_place place = level_of(&header, max);
    float *light = vtf_read_light(file->data, file->size, place, &out->width, &out->height);
    out->light = (float(*)[4])light;
    if (light)
        fit(out, max);
    else if (vtf_read_picture(file->data, file->size, place, &image))
        set_bytes(&image, wanted->compressed, max, out);
    else if (!wanted->hdr)
        set_mean(&header, out);
    return out->light != NULL;
}

static bool read_texture(struct assets *assets, const struct vmt *vmt, const struct wanted *wanted,
                         int max, struct sky_side *out)
{
    struct arena arena = {0};
    const char *texture = vmt_value(vmt, wanted->key);
    const char *file = texture && *texture ? asset_texture_file(&arena, texture) : NULL;
    struct bytes bytes = {0};
    bool read = file && assets_read(assets, file, &bytes) && decode(&bytes, wanted, max, out);
    bytes_free(&bytes);
    arena_free(&arena);
    out->hdr = read && wanted->hdr;
    return read;
}

static void read_side(struct assets *assets, const char *name, bool hdr, int max,
                      struct sky_sides *out, struct sky_side *side)
{
    static const struct wanted textures[] = {{"$hdrbasetexture", false, true},
                                             {"$hdrcompressedtexture", true, true},
                                             {"$basetexture", false, false}};
    struct arena arena = {0};
    struct vmt vmt;
    struct diag *silent = diag_new(NULL, NULL);
    if (assets_vmt(assets, name, &arena, silent, &vmt)) {
        out->names_hdr |= vmt_value(&vmt, textures[0].key) || vmt_value(&vmt, textures[1].key);
        for (size_t i = 0; i < 3 && !side->light; i++)
            (void)read_texture(assets, &vmt, &textures[hdr ? i : (i + 2) % 3], max, side);
    }
    diag_free(silent);
    arena_free(&arena);
}

void sky_sides_read(struct assets *assets, const char *name, bool hdr, int max,
                    struct sky_sides *out)
{
    struct arena arena = {0};
    *out = (struct sky_sides){0};
    for (int i = 0; i < SKY_SIDES && *name; i++) {
        const char *side = arena_printf(&arena, "skybox/%s%s", name, sky_side_endings[i]);
        read_side(assets, side, hdr, max, out, &out->sides[i]);
    }
    arena_free(&arena);
}

void sky_sides_free(struct sky_sides *sides)
{
    for (int i = 0; i < SKY_SIDES; i++)
        memory_free(sides->sides[i].light);
    *sides = (struct sky_sides){0};
}

static int inside(double at, int size)
{
    int pixel = (int)at;
    return pixel < 0 ? 0 : pixel < size ? pixel : size - 1;
}

/* A side that is twice as wide as high is the upper half of one whose lower half repeats its last
 * row. */
void sky_sides_at(const struct sky_sides *sides, struct vec3 direction, float out[3])
{
    struct sky_place place = sky_place_of(direction);
    const struct sky_side *side = &sides->sides[place.side];
    double x = place.right * side->width - 0.5;
    double y = place.down * (side->width == 2 * side->height ? 2 : 1) * side->height - 0.5;
    double left = floor(x), top = floor(y);
    for (int k = 0; k < 3; k++)
        out[k] = 0;
    for (int i = 0; i < 4 && side->light; i++) {
        double px = left + i % 2, py = top + i / 2;
        double share = (1 - fabs(px - x)) * (1 - fabs(py - y));
        const float *light = side->light[(size_t)inside(py, side->height) * (size_t)side->width +
                                         (size_t)inside(px, side->width)];
        for (int k = 0; k < 3; k++)
            out[k] += (float)share * light[k];
    }
}
