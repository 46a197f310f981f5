/* Internal: what the parts of bmx_level_make share. */
#ifndef BALLANCE_LEVEL_LEVEL_MAKER_H
#define BALLANCE_LEVEL_LEVEL_MAKER_H

#include "ballance/level/bmx_level.h"
#include "ballance/level/solid_pieces.h"

#define BMX_CAULK   "textures/common/caulk"
#define BMX_TRIGGER "textures/common/trigger"

/* Things that are lost or changed, each with how often and, of the first, where. */
enum bmx_loss {
    LOSS_OPEN,       /* objects with open surfaces */
    LOSS_PIECES,     /* objects that were cut */
    LOSS_BUDGET,     /* closed parts that are too complex */
    LOSS_UNLIKE,     /* closed parts that cut themselves */
    LOSS_MAPPING,    /* sides whose texture does not fit */
    LOSS_FACES,      /* faces left out: without area, or on top of others */
    LOSS_INSIDE_OUT, /* objects */
    LOSS_STUDIO,     /* models that the game needs compiled */
    LOSS_NORMALS,    /* objects with normals that no angle tells */
    LOSS_UNUSED,     /* meshes, materials and textures that no object has */
    LOSS_REACH,      /* objects outside of what a map can hold */
    LOSS_TEXTURE,    /* textures that are not in the file */
    LOSS_MATERIAL,   /* materials that the game cannot draw as they are */
    LOSS_HIDDEN,     /* objects that are left out since they are hidden */
    LOSS_PACK,       /* textures that the game needs in another format */
    LOSS_NAME,       /* names with characters that keys cannot have */
    LOSS_KINDS,
};

struct name_count {
    char *key;
    size_t value; /* with a `/` in front: the number of the newest name that begins so */
};

struct model_of_mesh {
    uint32_t key;
    size_t value; /* number of the file */
};

struct level_maker {
    const struct bmx *bmx;
    const struct bmx_level_options *options;
    const struct engine *engine;
    const char *file;
    const char *name; /* of the level, for names */
    struct diag *diag;
    struct level *level;
    struct bmx_level_files *files;
    struct arena scratch;
    const char **materials; /* stb_ds array: the names of materials, with "textures/" */
    const char **images;    /* stb_ds array: their files, NULL: not in the BM file */
    struct {
        size_t count;
        const char *first; /* in scratch */
    } losses[LOSS_KINDS];
    double worst_mapping; /* the greatest error of LOSS_MAPPING, in images */
    size_t max_pieces;
    double work;                            /* that is left, in triangles to look at */
    uint64_t copied;                        /* bytes of textures */
    struct name_count *names, *model_names; /* of materials and of models: sh maps */
    struct model_of_mesh *models;           /* the newest file of each mesh: an hm map */
};

/* Counts a loss; the format says where. */
void maker_lose(struct level_maker *maker, enum bmx_loss loss, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- bmx_files.c --- */

/* Adds a file; takes the data. Returns the path, which is the file's. */
const char *maker_add_file(struct level_maker *maker, const char *path, struct bytes *data);

/* Sets what the maker derives from its options; and reports the losses, and frees what it owns. */
void maker_begin(struct level_maker *maker);
void maker_end(struct level_maker *maker);

/* Reads a file without errors, of which not too much is placed (BMX_TO_LARGE); else reports, and
 * fails. */
NODISCARD enum status bmx_level_decode(const void *data, size_t size, const char *file,
                                       struct diag *diag, struct bmx **out);

/* --- bmx_level.c --- */

/* Returns the text with small letters, digits, _ and - only, at most `max` of them, and at least
 * one. In the arena. */
const char *bmx_plain_name(struct arena *arena, const char *text, size_t max);

/* Returns the name, or with a number where the map has it already, and adds it. */
const char *bmx_unique_name(struct arena *arena, const char *name, size_t max,
                            struct name_count **names);

/* Appends a brush of the sides; mapping -1 is caulk. Takes nothing. */
void maker_add_solid(struct level_maker *maker, const struct piece_side *sides,
                     const struct texture_mapping *mappings, struct map_entity *entity);

/* --- bmx_materials.c --- */

/* Names all materials; adds the table of materials, and the textures that are packed. */
void maker_add_materials(struct level_maker *maker);
/* Returns the name for a material of the file, or for none (-1). */
const char *maker_material(const struct level_maker *maker, int material);

/* Returns the image for a material whose texture is not in the file: squares in two shades of its
 * colour, or, for one without a texture, its plain colour. */
const char *maker_stand_in(struct level_maker *maker, const struct bmx_material *material);

/* Adds the shader script of the sky and of all materials, with images for missing textures. */
void maker_add_shaders(struct level_maker *maker);

/* --- bmx_entity.c --- */

/* Returns the entity of an object without its brushes: class, name, groups. */
struct map_entity maker_entity(struct level_maker *maker, const struct bmx_object *object);
/* Returns that of its model, which has all groups as keys, since its class implies none. */
struct map_entity maker_model_entity(struct level_maker *maker, const struct bmx_object *object);
/* Adds the keys that place a model or a component: origin, angles, and `scale_key`; and _matrix
 * where these do not tell the matrix to the bit. Returns false, and adds only the origin and
 * _matrix, when the matrix is more than a turn and a scale along the axes. */
bool maker_place(struct level_maker *maker, struct map_entity *entity, const float matrix[16],
                 const char *scale_key);
void maker_set(struct level_maker *maker, struct map_entity *entity, const char *key,
               const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Returns true when the object is in the group. */
bool bmx_in_group(const struct bmx_object *object, const char *group);

/* --- open_surfaces.c --- */

/* Appends a brush of PRISM_DEPTH units behind each of the triangles, those of a plane and a texture
 * joined to convex polygons. */
void maker_add_prisms(struct level_maker *maker, const struct placed_mesh *mesh,
                      const int *triangles, struct map_entity *entity);

/* Adds a model of the faces, which are numbers in the object's mesh, and the entity that places it.
 */
void maker_add_model(struct level_maker *maker, const struct bmx_object *object,
                     const uint32_t *faces);

/* --- playable.c --- */

/* Returns the entity where a player starts: where the ball of the level does, if it says so. */
struct map_entity maker_start(struct level_maker *maker);
bool maker_has_start(const struct level_maker *maker);
/* Returns a place before the level from which it is seen. */
struct vec3 maker_outside_view(const struct level_maker *maker);

/* Adds what a game needs around the objects: sky, light, and a place to start. */
void maker_make_playable(struct level_maker *maker);

#endif
