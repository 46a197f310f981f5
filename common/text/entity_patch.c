#include "common/text/entity_patch.h"

#include <string.h>

#include "common/core/array.h"
#include "common/text/entity_reads.h"

static bool parse(const char *text, size_t size, struct entity_list *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    bool fits = entities_parse(text, size, "entities", diag, out) == STATUS_OK;
    diag_free(diag);
    return fits;
}

static bool are_equal(const struct entity *a, const struct entity *b)
{
    if (arrlenu(a->pairs) != arrlenu(b->pairs))
        return false;
    for (size_t i = 0; i < arrlenu(a->pairs); i++)
        if (strcmp(a->pairs[i].key, b->pairs[i].key) != 0 ||
            strcmp(a->pairs[i].value, b->pairs[i].value) != 0)
            return false;
    return true;
}

/* Of those that are seen but the world. */
static uint32_t count_seen(struct entity_questions *questions, const struct entity_list *list)
{
    uint32_t count = 0;
    for (size_t i = 1; i < arrlenu(list->entities); i++)
        count += entity_questions_see(questions, list, i);
    return count;
}

/* The number of entities that are seen but the world, whether each stays; the keys that the world
 * gets. */
static void append_change(struct entity_questions *questions, const struct entity_list *before,
                          const struct entity_list *after, struct bytes *out)
{
    size_t count = arrlenu(before->entities), left = arrlenu(after->entities), next = 1;
    struct bytes keys = {0};
    uint32_t key_count = 0;
    bytes_u32(out, count_seen(questions, before));
    for (size_t i = 1; i < count; i++) {
        bool stays = next < left && are_equal(&before->entities[i], &after->entities[next]);
        if (entity_questions_see(questions, before, i))
            bytes_u8(out, stays);
        next += stays;
    }
    for (size_t i = 0; left && i < arrlenu(after->entities[0].pairs); i++) {
        const struct key_value *pair = &after->entities[0].pairs[i];
        if (count && entity_has(&before->entities[0], pair->key) &&
            strcmp(entity_value(&before->entities[0], pair->key), pair->value) == 0)
            continue;
        bytes_sized_text(&keys, pair->key);
        bytes_sized_text(&keys, pair->value);
        key_count++;
    }
    bytes_u32(out, key_count);
    bytes_append(out, keys.data, keys.size);
    bytes_free(&keys);
}

static bool makes_it(const struct bytes *out, size_t start, const char *before, size_t before_size,
                     const char *after, size_t after_size)
{
    struct byte_reader change = byte_reader(out->data + start, out->size - start);
    char *made = NULL;
    arrsetlen(made, before_size);
    memcpy(made, before, before_size);
    bool makes = entity_patch_apply(&change, &made) && arrlenu(made) == after_size &&
                 memcmp(made, after, after_size) == 0;
    arrfree(made);
    return makes;
}

bool entity_patch_make(const struct bytes *questions, const char *before, size_t before_size,
                       const char *after, size_t after_size, struct bytes *out)
{
    struct entity_list from = {0}, to = {0};
    struct byte_reader asked = byte_reader(questions->data, questions->size);
    size_t start = out->size;
    bool is_same = before_size == after_size && memcmp(before, after, after_size) == 0;
    bytes_u8(out, !is_same);
    if (is_same)
        return true;
    struct entity_questions *seen = entity_questions_read(&asked);
    bool fits = seen && parse(before, before_size, &from) && parse(after, after_size, &to);
    if (fits) {
        bytes_sized_block(out, questions);
        append_change(seen, &from, &to, out);
        fits = makes_it(out, start, before, before_size, after, after_size);
    }
    if (!fits)
        bytes_undo(out, start);
    entity_questions_free(seen);
    entities_free(&from);
    entities_free(&to);
    return fits;
}

static void drop_entities(struct entity_questions *questions, struct byte_reader *from,
                          struct entity_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(list->entities); i++) {
        if (i == 0 || !entity_questions_see(questions, list, i) || read_u8(from))
            list->entities[kept++] = list->entities[i];
        else
            arrfree(list->entities[i].pairs);
    }
    arrsetlen(list->entities, kept);
}

static void set_keys(struct byte_reader *from, struct entity_list *list)
{
    for (uint32_t left = read_u32(from); left > 0 && !from->failed; left--) {
        const char *key = read_sized_text(from, &list->arena),
                   *value = read_sized_text(from, &list->arena);
        if (key && value)
            entity_set(&list->entities[0], &list->arena, key, value);
    }
}

/* Returns the questions of a change, or NULL. */
static struct entity_questions *read_questions(struct byte_reader *from)
{
    struct bytes block = {0};
    struct entity_questions *questions = NULL;
    if (read_sized_block(from, &block)) {
        struct byte_reader reader = byte_reader(block.data, block.size);
        questions = entity_questions_read(&reader);
    }
    bytes_free(&block);
    return questions;
}

bool entity_patch_apply(struct byte_reader *from, char **text)
{
    struct entity_list list = {0};
    struct bytes made = {0};
    if (!read_u8(from))
        return !from->failed;
    struct entity_questions *questions = read_questions(from);
    bool fits = questions && parse(*text, arrlenu(*text), &list) && arrlenu(list.entities) > 0 &&
                read_u32(from) == count_seen(questions, &list);
    if (fits) {
        drop_entities(questions, from, &list);
        set_keys(from, &list);
        fits = !from->failed;
    }
    if (fits) {
        entities_format(&list, &made);
        arrsetlen(*text, made.size);
        memcpy(*text, made.data, made.size);
    }
    bytes_free(&made);
    entity_questions_free(questions);
    entities_free(&list);
    return fits;
}
