/* Veils: surfaces that let a part of the light through, by the alpha of their texture: grates,
 * fences and leaves with holes, and panes that tint.
 *
 * A texel of an alpha-tested material stops light or does not. A translucent one of alpha a and a
 * material of mean colour c lets 1 - a (1 - c) of each channel pass. Veils stand beside the solids
 * in the scene: who asks for the solids alone does not meet them. */
#ifndef VRAD_SCENE_VEIL_H
#define VRAD_SCENE_VEIL_H

#include "common/assets/assets.h"
#include "common/trace/trace.h"
#include "vrad/scene/scene_triangle.h"
#include "vrad/scene/shadow_exceptions.h"

struct scene;

/* Where the textures come from. */
struct veil_source {
    struct assets *assets;
    const struct shadow_exceptions *exceptions; /* or NULL */
};

struct veil_texture {
    char *name;
    int width, height;    /* 0: the material casts no texture shadow */
    unsigned char *alpha; /* heap */
    bool tested;          /* holes, not tint */
    unsigned char min;    /* tested: the least alpha that stops light */
    float opacity;        /* factor of the alpha, else */
    float colour[3];
};

struct veil_triangle {
    struct scene_triangle surface; /* what a ray lands on */
    int texture;
    int prop;           /* whose it is; -1: of no static prop */
    float u, v;         /* texture coordinates of the first corner, 1 is the whole texture */
    float du[2], dv[2]; /* what the coordinates of a hit add */
};

struct veils {
    struct veil_texture *textures;   /* stb_ds array */
    struct veil_triangle *triangles; /* stb_ds array, by the numbers of TRACE_ALPHA_SHADOW */
};

/* The texture of a material, loaded once; -1 when the material hides all or nothing, as one does
 * that is missing, has no alpha or is named noshadow. A texture that should be there and is not is
 * reported. `colour` is the mean colour of the material. */
int veil_texture_of(const struct env *env, const struct veil_source *source, struct veils *veils,
                    const char *material, const float colour[3]);

/* Adds a triangle before trace_build: positions are 9 floats, uv the texture coordinates of its
 * corners, st those in luxels (NULL: SCENE_BLANK). */
void veil_add(struct scene *scene, int texture, int face, const float positions[9],
              const float uv[3][2], const float (*st)[2], const float normal[3]);
/* The same of a static prop, with nothing of its light known. */
void veil_add_of_prop(struct scene *scene, int texture, int prop, const float positions[9],
                      const float uv[3][2], const float normal[3]);

void veils_free(struct veils *veils);

/* What the veils let pass of each ray of `valid`, up to its `far` or the map's sky: 3 channels.
 * Returns the lanes that meet any. */
uint32_t veils_pass16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                      bool to_sky, float pass[3][TRACE_PACKET]);

/* The same with the veils of one prop left out; -1: of none. */
uint32_t veils_pass_but16(const struct scene *scene, const struct trace_packet *packet,
                          uint32_t valid, bool to_sky, int prop, float pass[3][TRACE_PACKET]);

/* The lanes of `valid` that get through: each ray as a whole, by chance, as often as light does.
 * The chance is a hash of the ray. Stopped ones tell in stops[lane] the triangle and where on it
 * (may be NULL). */
uint32_t veils_chance16(const struct scene *scene, const struct trace_packet *packet,
                        uint32_t valid, bool to_sky, struct trace_hit stops[TRACE_PACKET]);
uint32_t veils_chance_but16(const struct scene *scene, const struct trace_packet *packet,
                            uint32_t valid, bool to_sky, int prop,
                            struct trace_hit stops[TRACE_PACKET]);

#endif
