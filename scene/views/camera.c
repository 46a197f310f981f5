#include "scene/views/camera.h"

#define RADIANS (PI / 180)

/* Nearer points have no place in a perspective picture. */
#define NEAREST 0.01

struct camera camera_of(const struct scene_view *view, int width, int height, double fov)
{
    struct camera camera = {
        .place = transform_from_angles(view->eye, view->angles, 1),
        .middle = {width / 2.0, height / 2.0},
        .parallel = view->span > 0,
        .outside = view->outside,
    };
    if (camera.parallel)
        camera.scale = view->span / width;
    else
        camera.scale = 2 * portable_tan(fov / 2 * RADIANS) / width;
    return camera;
}

void camera_ray(const struct camera *camera, double x, double y, struct vec3 *origin,
                struct vec3 *direction)
{
    double right = (x - camera->middle[0]) * camera->scale;
    double down = (y - camera->middle[1]) * camera->scale;
    *origin = camera->place.origin;
    if (camera->parallel) {
        *origin = transform_point(&camera->place, vec3(0, -right, -down));
        *direction = camera->place.axes[0];
    } else {
        *direction = vec3_normalize(transform_direction(&camera->place, vec3(1, -right, -down)));
    }
}

bool camera_project(const struct camera *camera, struct vec3 point, double out[3])
{
    struct vec3 way = vec3_sub(point, camera->place.origin);
    out[2] = vec3_dot(way, camera->place.axes[0]);
    if (!camera->parallel && out[2] < NEAREST)
        return false;
    double scale = camera->parallel ? camera->scale : camera->scale * out[2];
    out[0] = camera->middle[0] - vec3_dot(way, camera->place.axes[1]) / scale;
    out[1] = camera->middle[1] - vec3_dot(way, camera->place.axes[2]) / scale;
    return true;
}
