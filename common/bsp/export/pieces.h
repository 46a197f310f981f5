/* Internal: the drawn surfaces of a map as triangles at their place, and names of their shaders. */
#ifndef BSP_EXPORT_PIECES_H
#define BSP_EXPORT_PIECES_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct entity;

struct piece_vertex {
    struct vec3 p, normal;
    double texture[2]; /* grows downwards */
};

struct piece {
    int surface, model, material;
    size_t vertex_count, index_count;
    struct piece_vertex *vertices;
    int *indices; /* three per triangle, clockwise seen from the front */
};

struct pieces {
    struct piece *pieces;   /* stb_ds array */
    const char **materials; /* stb_ds array: of those, in the arena */
    struct arena arena;
};

/* Returns the model of an entity of the BSP: 0 for the world, the first; -1 for none. */
int model_of_entity(const struct bsp *bsp, const struct entity *entity, bool is_world);

/* Materials are the names of shaders, or of lightmap pages: "lm_0000", then the coordinates are
 * those of the lightmap; surfaces without a page keep their shader and have none. */
NODISCARD enum status pieces_gather(const struct bsp *bsp, bool with_lightmaps, const char *name,
                                    struct diag *diag, struct pieces *out);
void pieces_free(struct pieces *pieces);

/* Returns the names of all shaders, in the arena. `_` stands for blanks, control characters and
 * quotes, which would end a name in a text file, and / for a backslash. */
const char *const *shader_names(const struct bsp *bsp, struct arena *arena);

#endif
