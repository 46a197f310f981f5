#include "report/facts/message_groups.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/diag_explain.h"

/* --- groups --- */

static struct message_group *group_of(struct message_groups *groups, const char *severity,
                                      const char *code)
{
    char *name = arena_printf(&groups->arena, "%s %s", severity, code);
    const ptrdiff_t found = shgeti(groups->by_name, name);
    if (found >= 0)
        return &groups->groups[groups->by_name[found].value];
    const int known = diag_code_named(code);
    const struct diag_info *info = diag_info(known);
    shput(groups->by_name, name, arrlenu(groups->groups));
    arrput(groups->groups, ((struct message_group){
                               .severity = arena_strdup(&groups->arena, severity),
                               .code = arena_strdup(&groups->arena, code),
                               .info = info && strcmp(info->code, code) == 0 ? info : NULL,
                           }));
    return &arrlast(groups->groups);
}

static struct message_text *text_of(struct message_groups *groups, struct message_group *group,
                                    const char *text)
{
    char *own = arena_strdup(&groups->arena, text);
    const ptrdiff_t found = shgeti(group->by_text, own);
    if (found >= 0)
        return &group->texts[group->by_text[found].value];
    shput(group->by_text, own, arrlenu(group->texts));
    arrput(group->texts, ((struct message_text){.text = own}));
    return &arrlast(group->texts);
}

/* The title stands above the texts of its group. */
static const char *without_title(const struct message_group *group, const char *text)
{
    const size_t length = group->info ? strlen(group->info->title) : 0;
    const bool has_title = length && strncmp(text, group->info->title, length) == 0 &&
                           strncmp(text + length, ": ", 2) == 0;
    return has_title ? text + length + 2 : text;
}

static struct message_text *add(struct message_groups *groups, const char *severity,
                                const char *code, const char *text)
{
    struct message_group *group = group_of(groups, severity, code);
    struct message_text *own = text_of(groups, group, without_title(group, text));
    group->count++;
    own->count++;
    return own;
}

/* --- messages of a build --- */

static void add_place(struct message_groups *groups, struct message_text *text, const char *where,
                      const json_t *named)
{
    const char *what = json_string_value(json_array_get(named, 0));
    const json_t *point = json_array_get(named, 1);
    struct message_place place = {.where = arena_strdup(&groups->arena, where),
                                  .what = arena_strdup(&groups->arena, what ? what : ""),
                                  .has_point = json_array_size(point) == 3};
    for (size_t k = 0; k < 3; k++)
        place.point[k] = json_number_value(json_array_get(point, k));
    arrput(text->places, place);
}

static void add_row(struct message_groups *groups, const json_t *row)
{
    const char *severity, *code, *text, *where;
    if (json_unpack((json_t *)row, "{s:s, s:s, s:s, s:s}", "severity", &severity, "code", &code,
                    "text", &text, "where", &where) != 0)
        return;
    const json_t *places = json_object_get(row, "places");
    struct message_text *own = add(groups, severity, code, text);
    if (*where && !json_array_size(places))
        add_place(groups, own, where, NULL);
    for (size_t i = 0; i < json_array_size(places); i++)
        add_place(groups, own, i ? "" : where, json_array_get(places, i));
}

void message_groups_add_rows(struct message_groups *groups, const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(groups, json_array_get(rows, i));
}

/* --- reports --- */

void message_groups_add_reports(struct message_groups *groups, const struct diag *diag)
{
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        struct message_text *text = add(groups, diag_severity_name(entry->severity),
                                        diag_info(entry->code)->code, entry->message);
        struct message_place place = {.where = "", .what = "", .has_point = true};
        if (!entry->where.has_point)
            continue;
        memcpy(place.point, entry->where.point, sizeof place.point);
        arrput(text->places, place);
    }
}

void message_groups_free(struct message_groups *groups)
{
    for (size_t i = 0; i < arrlenu(groups->groups); i++) {
        for (size_t k = 0; k < arrlenu(groups->groups[i].texts); k++)
            arrfree(groups->groups[i].texts[k].places);
        arrfree(groups->groups[i].texts);
        shfree(groups->groups[i].by_text);
    }
    arrfree(groups->groups);
    shfree(groups->by_name);
    arena_free(&groups->arena);
}
