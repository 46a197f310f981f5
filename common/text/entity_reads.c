#include "common/text/entity_reads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* A question is "KEY\nCLASS": a key has no end of line, or it only makes one more question. */
struct question {
    char *key;
    bool value;
};

struct entity_reads {
    pthread_mutex_t lock; /* of all that follows */
    struct arena texts;
    struct question *questions; /* stb_ds map */
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
    shfree(reads->questions);
    arena_free(&reads->texts);
    pthread_mutex_destroy(&reads->lock);
    memory_free(reads);
}

void entity_reads_watch(struct entity_reads *reads, struct entity_list *list)
{
    for (size_t i = 0; i < arrlenu(list->entities); i++)
        list->entities[i].reads = reads;
}

/* As entity_value, without a note. */
static const struct key_value *pair_of(const struct entity *entity, const char *key)
{
    for (size_t i = 0; i < arrlenu(entity->pairs); i++)
        if (str_equal_nocase(entity->pairs[i].key, key))
            return &entity->pairs[i];
    return NULL;
}

static const char *class_of(const struct entity *entity)
{
    const struct key_value *pair = pair_of(entity, "classname");
    return pair ? pair->value : "";
}

void entity_reads_note(const struct entity *entity, const char *key)
{
    struct entity_reads *reads = entity->reads;
    struct arena arena = {0};
    const char *question = arena_printf(&arena, "%s\n%s", key, class_of(entity));
    pthread_mutex_lock(&reads->lock);
    if (shgeti(reads->questions, question) < 0)
        shput(reads->questions, arena_strdup(&reads->texts, question), true);
    pthread_mutex_unlock(&reads->lock);
    arena_free(&arena);
}

static int compare_questions(const void *a, const void *b)
{
    const struct question *first = a, *second = b;
    return strcmp(first->key, second->key);
}

void entity_reads_write(struct entity_reads *reads, struct bytes *out)
{
    pthread_mutex_lock(&reads->lock);
    size_t count = shlenu(reads->questions);
    struct question *sorted = memory_alloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = reads->questions[i];
    qsort(sorted, count, sizeof *sorted, compare_questions);
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        bytes_sized_text(out, sorted[i].key);
    memory_free(sorted);
    pthread_mutex_unlock(&reads->lock);
}

/* The keys that were asked of a class. */
struct class_keys {
    char *key;          /* the class */
    const char **value; /* stb_ds array */
};

static bool read_questions(struct byte_reader *from, struct arena *arena, struct class_keys **out)
{
    uint32_t count = read_u32(from);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        char *question = read_sized_text(from, arena);
        if (!question)
            break;
        char *line = strchr(question, '\n');
        if (!line)
            return false;
        *line = 0;
        const char **keys = shget(*out, line + 1);
        const char *key = question;
        arrput(keys, key);
        shput(*out, line + 1, keys);
    }
    return !from->failed;
}

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text) + 1);
}

bool entity_reads_answer(struct byte_reader *questions, const struct entity_list *list,
                         unsigned char out[SHA256_SIZE])
{
    struct arena arena = {0};
    struct class_keys *classes = NULL;
    struct sha256 hash;
    bool fits = read_questions(questions, &arena, &classes);
    sha256_begin(&hash);
    for (size_t i = 0; i < arrlenu(list->entities); i++) {
        const struct entity *entity = &list->entities[i];
        const char *const *keys = shget(classes, class_of(entity));
        add_text(&hash, class_of(entity));
        for (size_t k = 0; k < arrlenu(keys); k++) {
            const struct key_value *pair = pair_of(entity, keys[k]);
            add_text(&hash, pair ? "=" : "");
            add_text(&hash, pair ? pair->value : "");
        }
    }
    sha256_end(&hash, out);
    for (size_t i = 0; i < shlenu(classes); i++)
        arrfree(classes[i].value);
    shfree(classes);
    arena_free(&arena);
    return fits;
}
