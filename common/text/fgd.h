/* FGD: a game's list of entity classes. Of each class only the kinds of its keys are kept, for that
 * is what a compiler asks of it: what to do with a value when its entity is moved or renamed.
 *
 * Source: the form as 12 files of games with 1,630 classes have it. What does not parse is
 * skipped up to the next `@` and told once a file. */
#ifndef TEXT_FGD_H
#define TEXT_FGD_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum fgd_type {
    FGD_UNKNOWN,       /* no such class, or it has no such key */
    FGD_PLAIN,         /* text, numbers, files: says nothing of places or names */
    FGD_NAME,          /* the name of an entity, its own or another's */
    FGD_NAME_OR_CLASS, /* the same, or the name of a class */
    FGD_POINT,         /* a place in the map */
    FGD_AXIS,          /* two places, "x y z, x y z" */
    FGD_ANGLES,        /* pitch yaw roll in degrees */
    FGD_NEGATIVE_PITCH,
    FGD_SIDES,     /* the editor's ids of sides */
    FGD_NODE,      /* the number of a node for navigation */
    FGD_DIRECTION, /* a vector that is no place; no FGD says so, tables of known keys do */
};

struct fgd; /* opaque */

/* Appends the file of an @include, whose name is as written in `from`; false: there is none. */
typedef bool fgd_include(void *context, const char *from, const char *name, struct bytes *out);

/* Empty. Free with fgd_free. */
struct fgd *fgd_new(void);
void fgd_free(struct fgd *fgd);

/* Adds the classes of a file; a class that is there already is replaced. include may be NULL.
 * Reports FGD_SYNTAX once a file, and FGD_INCLUDE for each file that is not found. */
void fgd_parse(struct fgd *fgd, const char *text, size_t size, const char *name,
               fgd_include *include, void *context, struct diag *diag);

/* Names compare without case. A key of the class itself stands above those of its bases. */
enum fgd_type fgd_key_type(const struct fgd *fgd, const char *classname, const char *key);
bool fgd_has_class(const struct fgd *fgd, const char *classname);
size_t fgd_class_count(const struct fgd *fgd);

#endif
