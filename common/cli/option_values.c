#include "common/cli/option_values.h"

#include <string.h>

#include "common/core/array.h"

void *option_field(const struct option_def *def, const void *values)
{
    char *begin = (char *)values;
    if (def->part)
        begin = *(char **)(begin + def->part->at);
    return begin + def->offset;
}

static bool is_first_of_part(const struct option_group *group, size_t index)
{
    const struct option_part *part = group->defs[index].part;
    for (size_t i = 0; i < index; i++)
        if (group->defs[i].part == part)
            return false;
    return part != NULL;
}

void option_group_own_parts(const struct option_group *group, void *values, struct arena *arena)
{
    for (size_t i = 0; i < group->count; i++) {
        if (!is_first_of_part(group, i))
            continue;
        const struct option_part *part = group->defs[i].part;
        char *pointer = (char *)values + group->base + part->at;
        const void *from;
        memcpy(&from, pointer, sizeof from);
        void *own = arena_alloc(arena, 1, part->size);
        memcpy(own, from, part->size);
        memcpy(pointer, &own, sizeof own);
    }
}

struct visiting {
    const struct option_def *def;
    struct arena *arena;
    option_values_visit *visit;
    void *context;
};

static void visit_texts(const struct visiting *visiting, const char *const *list)
{
    const size_t arity = visiting->def->arity > 1 ? (size_t)visiting->def->arity : 1;
    for (size_t i = 0; i < arrlenu(list); i += arity)
        visiting->visit(visiting->context, visiting->def, list + i,
                        arrlenu(list) - i < arity ? arrlenu(list) - i : arity);
}

static void visit_numbers(const struct visiting *visiting, const void *field)
{
    const struct option_def *def = visiting->def;
    const bool is_int = option_value(def) == VALUE_INTS;
    const char **values = NULL;
    for (int i = 0; i < (def->arity > 1 ? def->arity : 1); i++) {
        double number = is_int ? ((const int *)field)[i] : ((const double *)field)[i];
        if (def->kind == OPTION_NUMBER_OR_NONE && number == -1)
            continue;
        const char *text = arena_printf(visiting->arena, "%.17g", number);
        arrput(values, text);
    }
    visiting->visit(visiting->context, def, values, arrlenu(values));
    arrfree(values);
}

void option_values(const struct option_def *def, const void *field, struct arena *arena,
                   option_values_visit *visit, void *context)
{
    const struct visiting visiting = {def, arena, visit, context};
    switch (option_value(def)) {
    case VALUE_LIST:
        visit_texts(&visiting, *(const char *const *const *)field);
        break;
    case VALUE_TEXT:
        visit(context, def, field, 1);
        break;
    case VALUE_INTS:
    case VALUE_NUMBERS:
        visit_numbers(&visiting, field);
        break;
    case VALUE_CHOICE:
        visit(context, def, &def->choices[*(const int *)field], 1);
        break;
    case VALUE_BOOL:
        if (*(const bool *)field == (def->kind != OPTION_CLEAR))
            visit(context, def, NULL, 0);
        break;
    case VALUE_NONE:
        break;
    }
}

struct adding {
    struct arena *arena;
    const char ***words;
};

/* An option_values_visit. */
static void add_words(void *context, const struct option_def *def, const char *const *values,
                      size_t count)
{
    const struct adding *adding = context;
    const char *dashed = arena_printf(adding->arena, "--%s", def->name);
    arrput(*adding->words, dashed);
    for (size_t i = 0; i < count; i++)
        arrput(*adding->words, values[i]);
}

/* A name may be in several groups, and several times in one. */
static bool has_word(const char *const *words, const char *name)
{
    for (size_t i = 0; i < arrlenu(words); i++)
        if (strncmp(words[i], "--", 2) == 0 && strcmp(words[i] + 2, name) == 0)
            return true;
    return false;
}

void option_words(const struct option_table *table, size_t group, const void *values,
                  const struct option_result *result, struct arena *arena, const char ***words)
{
    struct adding adding = {arena, words};
    size_t first = table->count, base;
    for (size_t i = 0; i < group; i++)
        first += table->groups[i].count;
    for (size_t i = 0; i < table->groups[group].count; i++) {
        const struct option_def *def = options_at(table, first + i, &base);
        const bool is_output = def->path == OPTION_WRITES || def->path == OPTION_APPENDS;
        if (result->sources[first + i] != OPTION_COMMAND_LINE || is_output || def->of_caller ||
            option_is_ignored(def) || has_word(*words, def->name))
            continue;
        option_values(def, option_field(def, (const char *)values + base), arena, add_words,
                      &adding);
    }
}
