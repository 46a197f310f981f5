#include "common/text/entity_reads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* More is none of a stage, whose keys are in its code: a bound of the time that foreign questions
 * take. */
enum { MAX_FILTER_KEYS = 64, MAX_PREFIXES = 64, MAX_CLASS_KEYS = 1024 };

/* A text: "KEY\nCLASS" of a question, "=KEY\nVALUE" or "^KEY\nPREFIX" of a filter, whose parts are
 * in small letters. A key has no end of line, or it only makes one more of them. */
struct note {
    char *key;
    bool value;
};

struct entity_reads {
    pthread_mutex_t lock; /* of all that follows */
    struct arena texts;
    struct note *filters, *questions; /* stb_ds maps */
};

struct entity_reads *entity_reads_new(void)
{
    struct entity_reads *reads = memory_zalloc(1, sizeof *reads);
    pthread_mutex_init(&reads->lock, NULL);
    return reads;
}

void entity_reads_free(struct entity_reads *reads)
{
    if (!reads)
        return;
    shfree(reads->filters);
    shfree(reads->questions);
    arena_free(&reads->texts);
    pthread_mutex_destroy(&reads->lock);
    memory_free(reads);
}

/* As entity_value, without a note. */
static const struct key_value *pair_of(const struct entity *entity, const char *key)
{
    for (size_t i = 0; i < arrlenu(entity->pairs); i++)
        if (str_equal_nocase(entity->pairs[i].key, key))
            return &entity->pairs[i];
    return NULL;
}

static const char *value_of(const struct entity *entity, const char *key)
{
    const struct key_value *pair = pair_of(entity, key);
    return pair ? pair->value : "";
}

static const char *class_of(const struct entity *entity)
{
    return value_of(entity, "classname");
}

bool entity_filter_matches(const struct entity_filter *filter, const struct entity *entity)
{
    const char *value = value_of(entity, filter->key);
    return filter->is_prefix ? str_starts_nocase(value, filter->value)
                             : str_equal_nocase(value, filter->value);
}

static void make_small(char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

static void note(struct entity_reads *reads, struct note **notes, const char *text)
{
    pthread_mutex_lock(&reads->lock);
    if (shgeti(*notes, text) < 0)
        shput(*notes, arena_strdup(&reads->texts, text), true);
    pthread_mutex_unlock(&reads->lock);
}

void entity_reads_note(const struct entity *entity, const char *key)
{
    struct arena arena = {0};
    const char *question = arena_printf(&arena, "%s\n%s", key, class_of(entity));
    note(entity->reads, &entity->reads->questions, question);
    arena_free(&arena);
}

void entity_reads_note_filter(struct entity_reads *reads, const struct entity_filter *filter)
{
    struct arena arena = {0};
    char *text =
        arena_printf(&arena, "%c%s\n%s", filter->is_prefix ? '^' : '=', filter->key, filter->value);
    make_small(text);
    note(reads, &reads->filters, text);
    arena_free(&arena);
}

static int compare_notes(const void *a, const void *b)
{
    const struct note *first = a, *second = b;
    return strcmp(first->key, second->key);
}

static void write_notes(const struct note *notes, struct bytes *out)
{
    size_t count = shlenu(notes);
    struct note *sorted = memory_alloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = notes[i];
    qsort(sorted, count, sizeof *sorted, compare_notes);
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        bytes_sized_text(out, sorted[i].key);
    memory_free(sorted);
}

void entity_reads_write(struct entity_reads *reads, struct bytes *out)
{
    pthread_mutex_lock(&reads->lock);
    write_notes(reads->filters, out);
    write_notes(reads->questions, out);
    pthread_mutex_unlock(&reads->lock);
}

/* ---- questions of another run ---- */

/* The keys that were asked of a class. */
struct class_keys {
    char *key;          /* the class */
    const char **value; /* stb_ds array */
};

struct prefix {
    const char *key, *value;
};

struct entity_questions {
    struct arena arena;
    struct class_keys *classes; /* stb_ds map */
    struct note *values;        /* stb_ds map: "KEY\nVALUE" of filters by the whole value */
    struct note *value_keys;    /* stb_ds map: their keys */
    struct prefix *prefixes;    /* stb_ds array */
};

/* Calls `take` with the two lines of each text. */
static bool read_notes(struct byte_reader *from, struct entity_questions *out,
                       bool (*take)(struct entity_questions *, char *first, char *second))
{
    uint32_t count = read_u32(from);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        char *text = read_sized_text(from, &out->arena);
        char *line = text ? strchr(text, '\n') : NULL;
        if (!line)
            return false;
        *line = 0;
        if (!take(out, text, line + 1))
            return false;
    }
    return !from->failed;
}

