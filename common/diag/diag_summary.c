#include "common/diag/diag_text.h"

#include <string.h>

#include "common/core/array.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Objects are compared by their numbers; without one, locations by line and point. */
static bool same_place(const struct diag_entry *a, const struct diag_entry *b)
{
    const struct diag_where *p = &a->where, *q = &b->where;
    if (!same_text(p->file, q->file) || p->entity_id != q->entity_id ||
        p->solid_id != q->solid_id || p->side_id != q->side_id)
        return false;
    struct diag_id ids[3];
    size_t count = diag_where_ids(p, ids);
    if (count && strcmp(ids[count - 1].name, "entity") != 0)
        return true;
    if (p->line != q->line || p->has_point != q->has_point)
        return false;
    for (int i = 0; p->has_point && i < 3; i++)
        if (p->point[i] < q->point[i] || p->point[i] > q->point[i])
            return false;
    return count || p->line || p->has_point || same_text(a->message, b->message);
}

static void add(struct diag_group *group, const struct diag_entry *entry)
{
    group->count++;
    for (size_t i = 0; i < group->place_count; i++)
        if (same_place(group->places[i], entry))
            return;
    if (group->place_count < DIAG_PLACES)
        group->places[group->place_count++] = entry;
}

struct diag_group *diag_summary(const struct diag *diag)
{
    struct diag_group *found = NULL, *sorted = NULL;
    int places[DIAG_CODES_MAX] = {0}; /* 1 + index in found */
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        int *at = &places[diag_index(entry->code)];
        if (!*at) {
            struct diag_group group = {.code = entry->code, .severity = entry->severity};
            arrput(found, group);
            *at = (int)arrlen(found);
        }
        add(&found[*at - 1], entry);
    }
    for (int severity = DIAG_SEVERITIES - 1; severity >= 0; severity--)
        for (size_t i = 0; i < arrlenu(found); i++)
            if ((int)found[i].severity == severity)
                arrput(sorted, found[i]);
    arrfree(found);
    return sorted;
}
