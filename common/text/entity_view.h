/* The entities of a map as a stage sees them: those that it asks for.
 *
 * A stage gets an entity as the world, or by a query for the value of a key, its class above all.
 * Entities that no query has matched do not exist for it: neither they nor their number make a
 * difference to what it does. Queries are noted, as are the keys that it asks of what it gets
 * (entity_reads.h), and there is no other way to an entity, so that no reader can be forgotten. */
#ifndef TEXT_ENTITY_VIEW_H
#define TEXT_ENTITY_VIEW_H

#include "common/text/entities.h"

/* Entities whose first `key` is the value, or starts with it, without regard to case; "" when it is
 * absent. */
struct entity_filter {
    const char *key, *value;
    bool is_prefix;
};

/* Entities that at least one of the filters matches. */
struct entity_query {
    const struct entity_filter *filters;
    size_t count;
};

/* Returns the query for one filter, which is borrowed. */
static inline struct entity_query entity_query_of(const struct entity_filter *filter)
{
    return (struct entity_query){filter, 1};
}

/* Entities with a model of the BSP have its name, "*1", as their model. */
extern const struct entity_query entity_query_models;

struct entity_view;

/* Parses as entities_parse does; *out is NULL on failure. */
NODISCARD enum status entity_view_parse(const char *text, size_t size, const char *name,
                                        struct diag *diag, struct entity_view **out);
/* Of entities that are borrowed, and are only read. */
struct entity_view *entity_view_of(const struct entity_list *list);
void entity_view_free(struct entity_view *view); /* NULL is fine */

/* Notes queries and questions from here on, by any thread. */
void entity_view_watch(struct entity_view *view, struct entity_reads *reads); /* NULL: nothing */

/* The first entity, or NULL without entities. */
const struct entity *entity_view_world(const struct entity_view *view);

/* The first entity that the query matches, or the next one after `after`, which is the world or
 * came from this function; NULL at the end. The world is an entity like others: whoever does not
 * want it begins after it. */
const struct entity *entity_view_next(const struct entity_view *view, struct entity_query query,
                                      const struct entity *after);

/* The number N of an entity that is brush model "*N" of a map with so many models, or -1. */
int64_t entity_model_number(const struct entity *entity, size_t models);

/* ---- changes, for a view that has parsed its text ---- */

/* Adds entities at the end, which no note is of: they come from somewhere else. On failure nothing
 * is added. */
NODISCARD enum status entity_view_add(struct entity_view *view, const char *text, size_t size,
                                      const char *name, struct diag *diag, size_t *added);
/* Sets a key of the world, or with a NULL value removes it. Without entities nothing is done. */
void entity_view_set_world(struct entity_view *view, const char *key, const char *value);
/* Removes the entities but the world that the query matches and `removes` wants removed. */
void entity_view_remove(struct entity_view *view, struct entity_query query,
                        bool (*removes)(const struct entity *));
/* True after one of these has changed something. */
bool entity_view_is_changed(const struct entity_view *view);
/* As entities_format. */
void entity_view_format(const struct entity_view *view, struct bytes *out);

#endif
