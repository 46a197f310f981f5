/* Any bytes as a Quake 3 map: refused with a report, or safe to query, to follow from list to list,
 * to verify and to write; and its lists alone are written the same twice. */
#include <stdint.h>

#include "common/bsp/engine.h"
#include "tests/support/bsp_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Follows all references of surfaces, brushes and models. */
static int follow(const struct bsp *bsp)
{
    int sum = 0;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        const struct bsp_surface *surface = &bsp->surfaces[i];
        const struct bsp_draw_vertex *vertices = &bsp->draw_vertices[surface->first_vertex];
        for (int k = 0; k < surface->index_count; k++)
            sum += vertices[bsp->draw_indices[surface->first_index + k]].colour[0];
        for (int64_t k = 0; surface->type == SURFACE_PATCH &&
                            k < (int64_t)surface->patch_size[0] * surface->patch_size[1];
             k++)
            sum += vertices[k].colour[1];
        sum += bsp->shaders[surface->shader].contents & 1;
    }
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        for (int k = 0; k < bsp->brushes[i].side_count; k++) {
            const struct bsp_brush_side *side = &bsp->brush_sides[bsp->brushes[i].first_side + k];
            sum += bsp->planes[side->plane].type + (bsp->shaders[side->texinfo].contents & 1);
        }
    for (size_t i = 0; i < arrlenu(bsp->effects); i++)
        if (bsp->effects[i].brush >= 0)
            sum ^= bsp->brushes[bsp->effects[i].brush].side_count;
    return sum;
}

/* Written as a new file, read, and written again. */
static void check_canonical(struct bsp *bsp, struct diag *diag)
{
    struct bytes once = {0}, twice = {0};
    struct bsp *again = NULL;
    bsp->layout.count = 0;
    if (bsp_encode(bsp, NULL, "once", diag, &once) == STATUS_OK) {
        if (bsp_decode(once.data, once.size, "again", diag, &again) != STATUS_OK)
            __builtin_trap();
        again->layout.count = 0;
        if (bsp_encode(again, NULL, "twice", diag, &twice) != STATUS_OK ||
            once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
            __builtin_trap();
    }
    bsp_free(again);
    bytes_free(&once);
    bytes_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    if (!bsp_exercise(data, size))
        __builtin_trap();
    if (bsp_decode(data, size, "map", diag, &bsp) == STATUS_OK &&
        bsp->engine->family == ENGINE_QUAKE3) {
        volatile int sum = follow(bsp);
        (void)sum;
        check_canonical(bsp, diag);
    }
    bsp_free(bsp);
    diag_free(diag);
    return 0;
}
