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

struct export_settings {
    double scale;     /* length of a unit of the map: 0.0254, metres in an inch */
    int texture_size; /* larger images are stored at half their size, or a quarter ... */
    int quality;      /* of images without transparency, which are JPEGs: 1 .. 100 */
    int pages;        /* enum export_pages */
    bool sky;         /* with the surfaces of the sky */
};

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
