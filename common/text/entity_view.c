#include "common/text/entity_view.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/text/entity_reads.h"

struct entity_view {
    struct entity_list own;         /* or empty */
    struct entity_list *added;      /* stb_ds array: own the strings of what was added */
    const struct entity_list *list; /* `own`, or borrowed */
    struct entity_reads *reads;     /* or NULL */
    bool is_changed;
};

static const struct entity_filter models_filter = {.key = "model", .value = "*", .is_prefix = true};
const struct entity_query entity_query_models = {&models_filter, 1};

struct entity_view *entity_view_of(const struct entity_list *list)
{
    struct entity_view *view = memory_zalloc(1, sizeof *view);
    view->list = list;
    return view;
}

enum status entity_view_parse(const char *text, size_t size, const char *name, struct diag *diag,
                              struct entity_view **out)
{
    struct entity_view *view = memory_zalloc(1, sizeof *view);
    enum status status = entities_parse(text, size, name, diag, &view->own);
    view->list = &view->own;
    if (status != STATUS_OK) {
        entity_view_free(view);
        view = NULL;
    }
    *out = view;
    return status;
}

void entity_view_free(struct entity_view *view)
{
    if (!view)
        return;
    for (size_t i = 0; i < arrlenu(view->added); i++)
        entities_free(&view->added[i]);
    arrfree(view->added);
    entities_free(&view->own);
    memory_free(view);
}

void entity_view_watch(struct entity_view *view, struct entity_reads *reads)
{
    view->reads = reads;
    for (size_t i = 0; i < arrlenu(view->own.entities); i++)
        view->own.entities[i].reads = reads;
}

const struct entity *entity_view_world(const struct entity_view *view)
{
    return arrlenu(view->list->entities) ? view->list->entities : NULL;
}

static void note_query(const struct entity_view *view, const struct entity_query *query)
{
    for (size_t k = 0; view->reads && k < query->count; k++)
        entity_reads_note_filter(view->reads, &query->filters[k]);
}

static bool is_matched(const struct entity_query *query, const struct entity *entity)
{
    for (size_t k = 0; k < query->count; k++)
        if (entity_filter_matches(&query->filters[k], entity))
            return true;
    return false;
}

const struct entity *entity_view_next(const struct entity_view *view, struct entity_query query,
                                      const struct entity *after)
{
    const struct entity *entities = view->list->entities;
    note_query(view, &query);
    for (size_t i = after ? (size_t)(after - entities) + 1 : 0; i < arrlenu(entities); i++)
        if (is_matched(&query, &entities[i]))
            return &entities[i];
    return NULL;
}

int64_t entity_model_number(const struct entity *entity, size_t models)
{
    const char *name = entity_value(entity, "model");
    int64_t number;
    if (name[0] != '*' || !str_to_int64(name + 1, &number) || number < 1 ||
        number >= (int64_t)models)
        return -1;
    return number;
}

enum status entity_view_add(struct entity_view *view, const char *text, size_t size,
                            const char *name, struct diag *diag, size_t *added)
{
    struct entity_list list;
    TRY(entities_parse(text, size, name, diag, &list));
    *added = arrlenu(list.entities);
    for (size_t i = 0; i < *added; i++)
        arrput(view->own.entities, list.entities[i]);
    if (*added)
        arrsetlen(list.entities, 0); /* their pairs have moved */
    arrput(view->added, list);
    return STATUS_OK;
}

void entity_view_set_world(struct entity_view *view, const char *key, const char *value)
{
    if (!arrlenu(view->own.entities))
        return;
    if (value)
        entity_set(&view->own.entities[0], &view->own.arena, key, value);
    else
        entity_remove(&view->own.entities[0], key);
    view->is_changed = true;
}

void entity_view_remove(struct entity_view *view, struct entity_query query,
                        bool (*removes)(const struct entity *))
{
    struct entity *entities = view->own.entities;
    size_t count = arrlenu(entities), kept = 0;
    note_query(view, &query);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && is_matched(&query, &entities[i]) && removes(&entities[i]))
            arrfree(entities[i].pairs);
        else
            entities[kept++] = entities[i];
    }
    if (kept == count)
        return;
    arrsetlen(view->own.entities, kept);
    view->is_changed = true;
}

bool entity_view_is_changed(const struct entity_view *view)
{
    return view->is_changed;
}

void entity_view_format(const struct entity_view *view, struct bytes *out)
{
    entities_format(view->list, out);
}
