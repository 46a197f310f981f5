/* Compares entities: matched by Hammer's id, else by class, name and position, else by class and
 * order; then key by key. */
#include <ctype.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/diff/diff_internal.h"

enum status diff_read_entities(struct comparison *c)
{
    for (int side = 0; side < 2; side++) {
        const char *text = c->bsp[side]->entities;
        TRY(entities_parse(text ? text : "", arrlenu(text), c->names[side], c->diag,
                           &c->entities[side]));
    }
    return STATUS_OK;
}

static const struct entity *entity_of(const struct comparison *c, int side, int index)
{
    return &c->entities[side].entities[index];
}

typedef uint64_t entity_key(const struct entity *entity);

static uint64_t key_of_number_and_class(const struct entity *entity)
{
    const char *number = entity_value(entity, "hammerid");
    if (!*number)
        return 0;
    return diff_hash_text(diff_hash_text(1, number), entity_value(entity, "classname"));
}

static uint64_t key_of_number(const struct entity *entity)
{
    const char *number = entity_value(entity, "hammerid");
    return *number ? diff_hash_text(2, number) : 0;
}

static uint64_t key_of_place(const struct entity *entity)
{
    struct vec3 origin = vec3(0, 0, 0);
    uint64_t key = diff_hash_text(3, entity_value(entity, "classname"));
    key = diff_hash_text(key, entity_value(entity, "targetname"));
    if (!entity_vector(entity, "origin", &origin))
        return key;
    for (int k = 0; k < 3; k++) /* to an eighth: rounding must not separate them */
        key = hash_pair(key, (uint64_t)(int64_t)portable_fmax(
                                 -1e15, portable_fmin(1e15, round(origin.e[k] * 8))));
    return key | 1;
}

static uint64_t key_of_name(const struct entity *entity)
{
    const char *name = entity_value(entity, "targetname");
    if (!*name)
        return 0;
    return diff_hash_text(diff_hash_text(4, entity_value(entity, "classname")), name);
}

static uint64_t key_of_class(const struct entity *entity)
{
    return diff_hash_text(5, entity_value(entity, "classname"));
}

void diff_match_entities(struct comparison *c)
{
    static entity_key *const passes[] = {key_of_number_and_class, key_of_number, key_of_place,
                                         key_of_name, key_of_class};
    size_t counts[2] = {arrlenu(c->entities[0].entities), arrlenu(c->entities[1].entities)};
    uint64_t *keys[2] = {NULL, NULL};
    diff_match_init(&c->entity_match, counts[0], counts[1]);
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
        for (int side = 0; side < 2; side++) {
            arrsetlen(keys[side], counts[side]);
            for (size_t i = 0; i < counts[side]; i++)
                keys[side][i] = passes[pass](entity_of(c, side, (int)i));
        }
        diff_match_keys(keys[0], keys[1], &c->entity_match);
    }
    arrfree(keys[0]);
    arrfree(keys[1]);
}

/* "func_door door1 (4711) at 0 0 64" */
static const char *describe(struct comparison *c, int side, int index)
{
    const struct entity *entity = entity_of(c, side, index);
    const char *name = entity_value(entity, "targetname");
    const char *number = entity_value(entity, "hammerid");
    const char *class = entity_value(entity, "classname");
    const char *text = *class ? class : "entity without a class";
    struct vec3 origin;
    if (*name)
        text = arena_printf(&c->scratch, "%s \"%s\"", text, name);
    if (*number)
        text = arena_printf(&c->scratch, "%s (id %s)", text, number);
    if (entity_vector(entity, "origin", &origin))
        text = arena_printf(&c->scratch, "%s at %s", text, diff_point_text(c, origin));
    return text;
}

/* Returns true when both have as many numbers, equal up to formatting: "0 0 90" and "0.0 0
 * 90.00". */
