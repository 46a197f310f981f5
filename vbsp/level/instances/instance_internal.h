/* What the files of instances share: names and variables, kinds of keys, files, the merging. */
#ifndef VBSP_LEVEL_INSTANCES_INSTANCE_INTERNAL_H
#define VBSP_LEVEL_INSTANCES_INSTANCE_INTERNAL_H

#include "common/text/fgd.h"
#include "vbsp/level/instances/instance.h"
#include "vbsp/level/instances/instance_transform.h"

/* instance_names.c */

enum fixup_style { FIXUP_PREFIX, FIXUP_POSTFIX, FIXUP_NONE };

struct instance_variable {
    const char *name; /* with its $ */
    const char *value;
};

struct instance_names {
    enum fixup_style style;
    const char *instance;                /* its own name */
    struct instance_variable *variables; /* stb_ds array, the longest name first */
};

/* From the keys of the func_instance; `number` makes a name for one without. Free the variables
 * with arrfree. */
struct instance_names instance_names_read(const struct entity *keys, int number,
                                          struct arena *arena);
/* What a func_instance_parms says of variables that have no value yet. */
void instance_names_defaults(struct instance_names *names, const struct entity *parms,
                             struct arena *arena);
const char *instance_replace(const struct instance_names *names, const char *text,
                             struct arena *arena);
/* The name that an entity called `name` gets. Names that begin with @ (shared by all) or ! (found
 * while the game runs) and empty ones stay. */
const char *instance_rename(const struct instance_names *names, const char *name,
                            struct arena *arena);

/* instance_keys.c */

struct id_cell {
    int key;
};

/* One file as it is put into another. */
struct instance_context {
    struct assets *assets; /* tells origin brushes; NULL: none is told */
    const struct instance_transform *transform;
    const struct instance_names *names; /* NULL: names stay */
    const struct map_part *part;
    const struct fgd *fgd; /* NULL: none is at hand */
    struct id_cell *sides; /* stb_ds map: ids of the file's own sides */
    int node_shift;
    struct arena *arena;
};

int instance_shift_id(int id, int shift);
enum fgd_type instance_key_type(const struct fgd *fgd, const struct entity *keys, const char *key);
/* The keys of an entity in the context, as a new stb_ds array of pairs. One that `stands` somewhere
 * is turned by its angles, and gets them where it had none. */
struct entity instance_entity_keys(const struct instance_context *context,
                                   const struct entity *keys, bool stands);

/* A block of overlays as their entities' keys would be; NULL stays. */
const struct kv *instance_overlay_block(const struct instance_context *context,
                                        const struct kv *block);

/* instance_files.c */

struct instance_file {
    const char *path;
    struct level *level; /* NULL: it cannot be read */
    size_t objects;      /* entities, solids and sides in it */
};

struct missing_file {
    const char *name;
    struct diag_where where; /* of the first that names it */
    size_t count;
};

struct instance_files {
    const struct env *env;
    struct assets *assets;
    struct level *owner;          /* gets the sources and the strings */
    struct instance_file **files; /* stb_ds array */
    struct missing_file *missing; /* stb_ds array */
    struct fgd *fgd;              /* NULL: not looked for, or there is none */
    bool fgd_tried;
};

/* The file that a func_instance at `where` names, parsed once; NULL when it is missing, which is
 * noted, or damaged, which is reported. */
const struct instance_file *instance_files_get(struct instance_files *files, const char *name,
                                               const struct diag_where *where);
const struct fgd *instance_files_fgd(struct instance_files *files);
/* Reports what was missed. */
enum status instance_files_report(struct instance_files *files);
void instance_files_free(struct instance_files *files);

/* instance_outputs.c */

struct placed_instance {
    size_t entity;               /* its func_instance */
    size_t first, end;           /* its own entities */
    struct instance_names names; /* without variables */
};

/* Makes plain outputs of those that cross the borders of instances; what leads to no entity is
 * reported (INSTANCE_OUTPUT) and stays. */
void instance_outputs_resolve(struct level *whole, const struct placed_instance *placed,
                              struct diag *diag);

/* instance_merge.c */

/* The largest numbers so far. */
struct map_maxima {
    int entity, solid, side, node;
};

void map_maxima_add(struct map_maxima *maxima, const struct map_entity *entity, bool world);
size_t map_objects(const struct level *level);
/* A copy of the entities that shares the strings. */
void map_copy(const struct level *level, struct level *out);
/* Adds the objects of `level`: solids of its world to the world, the rest at the end. The rest of
 * the context is set already; its part's shifts are those of the maxima. */
void map_merge(struct level *whole, const struct level *level, struct instance_context *context,
               struct map_maxima *maxima, struct diag *diag);

#endif
