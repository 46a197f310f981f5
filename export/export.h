/* A compiled map as a model for other programs: glTF 2.0 or OBJ. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "scene/scene.h"

enum export_form {
    EXPORT_GLB,  /* one file */
    EXPORT_GLTF, /* with the buffer and images beside */
    EXPORT_OBJ,  /* with materials and images beside */
};

/* How the pages of light are stored. */
enum export_pages {
    EXPORT_PAGES_PNG,  /* sRGB, light up to 4 */
    EXPORT_PAGES_RGBM, /* linear, times alpha, light up to 64 */
    EXPORT_PAGES_NONE,
};

extern const char *const export_page_forms[]; /* ends with NULL */

/* Light in the colours of the model, whose materials are unlit then. */
enum export_bake {
    EXPORT_BAKE_NONE,   /* it is beside, in pages of light */
    EXPORT_BAKE_ATLAS,  /* an image of all surfaces in their light, in the place of textures */
    EXPORT_BAKE_VERTEX, /* colours of vertices; not of OBJ */
};

extern const char *const export_bake_forms[]; /* ends with NULL */

/* Units of the intensities of lights. */
enum export_light_units {
    EXPORT_LIGHT_UNITLESS, /* irradiance pi makes a white surface white */
    EXPORT_LIGHT_LUMENS,   /* as glTF asks: candela, and lux, of which a watt has 683 */
};

extern const char *const export_light_unit_names[]; /* ends with NULL */

struct export_settings {
    double scale;     /* length of a unit of the map: 0.0254, metres in an inch */
    int texture_size; /* larger images are stored at half their size, or a quarter ... */
    int quality;      /* of images without transparency, which are JPEGs: 1 .. 100 */
    int pages;        /* enum export_pages */
    bool sky;         /* with the surfaces of the sky */
    int bake;         /* enum export_bake; without pages unless it is EXPORT_BAKE_NONE */
    int bake_size;    /* of the atlas: pixels of a side, 1 .. EXPORT_BAKE_SIDE */
    double bake_step; /* of vertices: longest edge of a triangle, in units of the map; 0: 16, or as
                         many more as keep the model small */
    double exposure;  /* of baked light, a factor; 0: 1 for LDR, automatic for HDR */
    int light_units;  /* enum export_light_units */
};

enum { EXPORT_BAKE_SIDE = 8192 };

extern const struct export_settings export_defaults;

struct export_file {
    char *name; /* relative to the folder of the model: "map_textures/brick.jpg" */
    struct bytes data;
};

/* Input of export_write. */
struct export_source {
    const struct map_scene *scene; /* of the map */
    const char *name;              /* of the map, as shown */
    const char *file; /* name of the model without its ending; files beside begin with it */
};

struct export_counts {
    size_t nodes, meshes, triangles, vertices, materials, images, lights;
};

/* Appends the files to *files (an stb_ds array), the model last. The same bytes for the same map
 * and settings. Fails (reported) when there is too much for the form. */
NODISCARD enum status export_write(const struct env *env, const struct export_source *source,
                                   const struct export_settings *settings, enum export_form form,
                                   struct export_file **files, struct export_counts *counts);
void export_files_free(struct export_file *files);

#endif
