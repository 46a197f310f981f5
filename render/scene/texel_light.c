#include "render/scene/texel_light.h"

#include <math.h>

#include "common/core/array.h"
#include "vrad/props/ppl.h"

/* As that of vertices: half of white on a screen is the light that is white. */
#define SCREEN_GAMMA 2.2
#define BRIGHTENED   2.0

/* More than maps have, and what memory holds. */
enum { MOST_LUXELS = 1 << 26 };

static void add_luxels(const struct ppl_image *image, struct mesh *mesh)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    float(*to)[3] = (float(*)[3])arraddnptr(mesh->luxels, count);
    float light[256];
    for (int i = 0; i < 256; i++)
        light[i] = (float)(255 * pow(BRIGHTENED * i / 255, SCREEN_GAMMA));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            to[i][k] = light[image->pixels[PPL_PIXEL * i + k]];
}

bool texel_light_read(const struct bytes *file, const struct model *model, struct mesh *mesh,
                      struct surface *surface)
{
    struct ppl ppl;
    if (!ppl_decode(file, &ppl))
        return false;
    const struct ppl_image *image = ppl_finest(&ppl);
    bool usable =
        image && ppl.checksum == model->mdl.checksum &&
        arrlenu(mesh->luxels) + (size_t)image->width * (size_t)image->height <= MOST_LUXELS;
    if (usable) {
        surface->lit_by = LIT_BY_LUXELS;
        surface->luxels = arrlenu(mesh->luxels);
        surface->width = image->width;
        surface->height = image->height;
        add_luxels(image, mesh);
    }
    ppl_free(&ppl);
    return usable;
}

void texel_light_place(const float uv[3][2], const struct surface *surface, float st[3][2])
{
    for (int i = 0; i < 2; i++) {
        float least = fminf(fminf(uv[0][i], uv[1][i]), uv[2][i]);
        int side = i ? surface->height : surface->width;
        for (int k = 0; k < 3; k++)
            st[k][i] = (uv[k][i] - floorf(least)) * (float)side - 0.5f;
    }
}
