/* Any bytes as a BSP that is rendered: refused with a report, or drawn. */
#include <stdint.h>

#include "render/render.h"
#include "tests/fuzz/fuzz_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct env *env, const struct render *render, const struct bsp *bsp)
{
    struct scene_view view = {.eye = vec3(64, 64, 64), .angles = vec3(20, 30, 0)};
    (void)env;
    (void)bsp;
    scene_start_view(&render->scene, &view);
    memory_free(render_draw(render, &view));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scene(data, size, draw);
    return 0;
}
