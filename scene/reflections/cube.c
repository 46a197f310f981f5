#include "scene/reflections/cube.h"

#include <math.h>

#include "common/assets/textures/light_bytes.h"
#include "common/assets/textures/vtf.h"
#include "common/assets/textures/vtf_cube.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"

enum { MAX_SIDE = 256, LARGEST_SIDE = 1024 /* without smaller levels */ };

static size_t face_size(int side)
{
    return (size_t)side * (size_t)side;
}

void cube_free(struct cube *cube)
{
    memory_free(cube->pixels);
    *cube = (struct cube){0};
}

static void begin(struct cube *cube, int side)
{
    cube_free(cube);
    cube->side = side;
    cube->pixels = memory_alloc(CUBE_FACES * face_size(side) * sizeof *cube->pixels);
}

static void copy_face(struct cube *cube, int face, const float (*from)[4])
{
    float(*to)[3] = cube->pixels + (size_t)face * face_size(cube->side);
    for (size_t i = 0; i < face_size(cube->side); i++)
        for (int k = 0; k < 3; k++)
            to[i][k] = isfinite(from[i][k]) ? portable_fmaxf(from[i][k], 0) : 0;
}

void cube_set(struct cube *cube, int side, float (*const faces[CUBE_FACES])[4])
{
    begin(cube, side);
    for (int face = 0; face < CUBE_FACES; face++)
        copy_face(cube, face, faces[face]);
}

/* Four numbers a pixel of linear light, from memory_alloc, whatever the format; NULL: none. */
static float *read_face(const struct bytes *file, struct vtf_place place, int *width, int *height)
{
    float *light = vtf_read_light(file->data, file->size, place, width, height);
    struct vtf_image image;
    if (light || !vtf_read_picture(file->data, file->size, place, &image))
        return light;
    struct light_bytes table;
    size_t count = 4 * (size_t)image.width * (size_t)image.height;
    light_bytes_fill(&table);
    *width = image.width;
    *height = image.height;
    light = memory_alloc(count * sizeof *light);
    for (size_t i = 0; i < count; i++)
        light[i] = table.light[image.rgba[i]];
    vtf_image_free(&image);
    return light;
}

static bool add_face(const struct bytes *file, struct vtf_place place, struct cube *out)
{
    int width, height;
    float *light = read_face(file, place, &width, &height);
    bool fits = light && width == height;
    if (fits && place.face == 0)
        begin(out, width);
    fits &= width == out->side;
    if (fits)
        copy_face(out, place.face, (const float(*)[4])light);
    memory_free(light);
    return fits;
}

bool cube_read(const struct bytes *file, struct cube *out)
{
    struct vtf_header header;
    struct vtf_place place = {0};
    *out = (struct cube){0};
    if (!vtf_read_header(file->data, file->size, &header) ||
        vtf_face_count(file->data, file->size, &header) < CUBE_FACES)
        return false;
    while (place.mip + 1 < header.mips && header.width >> place.mip > MAX_SIDE)
        place.mip++;
    if (header.width >> place.mip > LARGEST_SIDE)
        return false;
    for (; place.face < CUBE_FACES; place.face++) {
        if (add_face(file, place, out))
            continue;
        cube_free(out);
        return false;
    }
    return true;
}

/* The pixels on both sides of a place along an axis, and the share of the second. */
static double between(double place, int side, int out[2])
{
    double at = place * side - 0.5;
    double first = floor(at);
    for (int i = 0; i < 2; i++) {
        int pixel = (int)first + i;
        out[i] = pixel < 0 ? 0 : pixel < side ? pixel : side - 1;
    }
    return at - first;
}

void cube_at(const struct cube *cube, struct vec3 direction, float out[3])
{
    double place[2], share[2];
    int at[2][2];
    for (int k = 0; k < 3; k++)
        out[k] = 0;
    if (!cube->side)
        return;
    size_t face = (size_t)vtf_cube_place(direction, place);
    for (int i = 0; i < 2; i++)
        share[i] = between(place[i], cube->side, at[i]);
    for (int i = 0; i < 4; i++) {
        double weight = (i % 2 ? share[0] : 1 - share[0]) * (i / 2 ? share[1] : 1 - share[1]);
        const float *pixel =
            cube->pixels[face * face_size(cube->side) + (size_t)at[1][i / 2] * (size_t)cube->side +
                         (size_t)at[0][i % 2]];
        for (int k = 0; k < 3; k++)
            out[k] += (float)(weight * (double)pixel[k]);
    }
}
