/* Internal to ballance/bmx: the objects of a level by group. */
#ifndef BMX_LEVEL_GROUPS_H
#define BMX_LEVEL_GROUPS_H

#include "ballance/bmx/bmx.h"

struct group_member {
    const char *group;
    uint32_t object;
};

struct level {
    const struct bmx *bmx;
    struct bmx_findings *findings;
    struct group_member *members; /* stb_ds array, sorted by group and object, each once */
    const char **names;           /* stb_ds array of the objects' names */
    struct arena arena;
};

/* Borrows model and findings. Free with level_close. */
void level_open(struct level *level, const struct bmx *bmx, struct bmx_findings *findings);
void level_close(struct level *level);

/* The members of groups that follow each other. */
struct group_range {
    const struct group_member *first;
    size_t count;
};

struct group_range level_group(const struct level *level, const char *group);
/* Of all groups whose names start like this. */
struct group_range level_groups(const struct level *level, const char *prefix);

/* Returns the number of a sector's group, 0 if it is none, and the group's name for the game. */
unsigned level_sector(const char *group);
const char *level_sector_name(struct level *level, unsigned sector);

/* Returns the number of digits at the end of a name as a number, or 0. */
unsigned level_number(const char *name);

#endif
