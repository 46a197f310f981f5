/* The appearance of materials: their textures if these are found, else a single colour; and of
 * skies. */
#ifndef SCENE_MATERIALS_MATERIALS_H
#define SCENE_MATERIALS_MATERIALS_H

#include "common/assets/assets.h"
#include "common/assets/materials/sky_sides.h"
#include "common/geom/vec.h"
#include "scene/materials/layers.h"
#include "scene/materials/texture.h"
#include "scene/reflections/reflection.h"

/* Skies: a box of six images, and the clouds of Quake 3's shaders. */

struct sky_box {
    const struct texture *sides[SKY_SIDES]; /* all, or none but NULL */
    struct layer_list clouds;               /* the stages of the shader; may be empty */
    double cloud_height;                    /* in units, of a world with a radius of 4096 */
};

/* The brightness on the screen of a direction, 0 .. 1. `width`: of the sample, at distance 1. */
void sky_box_at(const struct sky_box *box, struct vec3 direction, double width, float out[3]);

/* The mean of light from above, and from the sides; 255 is white. */
void sky_box_means(const struct sky_box *box, double zenith[3], double horizon[3]);

/* The measuring grid of developer materials, whose textures only a game has. */

/* Sets the place on the grid, 1 being the whole image, at a point of a surface: it lies along the
 * axes of the map. */
void grid_place(struct vec3 point, struct vec3 normal, double uv[2]);

/* Returns the linear brightness of the grid from afar, by which a colour is divided that has the
 * grid on it. */
float grid_mean(const struct texture *grid);

/* Samples the brightness, whose mean is 1, at a point of a surface. `width` is the extent of the
 * sample, in units. */
float grid_at(const struct texture *grid, struct vec3 point, struct vec3 normal, double width);

struct scene_material {
    float colour[3];                     /* linear: in place of a texture, or its tint */
    float opacity;                       /* of the whole material, 0 .. 1 */
    const struct texture *base, *second; /* may be NULL; second is blended in on displacements */
    const struct texture *grid;          /* of a developer material without a texture; or NULL */
    const struct layer_list *layers;     /* of a shader that is more than its base; or NULL */
    const struct reflection *reflection; /* or NULL */
    bool has_colour;                     /* set by the material */
    bool found;                          /* the material exists */
    bool alpha_tested;                   /* texels with less than half opacity are discarded */
    bool translucent;                    /* blended by alpha */
    bool additive;                       /* added to what is behind, by alpha */
    bool unlit, water;
    bool mirrors; /* water that reflects what is above it, the more the flatter it is looked at */
};

/* How a surface is drawn; overlays over what they lie on, whatever their material. */
enum draw_kind { DRAW_OPAQUE, DRAW_MASKED, DRAW_BLENDED, DRAW_OVERLAY };

/* Of a surface with this material; `opacity` is that of its entity. */
enum draw_kind scene_material_draw_kind(const struct scene_material *material, float opacity);

struct texture_cache {
    char *key;
    struct texture *value;
};

struct cube_cache {
    char *key;
    struct cube *value;
};

struct material_cache {
    char *key;
    struct scene_material value;
};

/* Materials reflect nothing, or cubemaps of one kind of light. */
enum scene_reflects { REFLECTS_NOTHING, REFLECTS_LDR, REFLECTS_HDR };

struct scene_materials {
    const struct env *env;
    struct assets *assets;
    struct diag *quiet; /* diagnostics of materials, which pictures do not report */
    struct arena arena;
    struct texture_cache *textures; /* stb_ds maps by normalised name */
    struct cube_cache *cubes;       /* of $envmap, but those of the map */
    struct material_cache *cache;
    struct texture *grid; /* NULL: not needed yet */
    enum scene_reflects reflects;
    const struct map_cubemap *cubemaps; /* of the map; borrowed */
    struct screen screen;
    double seconds;              /* the moment that shaders are shown at */
    size_t textured, untextured; /* materials with and without a texture */
    const char *first_untextured;
};

void scene_materials_open(const struct env *env, struct assets *assets, double seconds,
                          struct scene_materials *out);
void scene_materials_free(struct scene_materials *materials);

/* Returns a material; `colour` is used without a texture. */
struct scene_material scene_materials_find(struct scene_materials *materials, const char *name,
                                           const float colour[3]);

/* The same for a Quake 3 shader, as a BSP names it. */
struct scene_material scene_materials_find_shader(struct scene_materials *materials,
                                                  const char *shader, const float colour[3]);

/* Returns the sky of a shader, or NULL if it has no images. */
const struct sky_box *scene_materials_sky_of_shader(struct scene_materials *materials,
                                                    const char *shader);

/* Returns the sky of six materials of Source, as a map's "skyname" names them, or NULL if one or
 * its image is missing. */
const struct sky_box *scene_materials_sky(struct scene_materials *materials, const char *name);

#endif