static bool same_numbers(const char *a, const char *b)
{
    int count = 0;
    for (;;) {
        char *a_end, *b_end;
        double x = strtod(a, &a_end), y = strtod(b, &b_end);
        if (a_end == a || b_end == b)
            break;
        if (!diff_alike(x, y))
            return false;
        a = a_end;
        b = b_end;
        count++;
    }
    a += strspn(a, " \t");
    b += strspn(b, " \t");
    return count && !*a && !*b;
}

/* Brush models are numbered by the order of the entities: they are compared with the models. */
static bool same_value(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    if (*a == '*' && *b == '*' && isdigit((unsigned char)a[1]) && isdigit((unsigned char)b[1]))
        return true;
    return same_numbers(a, b);
}

static int by_key_and_value(const void *a, const void *b)
{
    const struct key_value *p = a, *q = b;
    int order = str_compare_nocase(p->key, q->key);
    if (!order)
        order = strcmp(p->value, q->value);
    return order ? order : strcmp(p->key, q->key);
}

static struct key_value *sorted_pairs(struct comparison *c, const struct entity *entity)
{
    size_t count = arrlenu(entity->pairs);
    struct key_value *pairs = ARENA_ARRAY(&c->scratch, struct key_value, count + 1);
    for (size_t i = 0; i < count; i++)
        pairs[i] = entity->pairs[i];
    qsort(pairs, count, sizeof *pairs, by_key_and_value);
    return pairs;
}

enum { KEYS_NAMED = 3, VALUE_SHOWN = 40 };

struct key_counts {
    size_t added, removed, changed, origins;
    const char *named; /* the first ones, in the arena of the result; or NULL */
};

/* Length of a run of equal keys (outputs repeat), which are matched by value. */
static size_t run_of(const struct key_value *pairs, size_t from, size_t count)
{
    size_t to = from + 1;
    while (to < count && str_equal_nocase(pairs[to].key, pairs[from].key))
        to++;
    return to;
}

/* Adds a key to those that are named. */
static void name_key(struct comparison *c, const struct key_value *a, const struct key_value *b,
                     struct key_counts *counts)
{
    struct arena *arena = &c->out->arena;
    const char *before = counts->named ? arena_printf(arena, "%s, ", counts->named) : "";
    if (counts->added + counts->removed + counts->changed > KEYS_NAMED)
        return;
    if (a && b)
        counts->named = arena_printf(arena, "%s%s \"%.*s\" to \"%.*s\"", before, a->key,
                                     VALUE_SHOWN, a->value, VALUE_SHOWN, b->value);
    else
        counts->named = arena_printf(arena, "%s%s \"%.*s\" %s", before, a ? a->key : b->key,
                                     VALUE_SHOWN, a ? a->value : b->value, a ? "removed" : "added");
}

static void compare_value(struct comparison *c, const char *what, const struct key_value *a,
                          const struct key_value *b, struct key_counts *counts)
{
    const struct key_value *any = a ? a : b;
    if (!any)
        return;
    counts->origins += str_equal_nocase(any->key, "origin");
    if (a && b) {
        counts->changed++;
        DIFF_EXAMPLE(c, "%s: %s \"%.80s\" in A, \"%.80s\" in B", what, a->key, a->value, b->value);
    } else if (a) {
        counts->removed++;
        DIFF_EXAMPLE(c, "%s: %s \"%.80s\" only in A", what, a->key, a->value);
    } else {
        counts->added++;
        DIFF_EXAMPLE(c, "%s: %s \"%.80s\" only in B", what, b->key, b->value);
    }
    name_key(c, a, b, counts);
}

