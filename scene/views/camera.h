/* Rays of a picture's pixels, and where points of the map are in it. */
#ifndef SCENE_VIEWS_CAMERA_H
#define SCENE_VIEWS_CAMERA_H

#include "common/geom/transform.h"
#include "scene/views/scene_view.h"

struct camera {
    struct transform place; /* its axes: forward, left, up */
    double scale;           /* of a pixel: at distance 1, or in units if parallel */
    double middle[2];       /* of the picture, in pixels */
    bool parallel;
    bool outside; /* scene_view */
};

/* The camera of a picture of this size in pixels; `fov` is its horizontal angle in degrees, which a
 * parallel projection does not have. */
struct camera camera_of(const struct scene_view *view, int width, int height, double fov);

/* The ray through a point of the picture, in pixels from its top left corner. Its direction is a
 * unit vector. */
void camera_ray(const struct camera *camera, double x, double y, struct vec3 *origin,
                struct vec3 *direction);

/* Computes x and y of a point in the picture, and its depth along the view direction. Returns false
 * when it is behind the camera; then x and y are undefined. */
bool camera_project(const struct camera *camera, struct vec3 point, double out[3]);

#endif
