#include "common/diag/diag.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/diag/codes/fail_if.def"
#include "common/diag/codes/internal.def"
#include "common/diag/codes/leaks.def"
#include "common/diag/diag_property.h"

struct condition {
    struct diag_condition limit;
    bool is_met; /* and reported */
};

struct diag {
    diag_sink *sink;
    void *context;
    diag_locate *locate; /* or NULL */
    void *locate_context;
    struct diag *recorder; /* or NULL */
    struct arena arena;
    struct diag_entry **entries;
    size_t by_severity[DIAG_SEVERITIES];
    size_t by_code[DIAG_CODES_MAX];
    struct condition *conditions; /* stb_ds array */
    pthread_mutex_t lock;
};

struct diag *diag_new(diag_sink *sink, void *context)
{
    struct diag *diag = memory_zalloc(1, sizeof *diag);
    diag->sink = sink;
    diag->context = context;
    pthread_mutex_init(&diag->lock, NULL);
    return diag;
}

void diag_free(struct diag *diag)
{
    if (!diag)
        return;
    pthread_mutex_destroy(&diag->lock);
    arrfree(diag->entries);
    arrfree(diag->conditions);
    arena_free(&diag->arena);
    memory_free(diag);
}

void diag_set_locator(struct diag *diag, diag_locate *locate, void *context)
{
    diag->locate = locate;
    diag->locate_context = context;
}

void diag_set_recorder(struct diag *diag, struct diag *copy)
{
    diag->recorder = copy;
}

static struct diag_where copy_where(struct arena *arena, const struct diag_where *where);

static struct diag_property copy_property(struct arena *arena, const struct diag_property *property)
{
    struct diag_property copy = *property;
    struct diag_where *places;
    double *numbers;
    switch (diag_property_info(property->name)->kind) {
    case DIAG_KIND_TEXT:
        copy.text = arena_strdup(arena, property->text);
        break;
    case DIAG_KIND_NUMBERS:
        copy.numbers = numbers = ARENA_ARRAY(arena, double, property->count);
        for (size_t i = 0; i < property->count; i++)
            numbers[i] = property->numbers[i];
        break;
    case DIAG_KIND_PLACES:
        copy.places = places = ARENA_ARRAY(arena, struct diag_where, property->count);
        for (size_t i = 0; i < property->count; i++)
            places[i] = copy_where(arena, &property->places[i]);
        break;
    case DIAG_KIND_BOOL:
        break;
    }
    return copy;
}

static struct diag_where copy_where(struct arena *arena, const struct diag_where *where)
{
    struct diag_where copy = *where;
    struct diag_property *list = ARENA_ARRAY(arena, struct diag_property, where->property_count);
    if (where->file)
        copy.file = arena_strdup(arena, where->file);
    if (where->placed_by) {
        struct diag_where *outer = ARENA_NEW(arena, struct diag_where);
        *outer = copy_where(arena, where->placed_by);
        copy.placed_by = outer;
    }
    for (size_t i = 0; i < where->property_count; i++)
        list[i] = copy_property(arena, &where->properties[i]);
    copy.properties = where->property_count ? list : NULL;
    return copy;
}

static void add_entry(struct diag *diag, enum diag_severity severity, int code,
                      const struct diag_where *where, const char *format, va_list args)
{
    pthread_mutex_lock(&diag->lock);
    struct diag_entry *entry = ARENA_NEW(&diag->arena, struct diag_entry);
    entry->code = code;
    entry->severity = severity;
    if (where) {
        struct diag_where located = *where;
        if (diag->locate && !where->file)
            diag->locate(diag->locate_context, &located);
        entry->where = copy_where(&diag->arena, &located);
    }
    entry->message = arena_vprintf(&diag->arena, format, args);
    arrput(diag->entries, entry);
    diag->by_severity[entry->severity]++;
    diag->by_code[diag_index(code)]++;
    if (diag->recorder)
        (void)diag_report_as(diag->recorder, severity, code, where, "%s", entry->message);
    if (diag->sink)
        diag->sink(diag->context, entry);
    pthread_mutex_unlock(&diag->lock);
}

enum status diag_report_list(struct diag *diag, int code, const struct diag_where *where,
                             const char *format, va_list args)
{
    add_entry(diag, diag_info(code)->severity, code, where, format, args);
    return STATUS_FAILED;
}

enum status diag_report(struct diag *diag, int code, const struct diag_where *where,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum status status = diag_report_list(diag, code, where, format, args);
    va_end(args);
    return status;
}

enum status diag_report_as(struct diag *diag, enum diag_severity severity, int code,
                           const struct diag_where *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_entry(diag, severity, code, where, format, args);
    va_end(args);
    return severity == DIAG_ERROR ? STATUS_FAILED : STATUS_OK;
}

size_t diag_where_ids(const struct diag_where *where, struct diag_id out[3])
{
    const struct diag_id ids[3] = {{"entity", where->entity_id},
                                   {where->counted ? "brush" : "solid", where->solid_id},
                                   {"side", where->side_id}};
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (where->counted ? ids[i].id >= 0 : ids[i].id != 0)
            out[count++] = ids[i];
    return count;
}

struct diag_number diag_solid_number(const struct diag_where *where)
{
    struct diag_number out;
    if (where->counted)
        snprintf(out.text, sizeof out.text, "%d of entity %d", where->solid_id, where->entity_id);
    else
        snprintf(out.text, sizeof out.text, "%d", where->solid_id);
    return out;
}

size_t diag_leaks(const struct diag *diag)
{
    return diag_count_code(diag, DIAG_LEAK);
}

