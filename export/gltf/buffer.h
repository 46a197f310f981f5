/* Internal: what the parts of a glTF file share: its binary buffer, with views of records of one
 * kind and accessors into them, and the lists of its JSON. */
#ifndef EXPORT_GLTF_BUFFER_H
#define EXPORT_GLTF_BUFFER_H

#include <jansson.h>

#include "common/core/bytes.h"
#include "export/model/model.h"

/* Kinds of views, in their order in the buffer; each image is a view of its own behind them. */
enum gltf_view {
    GLTF_INDICES_16,
    GLTF_INDICES_32,
    GLTF_POSITIONS,
    GLTF_NORMALS,
    GLTF_TEXTURE,
    GLTF_PAGE,
    GLTF_LIGHT,
    GLTF_COLOUR,
    GLTF_BLEND,
    GLTF_VIEWS
};

struct gltf_buffer {
    struct bytes views[GLTF_VIEWS];
    int numbers[GLTF_VIEWS]; /* of the view, by first use */
    int used[GLTF_VIEWS];    /* kinds by number */
    int count;
    struct bytes images;
    json_t *accessors, *image_views; /* the latter with offsets in `images` */
};

void gltf_buffer_open(struct gltf_buffer *buffer);
void gltf_buffer_free(struct gltf_buffer *buffer);

/* Adds an accessor of `count` records of floats, `stride` floats apart, and returns its number.
 * Positions have their bounds. */
int gltf_buffer_floats(struct gltf_buffer *buffer, enum gltf_view view, const float *from,
                       size_t count, size_t stride);
/* The same for indices into `vertices` vertices. */
int gltf_buffer_indices(struct gltf_buffer *buffer, const uint32_t *indices, size_t count,
                        size_t vertices);
/* Adds an image, and returns its number among the images. */
int gltf_buffer_image(struct gltf_buffer *buffer, const struct bytes *image);

/* The number of the view of an image. No other view may be added after it. */
int gltf_buffer_image_view(const struct gltf_buffer *buffer, int image);

/* Appends the bytes of all views, and their descriptions as an array. */
json_t *gltf_buffer_close(const struct gltf_buffer *buffer, struct bytes *out);

/* A number as text of glTF has it: in single precision. */
json_t *gltf_number(double value);
json_t *gltf_numbers(const float *values, size_t count);

/* --- the parts of a file that say what there is --- */

/* Sets a member of an object unless the array is empty, which glTF does not allow; takes it. */
void gltf_set_list(json_t *object, const char *name, json_t *array);

json_t *gltf_meshes(const struct export_model *scene, struct gltf_buffer *buffer);
/* Sets materials, textures and samplers. */
void gltf_set_materials(const struct export_model *scene, json_t *root);
/* Sets scene, scenes, nodes and lights. */
void gltf_set_nodes(const struct export_model *scene, json_t *root);

#endif
