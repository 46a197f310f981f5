/* Names of entity classes that are mistyped. */
#ifndef VBSP_LEVEL_CLASS_NAMES_H
#define VBSP_LEVEL_CLASS_NAMES_H

struct diag;
struct level;

/* Returns the class of the stock games that is meant by one that they do not have: it differs in a
 * letter, two of a long name, or two that are swapped. NULL when the games have the class, and when
 * none is so near. */
const char *class_name_meant(const char *name);

/* Reports (CLASS_NEAR) each class of a map that is so near to another, once. */
void class_names_report(const struct level *level, struct diag *diag);

#endif
