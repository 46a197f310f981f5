/* Writes what a compiled Quake 3 map draws as a model: OBJ with its materials, or ASE. */
#ifndef BSP_EXPORT_MESH_EXPORT_H
#define BSP_EXPORT_MESH_EXPORT_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

/* Returns the file of the image of a shader, or the name of the shader without one. */
typedef const char *mesh_image_name(void *context, const char *shader);

struct mesh_export_options {
    mesh_image_name *image_name; /* NULL: the name of the shader stands for its image */
    void *context;
    /* Texture coordinates are those of lightmaps, and there is a material per page: lm_0000 and so
     * on, with images in the folder `lightmaps`. */
    bool with_lightmaps;
    const char *lightmaps;
};

struct mesh_export_counts {
    size_t surfaces, triangles, vertices;
};

/* Append the model, in the axes and units of the map; brush entities are at their place. Sides of
 * tools, and flares, are left out; patches are in triangles. Faces are counter-clockwise seen from
 * the front, and v grows upwards, as the formats want it. Fail (reported) when the entities of the
 * BSP are not valid text. `library` is the name of the file of materials. */
NODISCARD enum status obj_export(const struct bsp *bsp, const struct mesh_export_options *options,
                                 const char *library, const char *name, struct diag *diag,
                                 struct bytes *obj, struct bytes *mtl,
                                 struct mesh_export_counts *counts);
NODISCARD enum status ase_export(const struct bsp *bsp, const struct mesh_export_options *options,
                                 const char *name, struct diag *diag, struct bytes *out,
                                 struct mesh_export_counts *counts);

#endif
