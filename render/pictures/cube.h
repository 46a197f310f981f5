/* Pictures of all that is around a place, for cubemaps: six faces, as vtf_cube.h has them. */
#ifndef RENDER_PICTURES_CUBE_H
#define RENDER_PICTURES_CUBE_H

#include "render/render.h"

enum { RENDER_CUBE_FACES = 6 };

/* Draws the faces around `eye`, each of side * side pixels of linear light (render_light) with
 * options->samples rays a pixel. The same for any number of threads. */
void render_cube(const struct render *render, const struct render_options *options, int side,
                 struct vec3 eye, float (*const faces[RENDER_CUBE_FACES])[4]);

/* Draws the faces of the sky alone, which has no place. Light of maps without HDR is at most
 * white. */
void render_sky_cube(const struct render *render, int side,
                     float (*const faces[RENDER_CUBE_FACES])[4]);

#endif
