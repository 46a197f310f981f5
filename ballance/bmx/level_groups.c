#include "ballance/bmx/level_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

enum { DIGITS_MAX = 3 };

#define SECTOR "Sector_"

static int order(const void *a, const void *b)
{
    const struct group_member *left = a, *right = b;
    int groups = strcmp(left->group, right->group);
    return groups ? groups : (left->object > right->object) - (left->object < right->object);
}

static void remove_repeated(struct group_member *members)
{
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(members); i++)
        if (!kept || order(&members[kept - 1], &members[i]) != 0)
            members[kept++] = members[i];
    arrsetlen(members, kept);
}

void level_open(struct level *level, const struct bmx *bmx, struct bmx_findings *findings)
{
    *level = (struct level){.bmx = bmx, .findings = findings};
    for (uint32_t i = 0; i < arrlenu(bmx->objects); i++) {
        const struct bmx_object *object = &bmx->objects[i];
        arrput(level->names, bmx_text_utf8(&object->name, &level->arena));
        for (size_t k = 0; k < arrlenu(object->groups); k++) {
            const char *group = bmx_text_utf8(&object->groups[k], &level->arena);
            arrput(level->members, ((struct group_member){group, i}));
        }
    }
    if (!level->members)
        return;
    qsort(level->members, arrlenu(level->members), sizeof *level->members, order);
    remove_repeated(level->members);
}

void level_close(struct level *level)
{
    arrfree(level->members);
    arrfree(level->names);
    arena_free(&level->arena);
}

/* Returns the first member whose group is not before the text in its first `size` characters, or is
 * behind it. */
static size_t bound(const struct level *level, const char *text, size_t size, bool behind)
{
    size_t low = 0, high = arrlenu(level->members);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int group = strncmp(level->members[middle].group, text, size);
        if (group < 0 || (behind && group == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct group_range range(const struct level *level, const char *text, size_t size)
{
    if (!level->members)
        return (struct group_range){NULL, 0};
    size_t first = bound(level, text, size, false);
    return (struct group_range){level->members + first, bound(level, text, size, true) - first};
}

struct group_range level_group(const struct level *level, const char *group)
{
    return range(level, group, strlen(group) + 1);
}

struct group_range level_groups(const struct level *level, const char *prefix)
{
    return range(level, prefix, strlen(prefix));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

unsigned level_number(const char *name)
{
    size_t size = strlen(name), digits = 0;
    while (digits < size && is_digit(name[size - 1 - digits]))
        digits++;
    return digits && digits <= DIGITS_MAX ? (unsigned)strtoull(name + size - digits, NULL, 10) : 0;
}

unsigned level_sector(const char *group)
{
    size_t prefix = strlen(SECTOR);
    if (strncmp(group, SECTOR, prefix) != 0 || strspn(group + prefix, "0123456789") == 0 ||
        group[prefix + strspn(group + prefix, "0123456789")])
        return 0;
    return level_number(group);
}

/* The game builds the names: two digits up to 8, then as few as there are. */
const char *level_sector_name(struct level *level, unsigned sector)
{
    return arena_printf(&level->arena, sector < 9 ? SECTOR "%02u" : SECTOR "%u", sector);
}
