/* Lines and marks in a picture at places of the map, with those behind a surface fainter. */
#ifndef RENDER_OVERLAY_OVERLAY_H
#define RENDER_OVERLAY_OVERLAY_H

#include "render/render.h"
#include "scene/images/canvas.h"
#include "scene/views/camera.h"
#include "scene/views/first_hit.h"

/* The surface in the middle of a pixel. */
struct overlay_pixel {
    float distance;    /* from the origin of its ray */
    uint32_t triangle; /* NO_TRIANGLE: sky or nothing */
};

#define NO_TRIANGLE UINT32_MAX

struct overlay {
    const struct render *render;
    struct canvas canvas;
    struct camera camera;
    struct overlay_pixel *pixels;
    int text; /* scale of text */
};

/* Takes ownership of the pixels, which render_draw_as or canvas_new has made with these options. */
void overlay_open(const struct render *render, const struct render_options *options,
                  const struct scene_view *view, unsigned char *pixels, struct overlay *out);
/* Frees all but the canvas, which it returns. */
struct canvas overlay_close(struct overlay *overlay);

/* Computes where a point is in the picture. Returns false when it is behind the camera. */
bool overlay_place(const struct overlay *overlay, struct vec3 point, double out[2]);

/* Returns whether the point is before all surfaces of its pixel. False outside of the picture. */
bool overlay_shows(const struct overlay *overlay, struct vec3 point);

/* A line between points of the map; where it is hidden, dashed and faint, or not at all. */
enum overlay_hidden { HIDDEN_DASHED, HIDDEN_NONE };
void overlay_line(struct overlay *overlay, struct vec3 from, struct vec3 to, double width,
                  enum overlay_hidden hidden, struct ink ink);

/* The ray of the middle of a pixel, and the distance of a point from its origin. */
void overlay_ray(const struct overlay *overlay, int x, int y, struct vec3 *origin,
                 struct vec3 *direction);

#endif
