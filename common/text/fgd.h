/* FGD: a game's list of entity classes. Kept are the types of the keys of each class, which tell
 * a compiler how to change a value when its entity is moved or renamed, and the names of its
 * inputs.
 *
 * Source: the syntax of 12 files of games with 1,630 classes. Text that does not parse is skipped
 * up to the next `@` and reported once per file. */
#ifndef TEXT_FGD_H
#define TEXT_FGD_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum fgd_type {
    FGD_UNKNOWN,       /* no such class, or no such key in it */
    FGD_PLAIN,         /* text, numbers, choices: neither a position nor a name nor a file */
    FGD_NAME,          /* the name of an entity, its own or another's */
    FGD_NAME_OR_CLASS, /* the name of an entity or a class */
    FGD_POINT,         /* a position in the map */
    FGD_AXIS,          /* two positions, "x y z, x y z" */
    FGD_ANGLES,        /* pitch yaw roll in degrees */
    FGD_NEGATIVE_PITCH,
    FGD_SIDES,     /* Hammer's ids of sides */
    FGD_NODE,      /* the number of a navigation node */
    FGD_SOUND,     /* a sound: its file, or a game sound of the soundscripts */
    FGD_MODEL,     /* a model of the studio */
    FGD_SPRITE,    /* a sprite: a material, or a model */
    FGD_MATERIAL,  /* a material, also of a decal */
    FGD_SCENE,     /* a choreographed scene */
    FGD_EFFECT,    /* a particle system */
    FGD_SCRIPTS,   /* scripts, with blanks between them */
    FGD_DIRECTION, /* a vector that is not a position; only from tables of known keys, never from an
                      FGD */
};

struct fgd; /* opaque */

/* Appends the file of an @include, whose name is as written in `from`; returns false when there is
 * none. */
typedef bool fgd_include(void *context, const char *from, const char *name, struct bytes *out);

/* Creates an empty list. Free with fgd_free. */
struct fgd *fgd_new(void);
void fgd_free(struct fgd *fgd);

/* Adds the classes of a file; a class that exists already is replaced. include may be NULL. Reports
 * FGD_SYNTAX once per file, and FGD_INCLUDE for each file that is not found. */
void fgd_parse(struct fgd *fgd, const char *text, size_t size, const char *name,
               fgd_include *include, void *context, struct diag *diag);

/* Names are compared without regard to case. A key of the class itself takes precedence over those
 * of its bases. */
enum fgd_type fgd_key_type(const struct fgd *fgd, const char *classname, const char *key);
bool fgd_has_class(const struct fgd *fgd, const char *classname);
/* Also of its bases. */
bool fgd_has_input(const struct fgd *fgd, const char *classname, const char *input);
/* A class of entities with solids (SolidClass). */
bool fgd_is_solid_class(const struct fgd *fgd, const char *classname);

#endif
