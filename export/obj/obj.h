/* Internal: Wavefront OBJ with its file of materials. */
#ifndef EXPORT_OBJ_OBJ_H
#define EXPORT_OBJ_OBJ_H

#include "export/model/model.h"

/* Appends the files; `file` as in struct export_source. Meshes are at the places of their nodes;
 * v of texture coordinates grows upwards. */
void obj_write(const struct export_model *scene, const char *file, struct export_file **files);

#endif