/* Records an entity that differs; -1: the side has none. */
static void record(struct comparison *c, int a, int b, const struct key_counts *own)
{
    const int numbers[2] = {a, b};
    struct bsp_diff_entity entity = {.change = a < 0 ? BSP_DIFF_ADDED : BSP_DIFF_REMOVED};
    const struct entity *shown = b < 0 ? entity_of(c, 0, a) : entity_of(c, 1, b);
    entity.class = arena_strdup(&c->out->arena, entity_value(shown, "classname"));
    entity.name = arena_strdup(&c->out->arena, entity_value(shown, "targetname"));
    for (int side = 0; side < 2; side++)
        entity.has_origin[side] =
            numbers[side] >= 0 &&
            entity_vector(entity_of(c, side, numbers[side]), "origin", &entity.origin[side]);
    if (own) {
        entity.key_count = own->added + own->removed + own->changed;
        entity.change = own->origins && own->origins == entity.key_count && entity.has_origin[0] &&
                                entity.has_origin[1]
                            ? BSP_DIFF_MOVED
                            : BSP_DIFF_CHANGED;
        entity.keys = own->named;
    }
    arrput(c->out->entities, entity);
}

static void record_alone(struct comparison *c)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(c->entity_match.to[side]); i++)
            if (c->entity_match.to[side][i] < 0)
                record(c, side ? -1 : i, side ? i : -1, NULL);
}

/* The entries of both runs, without the values that both have, are paired in order. Each list is
 * sorted, so that equal ones meet. */
static void compare_run(struct comparison *c, const char *what, struct key_value *a, size_t a_count,
                        struct key_value *b, size_t b_count, struct key_counts *counts)
{
    size_t a_left = 0, b_left = 0, i = 0, k = 0;
    while (i < a_count || k < b_count) {
        int order = i == a_count ? 1 : k == b_count ? -1 : strcmp(a[i].value, b[k].value);
        if (!order) {
            i++;
            k++;
        } else if (order < 0) {
            a[a_left++] = a[i++];
        } else {
            b[b_left++] = b[k++];
        }
    }
    for (i = 0; i < a_left || i < b_left; i++) {
        const struct key_value *p = i < a_left ? &a[i] : NULL, *q = i < b_left ? &b[i] : NULL;
        if (!p || !q || !same_value(p->value, q->value))
            compare_value(c, what, p, q, counts);
    }
}

static bool compare_entity(struct comparison *c, int a, int b, struct key_counts *counts)
{
    struct arena_mark mark = arena_mark(&c->scratch);
    const struct entity *entities[2] = {entity_of(c, 0, a), entity_of(c, 1, b)};
    struct key_value *p = sorted_pairs(c, entities[0]), *q = sorted_pairs(c, entities[1]);
    size_t p_count = arrlenu(entities[0]->pairs), q_count = arrlenu(entities[1]->pairs);
    struct key_counts own = {0};
    const char *what = describe(c, 0, a);
    for (size_t i = 0, k = 0; i < p_count || k < q_count;) {
        size_t i_end = i < p_count ? run_of(p, i, p_count) : i;
        size_t k_end = k < q_count ? run_of(q, k, q_count) : k;
        int order = i == p_count ? 1 : k == q_count ? -1 : str_compare_nocase(p[i].key, q[k].key);
        if (order < 0)
            k_end = k;
        else if (order > 0)
            i_end = i;
        compare_run(c, what, p + i, i_end - i, q + k, k_end - k, &own);
        i = i_end;
        k = k_end;
    }
    counts->added += own.added;
    counts->removed += own.removed;
    counts->changed += own.changed;
    arena_release(&c->scratch, mark);
    const bool differs = own.added || own.removed || own.changed;
    if (differs)
        record(c, a, b, &own);
    return differs;
}

void diff_entities(struct comparison *c)
{
    const struct diff_match *match = &c->entity_match;
    struct key_counts counts = {0};
    size_t changed = 0;
    diff_count(c, arrlenu(match->to[0]), arrlenu(match->to[1]));
    for (int i = 0; i < arrlen(match->to[0]); i++)
        if (match->to[0][i] >= 0)
            changed += compare_entity(c, i, match->to[0][i], &counts);
    diff_differ(c, "changed", changed);
    diff_figure(c, "keys_changed", (double)counts.changed);
    diff_figure(c, "keys_only_in_a", (double)counts.removed);
    diff_figure(c, "keys_only_in_b", (double)counts.added);
    diff_unmatched(c, match, describe);
    record_alone(c);
}
