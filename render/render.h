/* Pictures of compiled maps: what a player would see, by their lightmaps.
 *
 * Faces, displacements and brush entities have their textures where those are at hand (the map's
 * packed files, the assets), else the mean colour that the map tells; static props have the light
 * of their texels or vertices, or that of the air around them and of lamps; water and glass are
 * see-through, and the sky has the colour of its light. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct render_view {
    struct vec3 eye, angles; /* pitch (down is positive), yaw, roll in degrees */
};

struct render_options {
    int width, height; /* pixels, 1 .. RENDER_SIDE */
    int samples;       /* a pixel */
    double fov;        /* degrees across the picture */
    bool lightmap_only;
    bool hdr;        /* take the HDR light, if the map has any */
    double exposure; /* what light is multiplied by; 0: 1 for LDR, found by the picture for HDR */
};

enum { RENDER_SIDE = 8192 };

extern const struct render_options render_defaults;

struct render;

/* Prepares a map for pictures. bsp and assets are borrowed until render_close; the map's packed
 * files are mounted in the assets, which are to be freed before it. A map without light
 * or textures is told of. Fails when there is nothing to draw. */
NODISCARD enum status render_open(const struct env *env, struct assets *assets,
                                  const struct bsp *bsp, const struct render_options *options,
                                  struct render **out);
void render_close(struct render *render);

/* From text: x y z, or with pitch and yaw, and roll; also as the game's getpos prints it: "setpos x
 * y z;setang pitch yaw roll". False when it is none of these. */
bool render_read_view(const char *text, struct render_view *out);

/* From the eyes of a player who spawns. False when the map has no place for that. */
bool render_start_view(const struct render *render, struct render_view *out);

/* 3 * width * height bytes, from memory_alloc, row after row from the top. The same for any number
 * of threads. */
unsigned char *render_draw(const struct render *render, const struct render_view *view);

#endif