static bool take_filter(struct entity_questions *out, char *first, char *second)
{
    const char kind = first[0];
    make_small(second);
    if (kind == '^')
        arrput(out->prefixes, ((struct prefix){first + 1, second}));
    else if (kind == '=') {
        shput(out->values, arena_printf(&out->arena, "%s\n%s", first + 1, second), true);
        shput(out->value_keys, first + 1, true);
    }
    return (kind == '^' || kind == '=') && arrlenu(out->prefixes) <= MAX_PREFIXES &&
           shlenu(out->value_keys) <= MAX_FILTER_KEYS;
}

static bool take_question(struct entity_questions *out, char *first, char *second)
{
    const char **keys = shget(out->classes, second);
    const char *key = first;
    arrput(keys, key);
    shput(out->classes, second, keys);
    return arrlenu(keys) <= MAX_CLASS_KEYS;
}

struct entity_questions *entity_questions_read(struct byte_reader *from)
{
    struct entity_questions *questions = memory_zalloc(1, sizeof *questions);
    if (read_notes(from, questions, take_filter) && read_notes(from, questions, take_question))
        return questions;
    entity_questions_free(questions);
    return NULL;
}

void entity_questions_free(struct entity_questions *questions)
{
    if (!questions)
        return;
    for (size_t i = 0; i < shlenu(questions->classes); i++)
        arrfree(questions->classes[i].value);
    shfree(questions->classes);
    shfree(questions->values);
    shfree(questions->value_keys);
    arrfree(questions->prefixes);
    arena_free(&questions->arena);
    memory_free(questions);
}

static void add_text(struct sha256 *hash, const char *text)
{
    if (hash)
        sha256_add(hash, text, strlen(text) + 1);
}

/* Adds the filters that match an entity, when there is a hash, and returns true if one does. Those
 * that match none add nothing. */
static bool add_matches(struct entity_questions *questions, const struct entity *entity,
                        struct sha256 *hash)
{
    struct arena arena = {0};
    bool matches = false;
    for (size_t i = 0; i < shlenu(questions->value_keys); i++) {
        const char *key = questions->value_keys[i].key;
        char *filter = arena_printf(&arena, "%s\n%s", key, value_of(entity, key));
        make_small(filter);
        if (shgeti(questions->values, filter) < 0)
            continue;
        matches = true;
        add_text(hash, filter);
    }
    for (size_t i = 0; i < arrlenu(questions->prefixes); i++) {
        const struct prefix *prefix = &questions->prefixes[i];
        if (!str_starts_nocase(value_of(entity, prefix->key), prefix->value))
            continue;
        matches = true;
        add_text(hash, prefix->key);
        add_text(hash, prefix->value);
    }
    arena_free(&arena);
    return matches;
}

bool entity_questions_see(struct entity_questions *questions, const struct entity_list *list,
                          size_t index)
{
    return index == 0 || add_matches(questions, &list->entities[index], NULL);
}

static void add_keys(struct entity_questions *questions, const struct entity *entity,
                     struct sha256 *hash)
{
    const char *const *keys = shget(questions->classes, class_of(entity));
    add_text(hash, class_of(entity));
    for (size_t k = 0; k < arrlenu(keys); k++) {
        const struct key_value *pair = pair_of(entity, keys[k]);
        add_text(hash, pair ? "=" : "");
        add_text(hash, pair ? pair->value : "");
    }
}

void entity_questions_answer(struct entity_questions *questions, const struct entity_list *list,
                             unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    for (size_t i = 0; i < arrlenu(list->entities); i++) {
        const struct entity *entity = &list->entities[i];
        if (!add_matches(questions, entity, &hash) && i > 0)
            continue;
        add_text(&hash, "{");
        add_keys(questions, entity, &hash);
        add_text(&hash, "}");
    }
    sha256_end(&hash, out);
}
