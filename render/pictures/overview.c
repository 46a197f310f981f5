#include "render/pictures/overview.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "scene/scene.h"

/* The eye is above the highest surface. */
#define ABOVE 1.0

struct overview overview_of(const struct bounds *bounds, double border, int width, int height)
{
    struct vec3 middle = bounds_center(bounds), size = vec3_sub(bounds->maxs, bounds->mins);
    double free = 1 - 2 * border;
    double scale = portable_fmax(size.x / width, size.y / height) / free;
    struct overview overview = {.scale = scale > 0 ? scale : 1};
    overview.view = (struct scene_view){
        .eye = vec3(middle.x, middle.y, bounds->maxs.z + ABOVE),
        .angles = vec3(90, 90, 0),
        .span = overview.scale * width,
        .outside = true,
    };
    overview.left = middle.x - overview.scale * width / 2;
    overview.top = middle.y + overview.scale * height / 2;
    return overview;
}

static bool is_in_skybox(const struct render *render, struct vec3 point)
{
    const struct bsp *bsp = render->scene.bsp;
    return render->scene.skybox.present &&
           bsp->leaves[bsp_leaf_at(bsp, 0, point)].area == render->scene.skybox.area;
}

struct bounds overview_bounds(const struct render *render)
{
    struct bounds bounds = bounds_empty();
    size_t count;
    const float *corners = trace_positions(render->scene.mesh.trace, TRACE_FACE, &count);
    for (size_t i = 0; i < count; i++, corners += 9) {
        const struct triangle *triangle = &render->scene.mesh.triangles[i];
        struct vec3 middle = vec3(0, 0, 0);
        for (int k = 0; k < 3; k++)
            middle = vec3_mad(middle, vec3_from_floats(corners + 3 * k), 1.0 / 3);
        if (is_in_skybox(render, vec3_add(middle, vec3_from_floats(triangle->normal))))
            continue;
        for (int k = 0; k < 3; k++)
            bounds_add_point(&bounds, vec3_from_floats(corners + 3 * k));
    }
    return bounds_is_empty(&bounds) ? map_scene_bounds(&render->scene) : bounds;
}
