/* The scene of a compiled map: surfaces with their materials and their light, the sky, the 3D
 * skybox and the entities. Pictures, pages and models draw it or write it.
 *
 * Faces, displacements and brush entities have their textures if these are found (the map's
 * packed files, the assets), else the mean colour stored in the map. Static props have the light
 * of their texels or vertices, else the ambient light around them and that of lights. Water and
 * glass are translucent, and the sky has the colour of its light. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "common/assets/assets.h"
#include "scene/light/ambient.h"
#include "scene/light/fog.h"
#include "scene/light/sky.h"
#include "scene/mesh/mesh.h"

/* How lightmaps of Source are shown between luxels: the games of 2024 and later filter them by a
 * cubic B-spline, others bilinearly. */
enum light_filter { LIGHT_BILINEAR, LIGHT_BICUBIC };
extern const char *const light_filter_names[];

/* The light that the filter finds outside of a face's own lightmap, where games have the luxels of
 * other faces: its outermost luxels, or a colour that shows where it reads them. */
enum foreign_luxels { FOREIGN_NONE, FOREIGN_BLACK, FOREIGN_WHITE };
extern const char *const foreign_luxels_names[];

struct scene_options {
    bool lightmap_only;  /* surfaces are white */
    int filter;          /* enum light_filter */
    int foreign;         /* enum foreign_luxels */
    bool tools;          /* with the surfaces that games do not draw */
    bool dull;           /* materials reflect no cubemaps */
    bool hdr;            /* use the HDR light, if the map has any */
    bool moves_vertices; /* shaders of Quake 3 move vertices at that moment: */
    double seconds;      /* the moment that shaders of Quake 3 show, from the start of the game */
    const char *file;    /* of the map, for messages where there are several; or NULL */
};

/* The 3D skybox (sky_camera). */
struct map_skybox {
    bool present;
    struct vec3 origin; /* of the sky_camera */
    double scale;
    int area;
};

struct map_scene {
    const struct env *env; /* borrowed, as is the map */
    const struct bsp *bsp;
    struct scene_options options;
    struct entity_list entities;
    struct scene_materials materials;
    struct mesh mesh;
    const struct bsp_light_set *light; /* of the map */
    struct light *lights;              /* stb_ds array */
    struct sky sky;
    struct fog_volume *fogs;       /* stb_ds array: of each effect of the map */
    const struct sky_box *sky_box; /* of most surfaces of the sky, or NULL: `sky` is shown */
    struct sky_sides hdr_sky;      /* in the place of its images, in HDR light; or without sides */
    struct map_skybox skybox;
    struct map_cubemap *cubemaps; /* stb_ds array: those that materials may reflect */
    bool dull;                    /* they reflect nothing now: at first as the options say */
};

/* Makes the scene of a map. bsp and assets are borrowed until map_scene_close; the map's packed
 * files are mounted in the assets, so free these first. Reports a map without light or textures.
 * Fails when there is nothing to draw; close it also then. */
NODISCARD enum status map_scene_open(const struct env *env, struct assets *assets,
                                     const struct bsp *bsp, const struct scene_options *options,
                                     struct map_scene *scene);
void map_scene_close(struct map_scene *scene);

/* True when it is shown in the light of high dynamic range. */
static inline bool scene_is_hdr(const struct map_scene *scene)
{
    return scene->light == &scene->bsp->hdr;
}

/* The box around all that is drawn. */
struct bounds map_scene_bounds(const struct map_scene *scene);

#endif
