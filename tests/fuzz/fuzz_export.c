/* Any bytes as a Quake 3 map that is turned back into a .map, in each of its forms, and into
 * models, and that is moved: the result is a map. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/convert/transform.h"
#include "common/bsp/engine.h"
#include "common/bsp/export/map_export.h"
#include "common/bsp/export/mesh_export.h"
#include "common/core/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More curves than these take long, and are as others. */
enum { MAX_PATCHES = 64 };

static void export_maps(const struct bsp *bsp, struct diag *diag)
{
    for (int form = 0; form < 3; form++) {
        const struct map_export_options options = {.form = (enum map_form)form};
        struct map_export_counts counts;
        struct bytes out = {0};
        (void)!map_export(bsp, &options, "map", diag, &out, &counts);
        bytes_free(&out);
    }
}

static void export_models(const struct bsp *bsp, struct diag *diag)
{
    const struct mesh_export_options options = {.with_lightmaps = arrlen(bsp->surfaces) % 2,
                                                .lightmaps = "map"};
    struct mesh_export_counts counts;
    struct bytes obj = {0}, mtl = {0}, ase = {0};
    (void)!obj_export(bsp, &options, "map.mtl", "map", diag, &obj, &mtl, &counts);
    (void)!ase_export(bsp, &options, "map", diag, &ase, &counts);
    bytes_free(&obj);
    bytes_free(&mtl);
    bytes_free(&ase);
}

static void move(struct bsp *bsp, struct diag *diag)
{
    const struct bsp_transform by = {{{{0.5, 2, 1.5}}}, {{{64, -1, 0.25}}}};
    struct bytes file = {0};
    struct bsp *again = NULL;
    if (bsp_transform(bsp, &by, "map", diag) == STATUS_OK &&
        bsp_encode(bsp, NULL, "map", diag, &file) == STATUS_OK)
        (void)!bsp_decode(file.data, file.size, "map", diag, &again);
    bsp_free(again);
    bytes_free(&file);
}

static bool is_small(const struct bsp *bsp)
{
    int patches = 0;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        patches += bsp->surfaces[i].type == SURFACE_PATCH;
    return patches <= MAX_PATCHES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    if (bsp_decode(data, size, "map", diag, &bsp) == STATUS_OK &&
        bsp->engine->family == ENGINE_QUAKE3) {
        export_maps(bsp, diag);
        if (is_small(bsp))
            export_models(bsp, diag);
        move(bsp, diag);
    }
    bsp_free(bsp);
    diag_free(diag);
    return 0;
}
