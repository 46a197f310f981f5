/* Any bytes as a BSP that is opened for pictures: refused with a report, or used. */
#ifndef TESTS_FUZZ_SCENE_H
#define TESTS_FUZZ_SCENE_H

#include "common/bsp/codec/format.h"
#include "common/core/memory.h"
#include "render/render.h"

enum { FUZZ_SCENE_BYTES = 1 << 20, FUZZ_SCENE_PIXELS = 8 };

typedef void fuzz_scene_use(const struct env *env, const struct render *render,
                            const struct bsp *bsp);

static inline void fuzz_scene(const uint8_t *data, size_t size, fuzz_scene_use *use)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .threads = 1, .fs = fs_memory_new()};
    const struct assets_options none = {0};
    struct render_options options = render_defaults;
    struct bsp *bsp = NULL;
    struct assets *assets = NULL;
    struct render *render = NULL;
    options.width = options.height = FUZZ_SCENE_PIXELS;
    options.samples = 1;
    if (size <= FUZZ_SCENE_BYTES && bsp_decode(data, size, "fuzz", diag, &bsp) == STATUS_OK) {
        if (assets_open(&env, &none, &assets) != STATUS_OK)
            __builtin_trap();
        if (render_open(&env, assets, bsp, &options, &render) == STATUS_OK)
            use(&env, render, bsp);
        else if (diag_count(diag, DIAG_ERROR) == 0)
            __builtin_trap();
    }
    render_close(render);
    assets_free(assets);
    bsp_free(bsp);
    fs_memory_free(env.fs);
    diag_free(diag);
}

#endif
