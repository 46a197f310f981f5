/* Any bytes as a BSP: one that can be read equals itself, and can be compared with a map that has
 * little in common with it, in both orders. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diff/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool compare(const struct bsp *a, const struct bsp *b, struct diag *diag, bool *same)
{
    static const char *const names[2] = {"a", "b"};
    struct bsp_diff_options options = bsp_diff_defaults();
    struct bsp_diff diff = {0};
    options.samples = 200;
    bool compared = bsp_diff(a, b, names, &options, diag, &diff) == STATUS_OK;
    *same = bsp_diff_is_same(&diff);
    bsp_diff_free(&diff);
    return compared;
}

/* Changes half of the records of each list. */
static void disturb(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->planes); i += 3)
        bsp->planes[i].dist += 7;
    for (size_t i = 0; i < arrlenu(bsp->vertices); i += 2)
        bsp->vertices[i].p[i % 3] -= 5;
    for (size_t i = 0; i < arrlenu(bsp->brushes); i += 2)
        bsp->brushes[i].contents ^= 5;
    for (size_t i = 0; i < arrlenu(bsp->faces); i += 2)
        bsp->faces[i].smoothing_groups++;
    for (size_t i = 0; i < arrlenu(bsp->ldr.worldlights); i += 2)
        bsp->ldr.worldlights[i].origin[0] += 9;
    for (size_t i = 0; i < arrlenu(bsp->displacements); i += 2)
        bsp->displacements[i].start[2] += 9;
    for (size_t i = 0; i < arrlenu(bsp->overlays); i += 2)
        bsp->overlays[i].face_count /= 2;
    for (size_t i = 0; i < bsp->ldr.lighting.size; i += 7)
        bsp->ldr.lighting.data[i]++;
    arrfree(bsp->entities);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *a = NULL, *b = NULL;
    bool same;
    if (bsp_decode(data, size, "a", diag, &a) == STATUS_OK &&
        bsp_decode(data, size, "b", diag, &b) == STATUS_OK) {
        if (compare(a, b, diag, &same) && !same)
            __builtin_trap();
        disturb(b);
        compare(a, b, diag, &same);
        compare(b, a, diag, &same);
    }
    bsp_free(a);
    bsp_free(b);
    diag_free(diag);
    return 0;
}
