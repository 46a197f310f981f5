#include "render/pictures/overview.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/transform.h"
#include "scene/scene.h"

#define RADIANS (PI / 180)

/* Degrees: the first direction, and down. */
#define FIRST_YAW 45.0
#define PITCH     35.0

/* Free space around the map, as a part of the distance. */
#define MARGIN 1.04

static double yaw_of(int index, int count)
{
    return FIRST_YAW + 360.0 * index / count;
}

static struct transform axes_of(double yaw)
{
    return transform_from_angles(vec3(0, 0, 0), vec3(PITCH, yaw, 0), 1);
}

/* Returns the distance from the middle at which all corners of the box are in the picture. */
static double distance_of(const struct bounds *bounds, const struct render_options *options,
                          double yaw)
{
    const struct transform axes = axes_of(yaw);
    double width = portable_tan(options->fov / 2 * RADIANS), distance = 0;
    double height = width * options->height / options->width;
    for (int i = 0; i < 8; i++) {
        struct vec3 corner = vec3_sub(vec3(i & 1 ? bounds->maxs.x : bounds->mins.x,
                                           i & 2 ? bounds->maxs.y : bounds->mins.y,
                                           i & 4 ? bounds->maxs.z : bounds->mins.z),
                                      bounds_center(bounds));
        double needed = portable_fmax(fabs(vec3_dot(corner, axes.axes[1])) / width,
                                      fabs(vec3_dot(corner, axes.axes[2])) / height);
        distance = portable_fmax(distance, needed - vec3_dot(corner, axes.axes[0]));
    }
    return MARGIN * distance;
}

struct scene_view turntable_view(const struct bounds *bounds, const struct render_options *options,
                                 int index, int count)
{
    double yaw = yaw_of(index, count), distance = 0;
    for (int i = 0; i < count; i++)
        distance = portable_fmax(distance, distance_of(bounds, options, yaw_of(i, count)));
    const struct transform axes = axes_of(yaw);
    return (struct scene_view){.eye = vec3_mad(bounds_center(bounds), axes.axes[0], -distance),
                               .angles = vec3(PITCH, yaw >= 180 ? yaw - 360 : yaw, 0),
                               .outside = true};
}

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
