/* Any bytes as a BSP that is rendered: refused with a report, or drawn. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/core/memory.h"
#include "render/render.h"

enum { PIXELS = 8, MAX_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct render *render)
{
    struct render_view view = {.eye = vec3(64, 64, 64), .angles = vec3(20, 30, 0)};
    render_start_view(render, &view);
    memory_free(render_draw(render, &view));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .threads = 1, .fs = fs_memory_new()};
    const struct assets_options none = {0};
    struct render_options options = render_defaults;
    struct bsp *bsp = NULL;
    struct assets *assets = NULL;
    struct render *render = NULL;
    options.width = options.height = PIXELS;
    options.samples = 1;
    if (size <= MAX_BYTES && bsp_decode(data, size, "fuzz", diag, &bsp) == STATUS_OK) {
        if (assets_open(&env, &none, &assets) != STATUS_OK)
            __builtin_trap();
        if (render_open(&env, assets, bsp, &options, &render) == STATUS_OK)
            draw(render);
        else if (diag_count(diag, DIAG_ERROR) == 0)
            __builtin_trap();
    }
    render_close(render);
    assets_free(assets);
    bsp_free(bsp);
    fs_memory_free(env.fs);
    diag_free(diag);
    return 0;
}
