/* Shared by the files of instances/: names and variables, key types, files, merging. */
#ifndef VBSP_LEVEL_INSTANCES_INSTANCE_INTERNAL_H
#define VBSP_LEVEL_INSTANCES_INSTANCE_INTERNAL_H

#include "common/core/arena.h"
#include "common/text/fgd.h"
#include "vbsp/level/instances/instance.h"
#include "vbsp/level/level.h"

/* The transform of an instance: points, directions, angles and their texts. Unlike struct transform
 * it is exact for right angles. */

struct rotation {
    struct vec3 axes[3]; /* images of the x, y and z axes */
};

struct instance_transform {
    struct rotation rotation;
    struct vec3 origin;
    bool moved, turned;
};

extern const struct instance_transform instance_transform_identity;

struct instance_transform instance_transform_new(struct vec3 origin, struct vec3 angles);
struct vec3 instance_transform_point(const struct instance_transform *transform, struct vec3 point);

/* Transforms a side and its texture. Its displacement is a new block in the arena. */
void instance_transform_side(const struct instance_transform *transform, struct arena *arena,
                             struct map_side *side);

/* instance_names.c */

enum fixup_style { FIXUP_PREFIX, FIXUP_POSTFIX, FIXUP_NONE };

struct instance_variable {
    const char *name; /* including the $ */
    const char *value;
};

struct instance_names {
    enum fixup_style style;
    const char *instance;                /* its own name */
    struct instance_variable *variables; /* stb_ds array, the longest name first */
};

/* Reads the keys of a func_instance; `number` makes a name for an unnamed one. Free the variables
 * with arrfree. */
struct instance_names instance_names_read(const struct entity *keys, int number,
                                          struct arena *arena);
/* Adds the defaults of a func_instance_parms for variables without a value. */
void instance_names_defaults(struct instance_names *names, const struct entity *parms,
                             struct arena *arena);
const char *instance_replace(const struct instance_names *names, const char *text,
                             struct arena *arena);
/* The new name of an entity. Empty names and names that begin with @ (shared by all) or ! (resolved
 * at run time) are kept. */
const char *instance_rename(const struct instance_names *names, const char *name,
                            struct arena *arena);

struct placed_instance {
    size_t entity;               /* its func_instance */
    size_t first, end;           /* its own entities */
    struct instance_names names; /* without variables */
};

/* Converts outputs across instance borders to plain ones; one that leads to no entity is reported
 * (INSTANCE_OUTPUT) and kept. */
void instance_outputs_resolve(struct level *whole, const struct placed_instance *placed,
                              struct diag *diag);

/* instance_evidence.c */

/* The names and classes of the entities of a file, in lower case: an stb_ds string map. */
struct file_names {
    char *key;
    /* Of a name that is no class of the file: what it names, of an instance how that renames. */
    enum file_name { FILE_CLASS, FILE_NAME, FILE_INSTANCE_PREFIX, FILE_INSTANCE_POSTFIX } value;
};

/* The names of a file's entities, once its variables are replaced. Free with shfree. */
struct file_names *instance_file_names(const struct level *level,
                                       const struct instance_names *names, struct arena *arena);
/* True if the value of a key is the name of an entity in the file or in an instance that it places,
 * a pattern of one, or a list of such names, with blanks or commas between them; not if it is a
 * number, a path or a class. */
bool instance_file_has_name(struct file_names *all, const char *value, struct arena *arena);
/* True if at least half of the words of a value are. */
bool instance_file_may_have_name(struct file_names *all, const char *value, struct arena *arena);
/* instance_rename of a value that holds a name, or of each name of a list. */
const char *instance_rename_names(const struct instance_names *names, struct file_names *all,
                                  const char *value, struct arena *arena);

/* Values that were taken for names because the file has an entity of that name, or that were left
 * as they are though it has. */
struct instance_guesses {
    size_t count;  /* of values */
    size_t entity; /* of the first, in the whole level */
    const char *key, *value;
};

/* Counts a value; `guesses` may be NULL. */
void instance_guess_add(struct instance_guesses *guesses, size_t entity, const char *key,
                        const char *value);
/* Reports them (INSTANCE_NAMES_GUESSED, INSTANCE_NAMES_LEFT) unless there are none. */
void instance_guesses_report(const struct instance_guesses *taken,
                             const struct instance_guesses *left, const struct level *whole,
                             struct diag *diag);

/* instance_keys.c */

struct id_cell {
    int key;
};

/* The merge of one file into another. */
struct instance_context {
    struct assets *assets; /* to detect origin brushes; NULL: they are not detected */
    const struct instance_transform *transform;
    const struct instance_names *names; /* NULL: names are kept */
    const struct map_part *part;
    const struct fgd *fgd; /* NULL: no FGD */
    struct id_cell *sides; /* stb_ds map: ids of sides of this file */
    struct file_names *file_names;
    struct instance_guesses *guesses, *left; /* NULL: they are not counted */
    size_t entity;                           /* the next of the whole level */
    int node_shift;
    struct arena *arena;
};

int instance_shift_id(int id, int shift);
/* The keys of an entity in the context, as a new stb_ds array of pairs. One with a position
 * (`has_position`) is rotated through its angles, which are added if missing. */
struct entity instance_entity_keys(const struct instance_context *context,
                                   const struct entity *keys, bool has_position);

/* Converts a block of overlay keys like entity keys; NULL stays NULL. */
const struct kv *instance_overlay_block(const struct instance_context *context,
                                        const struct kv *block);

/* instance_files.c */

struct instance_file {
    const char *path;
    bool is_of_game;     /* the path is a name within the game's content */
    struct level *level; /* NULL: cannot be read */
    size_t objects;      /* count of entities, solids and sides */
};

struct missing_file {
    const char *name;
    struct diag_where *users; /* stb_ds array: the func_instances that name it */
};

struct instance_files {
    const struct env *env;
    struct assets *assets;
    struct level *owner;          /* owns the levels and their strings */
    struct instance_file **files; /* stb_ds array */
    struct missing_file *missing; /* stb_ds array */
};

/* The file that the func_instance at `where` names, parsed once; NULL when it is missing, which is
 * recorded, or invalid, which is reported. */
const struct instance_file *instance_files_get(struct instance_files *files, const char *name,
                                               const struct diag_where *where);
/* Reports the missing files with their users; fails if that is an error. */
enum status instance_files_report(struct instance_files *files, enum diag_severity severity);
void instance_files_free(struct instance_files *files);

/* instance_merge.c */

/* The largest ids so far. */
struct map_maxima {
    int entity, solid, side, node;
};

void map_maxima_add(struct map_maxima *maxima, const struct map_entity *entity, bool world);
size_t map_objects(const struct level *level);
/* Copies the entities, sharing strings. */
void map_copy(const struct level *level, struct level *out);
/* Adds the objects of `level`: solids of its world to the world, other entities at the end. The
 * caller sets the rest of the context; the shifts of its part are the current maxima. */
void map_merge(struct level *whole, const struct level *level, struct instance_context *context,
               struct map_maxima *maxima, struct diag *diag);

#endif
