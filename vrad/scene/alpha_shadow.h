/* Alpha shadows: surfaces that transmit a part of the light, by the alpha of their texture: grates,
 * fences and foliage with holes, and tinted panes.
 *
 * A texel of an alpha-tested material blocks light or does not. A translucent texel of alpha a, of
 * a material with mean colour c, transmits 1 - a (1 - c) of each channel. These triangles are a
 * class of their own in the scene: rays against solids do not hit them. */
#ifndef VRAD_SCENE_ALPHA_SHADOW_H
#define VRAD_SCENE_ALPHA_SHADOW_H

#include "common/assets/assets.h"
#include "common/trace/trace.h"
#include "vrad/scene/scene_triangle.h"
#include "vrad/scene/shadow_exceptions.h"

struct scene;

/* The source of textures. */
struct alpha_source {
    struct assets *assets;
    const struct shadow_exceptions *exceptions; /* or NULL */
};

struct alpha_texture {
    char *name;
    int width, height;    /* 0: the material casts no alpha shadow */
    unsigned char *alpha; /* heap */
    bool tested;          /* alpha-tested, not translucent */
    unsigned char min;    /* alpha-tested: minimum alpha that blocks light */
    float opacity;        /* translucent: factor of the alpha */
    float colour[3];
};

struct alpha_triangle {
    struct scene_triangle surface; /* for rays that stop on it */
    int texture;
    int prop;           /* static prop that it belongs to; -1: none */
    float u, v;         /* texture coordinates of the first corner; 1 is the whole texture */
    float du[2], dv[2]; /* gradients by the coordinates of a hit */
};

struct alpha_shadows {
    struct alpha_texture *textures; /* stb_ds array */
    struct alpha_triangle
        *triangles; /* stb_ds array, by the numbers of the class TRACE_ALPHA_SHADOW */
};

/* Returns the texture of a material, loaded once, or -1 when the material is fully opaque or
 * transparent, missing, without alpha or named by noshadow. A texture that cannot be loaded is
 * reported. `colour` is the mean colour of the material. */
int alpha_texture_of(const struct env *env, const struct alpha_source *source,
                     struct alpha_shadows *alpha_shadows, const char *material,
                     const float colour[3]);

/* Adds a triangle before trace_build: positions are 9 floats, uv the texture coordinates of its
 * corners, st those in luxels (NULL: SCENE_BLANK). */
void alpha_triangle_add(struct scene *scene, int texture, int face, const float positions[9],
                        const float uv[3][2], const float (*st)[2], const float normal[3]);
/* The same for a static prop, without luxels. */
void alpha_triangle_add_of_prop(struct scene *scene, int texture, int prop,
                                const float positions[9], const float uv[3][2],
                                const float normal[3]);

void alpha_shadows_free(struct alpha_shadows *alpha_shadows);

/* The transmittance of each ray of `valid`, up to its `far` or the map's sky: 3 channels. Returns
 * the lanes that hit any alpha triangle. */
uint32_t alpha_transmittance16(const struct scene *scene, const struct trace_packet *packet,
                               uint32_t valid, bool to_sky, float pass[3][TRACE_PACKET]);

/* The same without the triangles of one prop; -1: with all. */
uint32_t alpha_transmittance_except16(const struct scene *scene, const struct trace_packet *packet,
                                      uint32_t valid, bool to_sky, int prop,
                                      float pass[3][TRACE_PACKET]);

/* Stochastic alpha: the lanes of `valid` that pass, each as a whole, with the probability of their
 * transmittance. The random number is a hash of the ray. stops[lane] gets the hit of blocked rays
 * (may be NULL). */
uint32_t alpha_stochastic16(const struct scene *scene, const struct trace_packet *packet,
                            uint32_t valid, bool to_sky, struct trace_hit stops[TRACE_PACKET]);
uint32_t alpha_stochastic_except16(const struct scene *scene, const struct trace_packet *packet,
                                   uint32_t valid, bool to_sky, int prop,
                                   struct trace_hit stops[TRACE_PACKET]);

#endif
