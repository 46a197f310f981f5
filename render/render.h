/* Pictures of compiled maps, lit by their lightmaps. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "scene/views/camera.h"

struct render_options {
    int width, height; /* in pixels, 1 .. RENDER_SIDE */
    int samples;       /* per pixel */
    double fov;        /* horizontal, in degrees */
    double exposure;   /* factor for light; 0: 1 for LDR, automatic for HDR */
    bool raise_dark;   /* exposure 0 is that of render_view_exposure for LDR */
    struct scene_options scene;
};

enum { RENDER_SIDE = 8192 };

/* The moment of the game that pictures show unless they are asked for another, in seconds. At its
 * start all that moves over a surface is where it began, and the layers of a sky are one. Waves of
 * a whole number of turns a second are as at the start. */
#define RENDER_MOMENT 7.0

extern const struct render_options render_defaults;

struct render {
    struct render_options options; /* that it was opened with */
    struct map_scene scene;
};

/* Prepares a map for pictures (scene/scene.h says what is borrowed, reported and fails). Close it
 * also after a failure. */
NODISCARD enum status render_open(const struct env *env, struct assets *assets,
                                  const struct bsp *bsp, const struct render_options *options,
                                  struct render **out);
void render_close(struct render *render);

/* Returns the factor for LDR light by which a view that is nearly black becomes one in which things
 * are seen: a power of 2^(1/4), from 1, which is that of all other views and of HDR light, to 16.
 */
double render_view_exposure(const struct render *render, const struct scene_view *view);

/* Returns 3 * width * height bytes, from memory_alloc, rows from the top. The same for any
 * number of threads. */
unsigned char *render_draw(const struct render *render, const struct scene_view *view);

/* The same with the size, samples, field of view and exposure of other options than those of
 * render_open. */
unsigned char *render_draw_as(const struct render *render, const struct render_options *options,
                              const struct scene_view *view);

/* Draws the light of a picture: width * height pixels of linear red, green and blue (1 is white,
 * HDR light is beyond it) and 1, rows from the top. No exposure scales it. Tells no progress: for
 * pictures of which there are many. */
void render_light(const struct render *render, const struct render_options *options,
                  const struct camera *camera, float (*pixels)[4]);

#endif
