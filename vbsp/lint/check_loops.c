/* Entities that lead back to themselves: the game follows them without end. */
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/lint/checks.h"

/* The entities that each leads to. */
struct graph {
    size_t **edges; /* stb_ds array of stb_ds arrays */
};

/* A loop is followed only through names of one entity: of several the game takes one. */
static void add_edge(const struct lint_ctx *lint, struct graph *graph, size_t from,
                     const char *name)
{
    size_t found = *name && *name != '!' ? lint_names_find(lint->names, name) : 0;
    const struct lint_name *to = found ? &lint->names->list[found - 1] : NULL;
    if (to && !to->next)
        arrput(graph->edges[from], to->entity);
}

static void add_parents(const struct lint_ctx *lint, struct graph *graph, size_t entity)
{
    struct arena scratch = {0};
    const char *name = entity_value(&lint->level->entities[entity].keys, "parentname");
    add_edge(lint, graph, entity, arena_strndup(&scratch, name, strcspn(name, ",")));
    arena_free(&scratch);
}

/* Filter01 to Filter10 of filter_multi. */
static void add_filters(const struct lint_ctx *lint, struct graph *graph, size_t entity)
{
    static const char key[] = "filter";
    const struct entity *keys = &lint->level->entities[entity].keys;
    if (!entity_is(keys, "filter_multi"))
        return;
    for (size_t i = 0; i < arrlenu(keys->pairs); i++) {
        const char *name = keys->pairs[i].key;
        const char *digits = name + sizeof key - 1;
        if (str_starts_nocase(name, key) && *digits && digits[strspn(digits, "0123456789")] == 0)
            add_edge(lint, graph, entity, keys->pairs[i].value);
    }
}

struct step {
    size_t entity, edge;
};

/* Lists the names from the entity around to itself. */
static void report_loop(const struct lint_ctx *lint, int code, const struct step *path,
                        size_t first)
{
    struct arena scratch = {0};
    const struct map_entity *entities = lint->level->entities;
    size_t lowest = first, count = arrlenu(path) - first;
    for (size_t i = first; i < arrlenu(path); i++)
        if (path[i].entity < path[lowest].entity)
            lowest = i;
    const char *text = "";
    for (size_t i = 0; i <= count && i < 16; i++) {
        const struct map_entity *entity =
            &entities[path[first + (lowest - first + i) % count].entity];
        text = arena_printf(&scratch, "%s%s\"%.80s\"", text, i ? " -> " : "",
                            entity_value(&entity->keys, "targetname"));
    }
    struct diag_where where = lint_where(lint, &entities[path[lowest].entity]);
    (void)diag_report(lint->compile->env->diag, code, &where, "%s%s", text,
                      count < 16 ? "" : " -> ...");
    arena_free(&scratch);
}

enum mark { MARK_NEW, MARK_ON_PATH, MARK_DONE };

static void walk(const struct lint_ctx *lint, int code, const struct graph *graph, size_t start,
                 unsigned char *marks)
{
    struct step *path = NULL;
    arrput(path, ((struct step){.entity = start}));
    marks[start] = MARK_ON_PATH;
    while (arrlenu(path)) {
        struct step *last = &arrlast(path);
        if (last->edge == arrlenu(graph->edges[last->entity])) {
            marks[last->entity] = MARK_DONE;
            (void)arrpop(path);
            continue;
        }
        size_t next = graph->edges[last->entity][last->edge++];
        if (marks[next] == MARK_NEW) {
            marks[next] = MARK_ON_PATH;
            arrput(path, ((struct step){.entity = next}));
        } else if (marks[next] == MARK_ON_PATH) {
            size_t first = arrlenu(path) - 1;
            while (path[first].entity != next)
                first--;
            report_loop(lint, code, path, first);
        }
    }
    arrfree(path);
}

static void find_loops(const struct lint_ctx *lint, int code,
                       void (*add)(const struct lint_ctx *lint, struct graph *graph, size_t entity))
{
    size_t count = arrlenu(lint->level->entities);
    struct graph graph = {0};
    unsigned char *marks = NULL;
    for (size_t i = 0; i < count; i++) {
        arrput(graph.edges, NULL);
        arrput(marks, MARK_NEW);
    }
    for (size_t i = 1; i < count; i++)
        add(lint, &graph, i);
    for (size_t i = 1; i < count; i++)
        if (marks[i] == MARK_NEW)
            walk(lint, code, &graph, i, marks);
    for (size_t i = 0; i < count; i++)
        arrfree(graph.edges[i]);
    arrfree(graph.edges);
    arrfree(marks);
}

void lint_loops(const struct lint_ctx *lint)
{
    if (!lint->rules->has_inputs)
        return;
    find_loops(lint, DIAG_PARENT_LOOP, add_parents);
    find_loops(lint, DIAG_FILTER_LOOP, add_filters);
}
