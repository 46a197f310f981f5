/* A compiled map as the nodes, meshes, materials, images and lights that files of models have.
 *
 * Axes are those of glTF: y is up, and a direction (x, y, z) of the map is (x, z, -y). Lengths are
 * in metres, or in what the scale says. */
#ifndef EXPORT_MODEL_MODEL_H
#define EXPORT_MODEL_MODEL_H

#include "common/core/arena.h"
#include "common/geom/transform.h"
#include "common/text/entities.h"
#include "export/export.h"

/* Internal: from the axes and units of maps to those of models. */

/* A direction, or a normal. */
void export_direction(struct vec3 from, float out[3]);
void export_point(struct vec3 from, double units, float out[3]);

/* The rotation of a transform, whose axes are perpendicular and of unit length: x, y, z, w. */
void export_rotation(const struct transform *transform, float out[4]);

struct export_vertex {
    float position[3], normal[3];
    float uv[2];     /* over the texture; v grows downwards */
    float page[2];   /* over the page of light, 0 .. 1 */
    float light[3];  /* its own; 1 is white */
    float colour[3]; /* baked, linear: a factor for that of the material */
    float blend;     /* share of the material's second texture */
};

/* Triangles of one material; corners are counter-clockwise seen from the front. */
struct export_part {
    int material;
    struct export_vertex *vertices; /* stb_ds array */
    uint32_t *indices;              /* stb_ds array */
};

struct export_mesh {
    const char *name;
    struct export_part *parts; /* stb_ds array */
};

struct export_material {
    const char *name;
    float colour[4];   /* linear; of the material, or the tint of its image */
    int image, second; /* in images, -1: none */
    int page;          /* in pages, -1: none */
    enum draw_kind alpha;
    bool two_sided, unlit;
    bool own_light; /* its vertices have light */
    bool coloured;  /* its vertices have baked light */
};

struct export_image {
    const char *name; /* of a file: "brick.jpg"; letters, digits, `_`, `-` and `.`; each once */
    bool jpeg;        /* else PNG */
    struct bytes file;
};

enum export_light_kind { EXPORT_LIGHT_POINT, EXPORT_LIGHT_SPOT, EXPORT_LIGHT_SUN };

struct export_light {
    enum export_light_kind kind;
    float colour[3];    /* linear, the largest is 1 */
    float intensity;    /* candela; suns: lux. Irradiance pi makes a white surface white */
    float inner, outer; /* spots: half angles in radians, inner < outer <= pi / 2 */
    int style;
};

struct export_node {
    const char *name;
    int parent;      /* -1: none; before its children */
    int mesh, light; /* -1: none */
    int entity;      /* whose keys it has, -1: none */
    int prop;        /* -1: none */
    float translation[3], rotation[4] /* x, y, z, w */, scale[3];
};

/* A node of that name at the origin, with nothing. */
static inline struct export_node export_node_named(const char *name)
{
    return (struct export_node){.name = name,
                                .parent = -1,
                                .mesh = -1,
                                .light = -1,
                                .entity = -1,
                                .prop = -1,
                                .rotation = {0, 0, 0, 1},
                                .scale = {1, 1, 1}};
}

struct export_prop {
    const char *model;
    int skin;
};

struct export_model {
    const char *name; /* of the map */
    struct arena arena;
    const struct entity_list *entities; /* borrowed */
    struct export_node *nodes;          /* stb_ds arrays */
    struct export_mesh *meshes;
    struct export_material *materials;
    struct export_image *images;
    int *pages; /* of light: their images */
    int baked;  /* image of all surfaces in their light, -1: none */
    struct export_light *lights;
    struct export_prop *props; /* by number */
    double light_range;        /* the light that a page's largest number stands for */
    enum export_pages page_form;
    enum export_light_units light_units;
    double units; /* length of a unit of the map */
};

/* Borrows the map, whose entities must live as long. Fails (reported) when baked light has no room;
 * free the model also then. */
NODISCARD enum status export_model_build(const struct map_scene *map, const char *name,
                                         const struct export_settings *settings,
                                         struct export_model *out);
void export_model_free(struct export_model *scene);

/* Appends a file with a copy of the data. */
void export_file_add(struct export_file **files, const char *name, const struct bytes *data);

#endif
