#include "render/render.h"

#include "common/core/memory.h"

const struct render_options render_defaults = {
    .width = 1280, .height = 720, .samples = 16, .fov = 90};

enum status render_open(const struct env *env, struct assets *assets, const struct bsp *bsp,
                        const struct render_options *options, struct render **out)
{
    struct render *render = memory_zalloc(1, sizeof *render);
    *out = render;
    render->options = *options;
    render->options.scene.moves_vertices = true;
    return map_scene_open(env, assets, bsp, &render->options.scene, &render->scene);
}

void render_close(struct render *render)
{
    if (!render)
        return;
    map_scene_close(&render->scene);
    memory_free(render);
}
