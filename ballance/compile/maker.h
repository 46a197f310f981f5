/* Internal to ballance/compile: what the parts of ballance_make share. */
#ifndef BALLANCE_COMPILE_MAKER_H
#define BALLANCE_COMPILE_MAKER_H

#include "ballance/bmx/material_table.h"
#include "ballance/compile/ballance.h"
#include "common/core/array.h"
#include "common/geom/transform.h"

enum face_kind {
    FACE_DRAWN,
    FACE_BARE,    /* drawn without a material */
    FACE_HIDDEN,  /* nodraw, caulk: others are hidden behind it, and the hull is open there */
    FACE_NOTHING, /* clip, hint, trigger ...: a brush of these is left out */
};

/* A texture name of the level. */
struct face_material {
    enum face_kind kind;
    int material;   /* of the model; -1: none */
    double size[2]; /* pixels that texture axes count in */
};

struct face_entry {
    char *key;
    struct face_material value;
};

struct name_entry_map {
    char *key;
    int value;
};

/* Things that are left out or changed, each with how often and, of the first, where. */
enum ballance_loss {
    LOSS_NOTHING,
    LOSS_CURVE,
    LOSS_ENTITY,
    LOSS_KEYS,
    LOSS_KINDS,
};

struct ballance_maker {
    const struct env *env;
    const struct ballance_options *options;
    struct assets *assets; /* or NULL */
    const struct level *level;
    struct arena arena;
    struct bmx *bmx;
    double scale;
    struct material_table table;
    const char *table_folder; /* paths of the table are relative to it */
    int *table_materials;     /* stb_ds array: of the model, per material of the table */
    int *table_textures;      /* the same of textures */
    struct face_entry *faces; /* stb_ds map by texture name */
    struct name_entry_map *names[BMX_KINDS]; /* stb_ds maps: names that are taken */
    size_t losses[LOSS_KINDS];
    struct diag_where first_loss[LOSS_KINDS];
};

void ballance_lose(struct ballance_maker *maker, enum ballance_loss loss,
                   const struct diag_where *where);
/* Counts the brushes of an entity whose object has none. */
void ballance_lose_brushes(struct ballance_maker *maker, const struct map_entity *entity);

/* Returns a name that no block of the kind has, of at most 63 bytes, and takes it. A change is
 * reported. `is_component`: it begins with the name of its component. */
const char *ballance_name(struct ballance_maker *maker, enum bmx_kind kind, const char *name,
                          bool is_component, const struct diag_where *where);

/* --- materials.c --- */

NODISCARD enum status ballance_open_table(struct ballance_maker *maker);
/* Returns what a texture name of a level means. */
const struct face_material *ballance_face(struct ballance_maker *maker, const char *texture,
                                          const struct diag_where *where);

/* --- meshes.c --- */

struct soup_corner {
    struct vec3 p, normal; /* of the map; normal 0 0 0: that of the triangle */
    double uv[2];
};

struct soup_triangle {
    struct soup_corner corners[3]; /* clockwise seen from the front */
    struct vec3 normal;            /* unit */
    int material;                  /* of the model, or -1 */
};

/* Appends meshes of the triangles, and their numbers to *meshes (an stb_ds array): one, more if
 * there are too many corners. `smooth`: normals of triangles that meet at less than this angle in
 * degrees are averaged. */
void ballance_add_meshes(struct ballance_maker *maker, const char *name, struct soup_triangle *soup,
                         double smooth, const struct diag_where *where, uint32_t **meshes);

/* --- brushes.c --- */

/* Appends the outer hull of all brushes of the entities, an stb_ds array of their numbers. `bare`:
 * tool materials are drawn, without a material. */
void ballance_add_brushes(struct ballance_maker *maker, const int *entities, bool bare,
                          struct soup_triangle **soup);

/* --- models.c --- */

/* Appends the triangles of an entity's model in its own space, scaled. Returns false, and reports,
 * when there are none. */
bool ballance_add_model(struct ballance_maker *maker, const struct map_entity *entity,
                        struct vec3 scale, struct soup_triangle **soup);

/* --- place.c --- */

/* Where the keys of an entity put it. */
struct object_place {
    float matrix[16];  /* of the object */
    struct vec3 scale; /* along its own axes, that is not in the matrix */
};

/* Reports keys of the entity whose numbers cannot be read. */
void ballance_expect_numbers(struct ballance_maker *maker, const struct map_entity *entity);

/* Scale is read from the keys of the list, which ends with NULL. It goes into the matrix, or with
 * `apart` stays out of it, unless the entity has the key _matrix. */
void ballance_place(struct ballance_maker *maker, const struct map_entity *entity,
                    const char *const *scale_keys, bool apart, struct object_place *out);
void ballance_identity(float matrix[16]);
/* Moves a point, or turns a direction, of the map as the matrix does. */
struct vec3 ballance_move(const struct ballance_maker *maker, const float matrix[16],
                          struct vec3 p);
struct vec3 ballance_turn(const float matrix[16], struct vec3 direction);

/* --- ballance.c --- */

/* Sets the groups of an object, sorted, each once: those that its class implies, and _groups. */
void ballance_set_groups(struct ballance_maker *maker, const struct map_entity *entity,
                         const char *const *implied, size_t count, struct bmx_object *object);
/* "Sector_01" and so on. In the arena. */
const char *ballance_sector(struct ballance_maker *maker, unsigned sector);

/* --- components.c --- */

/* Returns the number of the component that an entity is, or -1. */
int ballance_component_of(const struct map_entity *entity);
/* Appends the objects of all components of the level. */
void ballance_add_components(struct ballance_maker *maker);

#endif
