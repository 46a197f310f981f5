/* Pictures of compiled maps, lit by their lightmaps.
 *
 * Faces, displacements and brush entities have their textures if these are found (the map's
 * packed files, the assets), else the mean colour stored in the map. Static props have the light
 * of their texels or vertices, else the ambient light around them and that of lights. Water and
 * glass are translucent, and the sky has the colour of its light. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct render_view {
    struct vec3 eye, angles; /* pitch (down is positive), yaw, roll in degrees */
    double span;  /* > 0: a parallel projection, this many units wide, of what is before the eye */
    bool outside; /* the map is seen from outside: grey around it instead of sky */
};

/* How lightmaps of Source are shown between luxels: the games of 2024 and later filter them by a
 * cubic B-spline, others bilinearly. */
enum light_filter { LIGHT_BILINEAR, LIGHT_BICUBIC };
extern const char *const light_filter_names[];

/* The light that the filter finds outside of a face's own lightmap, where games have the luxels of
 * other faces: its outermost luxels, or a colour that shows where it reads them. */
enum foreign_luxels { FOREIGN_NONE, FOREIGN_BLACK, FOREIGN_WHITE };
extern const char *const foreign_luxels_names[];

struct render_options {
    int width, height; /* in pixels, 1 .. RENDER_SIDE */
    int samples;       /* per pixel */
    double fov;        /* horizontal, in degrees */
    bool lightmap_only;
    int filter;       /* enum light_filter */
    int foreign;      /* enum foreign_luxels */
    bool tools;       /* with the surfaces that games do not draw */
    bool hdr;         /* use the HDR light, if the map has any */
    double exposure;  /* factor for light; 0: 1 for LDR, automatic for HDR */
    const char *file; /* of the map, for messages where there are several; or NULL */
};

enum { RENDER_SIDE = 8192 };

extern const struct render_options render_defaults;

struct render;

/* Prepares a map for pictures. bsp and assets are borrowed until render_close; the map's packed
 * files are mounted in the assets, so free these first. Reports a map without light or textures.
 * Fails when there is nothing to draw. */
NODISCARD enum status render_open(const struct env *env, struct assets *assets,
                                  const struct bsp *bsp, const struct render_options *options,
                                  struct render **out);
void render_close(struct render *render);

/* Parses "x y z", with pitch and yaw, or with pitch, yaw and roll; also the output of the game's
 * getpos: "setpos x y z;setang pitch yaw roll". Returns false for anything else. */
bool render_read_view(const char *text, struct render_view *out);

/* The view of a player at the first spawn point that is in the open, turned to where it sees most
 * if a wall is before it. Without one the place and direction that see most. Returns false when
 * nothing is seen from anywhere. */
bool render_start_view(const struct render *render, struct render_view *out);

/* The views of all spawn points that are in the open, in the order of the map, turned in the same
 * way: an stb_ds array. */
struct render_view *render_spawn_views(const struct render *render);

/* True inside of walls, and outside of a sealed map. */
bool render_is_solid_at(const struct render *render, struct vec3 point);

/* Returns 3 * width * height bytes, from memory_alloc, rows from the top. The same for any
 * number of threads. */
unsigned char *render_draw(const struct render *render, const struct render_view *view);

/* The same with the size, samples, field of view and exposure of other options than those of
 * render_open. */
unsigned char *render_draw_as(const struct render *render, const struct render_options *options,
                              const struct render_view *view);

/* Returns the options that the map was opened with. */
const struct render_options *render_options_of(const struct render *render);

const struct engine *render_engine(const struct render *render);

/* The box around all that is drawn. */
struct bounds render_bounds(const struct render *render);

#endif