bool diag_is_leak(const struct diag_entry *entry)
{
    return entry->code == DIAG_LEAK;
}

enum status diag_verdict(const struct diag *diag, enum status status)
{
    size_t leaks = diag_leaks(diag), errors = diag->by_severity[DIAG_ERROR];
    bool done = status == STATUS_OK || status == STATUS_LEAK;
    if (done && leaks)
        status = STATUS_LEAK;
    if (done && errors > leaks)
        status = STATUS_FAILED;
    /* diag_report always says FAILED; what broke was ours. */
    return status == STATUS_FAILED && diag_count_code(diag, DIAG_INTERNAL) ? STATUS_INTERNAL
                                                                           : status;
}

void diag_add_condition(struct diag *diag, const struct diag_condition *condition)
{
    struct condition copy = {.limit = *condition};
    copy.limit.text = arena_strdup(&diag->arena, condition->text);
    arrput(diag->conditions, copy);
}

/* The reports of conditions are errors, too, and count for none. */
static size_t count_for(const struct diag *diag, const struct diag_condition *condition)
{
    if (!condition->is_severity)
        return diag_count_code(diag, condition->code);
    size_t count = diag->by_severity[condition->severity];
    return condition->severity == DIAG_ERROR ? count - diag_count_code(diag, DIAG_FAIL_IF) : count;
}

static void report_condition(struct diag *diag, const struct diag_condition *condition,
                             size_t count)
{
    if (condition->is_severity)
        (void)diag_report(diag, DIAG_FAIL_IF, NULL, "\"%s\": %zu %s%s reported", condition->text,
                          count, diag_severity_name(condition->severity),
                          count == 1 ? " was" : "s were");
    else
        (void)diag_report(diag, DIAG_FAIL_IF, NULL, "\"%s\": %s was reported %zu time%s",
                          condition->text, diag_info(condition->code)->code, count,
                          count == 1 ? "" : "s");
}

enum status diag_judge(struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(diag->conditions); i++) {
        struct condition *condition = &diag->conditions[i];
        size_t count = count_for(diag, &condition->limit);
        if (!condition->is_met && (double)count > condition->limit.max) {
            condition->is_met = true;
            report_condition(diag, &condition->limit, count);
        }
        if (condition->is_met)
            status = STATUS_FAILED;
    }
    return status;
}

const char *diag_severity_name(enum diag_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return names[severity];
}

size_t diag_count(const struct diag *diag, enum diag_severity severity)
{
    return diag->by_severity[severity];
}

size_t diag_count_code(const struct diag *diag, int code)
{
    return diag->by_code[diag_index(code)];
}

size_t diag_entries(const struct diag *diag)
{
    return arrlenu(diag->entries);
}

const struct diag_entry *diag_entry(const struct diag *diag, size_t index)
{
    return diag->entries[index];
}

void diag_report_again(const struct diag *from, struct diag *to)
{
    for (size_t i = 0; from && i < diag_entries(from); i++) {
        const struct diag_entry *entry = diag_entry(from, i);
        (void)diag_report_as(to, entry->severity, entry->code, &entry->where, "%s", entry->message);
    }
}

static struct diag_where rename_where(const struct diag_where *where, diag_rename *rename,
                                      void *context, struct arena *arena);

static const struct diag_property *rename_properties(const struct diag_where *where,
                                                     diag_rename *rename, void *context,
                                                     struct arena *arena)
{
    struct diag_property *list = ARENA_ARRAY(arena, struct diag_property, where->property_count);
    for (size_t i = 0; i < where->property_count; i++) {
        list[i] = where->properties[i];
        if (diag_property_info(list[i].name)->kind != DIAG_KIND_PLACES)
            continue;
        struct diag_where *places = ARENA_ARRAY(arena, struct diag_where, list[i].count);
        for (size_t k = 0; k < list[i].count; k++)
            places[k] = rename_where(&list[i].places[k], rename, context, arena);
        list[i].places = places;
    }
    return list;
}

static struct diag_where rename_where(const struct diag_where *where, diag_rename *rename,
                                      void *context, struct arena *arena)
{
    struct diag_where renamed = *where;
    if (where->property_count)
        renamed.properties = rename_properties(where, rename, context, arena);
    if (where->file)
        renamed.file = rename(context, where->file);
    if (where->placed_by) {
        struct diag_where *outer = ARENA_NEW(arena, struct diag_where);
        *outer = rename_where(where->placed_by, rename, context, arena);
        renamed.placed_by = outer;
    }
    return renamed;
}

struct diag *diag_renamed(const struct diag *from, diag_rename *rename, void *context)
{
    struct diag *to = diag_new(NULL, NULL);
    struct arena arena = {0};
    for (size_t i = 0; i < diag_entries(from); i++) {
        const struct diag_entry *entry = diag_entry(from, i);
        const struct diag_where where = rename_where(&entry->where, rename, context, &arena);
        (void)diag_report_as(to, entry->severity, entry->code, &where, "%s", entry->message);
    }
    arena_free(&arena);
    return to;
}

static bool has_message(const struct diag *diag, const struct diag_entry *entry)
{
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *other = diag_entry(diag, i);
        if (other->code == entry->code && strstr(other->message, entry->message))
            return true;
    }
    return false;
}

void diag_report_new(const struct diag *from, struct diag *to)
{
    for (size_t i = 0; i < diag_entries(from); i++) {
        const struct diag_entry *entry = diag_entry(from, i);
        if (!has_message(to, entry))
            (void)diag_report_as(to, entry->severity, entry->code, &entry->where, "%s",
                                 entry->message);
    }
}
