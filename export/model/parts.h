/* Internal: meshes in the making. Corners that are equal become one vertex. */
#ifndef EXPORT_MODEL_PARTS_H
#define EXPORT_MODEL_PARTS_H

#include "export/model/model.h"

struct part_row {
    int key, value;
};

struct corner_row {
    struct corner_key {
        int part;
        struct export_vertex vertex;
    } key;
    uint32_t value;
};

struct export_parts {
    struct export_part *parts; /* stb_ds array */
    struct part_row *by_material;
    struct corner_row *corners;
};

/* Adds a triangle. Numbers that are not finite become 0, and normals have unit length. */
void export_parts_add(struct export_parts *builder, int material,
                      const struct export_vertex corners[3]);

/* Appends the mesh to the scene and returns its number, -1 when it is empty; *builder is empty
 * afterwards. */
int export_parts_finish(struct export_parts *builder, const char *name, struct export_model *scene);

#endif
