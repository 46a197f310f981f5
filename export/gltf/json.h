/* Internal: the parts of a glTF file that say what there is. */
#ifndef EXPORT_GLTF_JSON_H
#define EXPORT_GLTF_JSON_H

#include "export/gltf/buffer.h"
#include "export/model/model.h"

/* Sets a member of an object unless the array is empty, which glTF does not allow; takes it. */
void gltf_set_list(json_t *object, const char *name, json_t *array);

json_t *gltf_meshes(const struct export_model *scene, struct gltf_buffer *buffer);
/* Sets materials, textures and samplers. */
void gltf_set_materials(const struct export_model *scene, json_t *root);
/* Sets scene, scenes, nodes and lights. */
void gltf_set_nodes(const struct export_model *scene, json_t *root);

#endif
