/* Internal: glTF 2.0, https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html */
#ifndef EXPORT_GLTF_GLTF_H
#define EXPORT_GLTF_GLTF_H

#include "export/model/model.h"

/* Appends the files; `file` as in struct export_source. Fails (reported) when a file would be too
 * large. */
NODISCARD enum status gltf_write(const struct env *env, const struct export_model *scene,
                                 const char *file, bool binary, struct export_file **files);

#endif
