/* Entities, texture names and the archive of files. */
#include <stdlib.h>

#include "common/bsp/verify_parts.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/entities.h"

enum { KEY_MAX = 32, VALUE_MAX = 1024 }; /* characters; what the engine's parser has room for */

static void verify_entity(struct verifier *verifier, size_t i, const struct entity *entity,
                          int *model_users)
{
    size_t models = arrlenu(verifier->bsp->models);
    if (!entity_has(entity, "classname"))
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "entity %zu has no classname", i);
    for (size_t k = 0; k < arrlenu(entity->pairs); k++)
        if (strlen(entity->pairs[k].key) >= KEY_MAX || strlen(entity->pairs[k].value) >= VALUE_MAX)
            verify_fault(verifier, DIAG_VERIFY_LONG_VALUE, NULL,
                         "entity %zu: the value of %.40s has %zu characters", i,
                         entity->pairs[k].key, strlen(entity->pairs[k].value));
    const char *model = entity_value(entity, "model");
    long number;
    if (model[0] != '*')
        return;
    if (!str_to_long(model + 1, &number) || number < 1 || number >= (long)models)
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL,
                     "entity %zu has model %.20s; there are models up to *%zu", i, model,
                     models ? models - 1 : 0);
    else
        model_users[number]++;
}

void verify_entities(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    struct entity_list list = {0};
    size_t models = arrlenu(bsp->models);
    if (entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities), verifier->name,
                       verifier->diag, &list) != STATUS_OK) {
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "the entities do not parse");
        entities_free(&list);
        return;
    }
    if (!arrlen(list.entities) || !entity_is(&list.entities[0], "worldspawn"))
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "the first entity is not worldspawn");
    int *users = memory_zalloc(models, sizeof *users);
    for (size_t i = 0; i < arrlenu(list.entities); i++)
        verify_entity(verifier, i, &list.entities[i], users);
    for (size_t i = 1; i < models; i++)
        if (!users[i])
            verify_fault(verifier, DIAG_VERIFY_MODEL_USE, NULL, "model %zu is of no entity", i);
    memory_free(users);
    entities_free(&list);
}

static int by_text(const void *a, const void *b)
{
    return str_compare_nocase(*(char *const *)a, *(char *const *)b);
}

static void verify_names(struct verifier *verifier)
{
    size_t count = arrlenu(verifier->bsp->texture_names);
    if (!count)
        return;
    char **sorted = memory_alloc(count * sizeof *sorted);
    memcpy(sorted, verifier->bsp->texture_names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        if (!*sorted[i])
            verify_fault(verifier, DIAG_VERIFY_TEXTURE, NULL, "a texture name is empty");
        else if (i && str_equal_nocase(sorted[i], sorted[i - 1]))
            verify_fault(verifier, DIAG_VERIFY_TEXTURE_TWICE, NULL, "%s is there twice", sorted[i]);
    }
    memory_free(sorted);
}

void verify_textures(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++) {
        const struct bsp_texdata *data = &bsp->texdata[i];
        if (data->width <= 0 || data->height <= 0 || data->view_width <= 0 ||
            data->view_height <= 0)
            verify_fault(verifier, DIAG_VERIFY_TEXTURE, NULL,
                         "texdata %zu (%s) has size %d x %d, shown as %d x %d", i,
                         bsp->texture_names[data->name], data->width, data->height,
                         data->view_width, data->view_height);
    }
    verify_names(verifier);
}

/* The parts of a zip archive (its specification, sections 4.3.7, 4.3.12 and 4.3.16). */
enum {
    END_SIZE = 22,
    END_COUNT = 10,
    END_DIRECTORY_SIZE = 12,
    END_DIRECTORY_AT = 16,
    END_COMMENT = 20,
    COMMENT_MAX = 65535,
    ENTRY_SIZE = 46,
    ENTRY_PACKED = 20,
    ENTRY_NAME = 28,
    ENTRY_EXTRA = 30,
    ENTRY_COMMENT = 32,
    ENTRY_FILE_AT = 42,
    FILE_SIZE = 30,
    FILE_NAME = 26,
    FILE_EXTRA = 28,
};

static bool has_mark(const struct bytes *zip, size_t at, size_t size, const char *mark)
{
    return at <= zip->size && size <= zip->size - at && !memcmp(zip->data + at, mark, 4);
}

/* Where the end record starts; its comment reaches the end of the archive. SIZE_MAX: none. */
static size_t find_end(const struct bytes *zip)
{
    for (size_t back = END_SIZE; back <= zip->size && back <= END_SIZE + COMMENT_MAX; back++) {
        size_t at = zip->size - back;
        if (has_mark(zip, at, END_SIZE, "PK\5\6") &&
            load_u16(zip->data + at + END_COMMENT) == back - END_SIZE)
            return at;
    }
    return SIZE_MAX;
}

/* The entry at `at` and the file that it names; the size of the entry, or 0. */
static size_t check_entry(const struct bytes *zip, size_t at)
{
    if (!has_mark(zip, at, ENTRY_SIZE, "PK\1\2"))
        return 0;
    const unsigned char *entry = zip->data + at;
    size_t file = load_u32(entry + ENTRY_FILE_AT), packed = load_u32(entry + ENTRY_PACKED);
    if (!has_mark(zip, file, FILE_SIZE, "PK\3\4"))
        return 0;
    size_t data = file + FILE_SIZE + load_u16(zip->data + file + FILE_NAME) +
                  load_u16(zip->data + file + FILE_EXTRA);
    if (data > at || packed > at - data)
        return 0;
    return (size_t)ENTRY_SIZE + load_u16(entry + ENTRY_NAME) + load_u16(entry + ENTRY_EXTRA) +
           load_u16(entry + ENTRY_COMMENT);
}

void verify_pakfile(struct verifier *verifier)
{
    const struct bytes *zip = &verifier->bsp->pakfile;
    if (!zip->size)
        return;
    size_t end = find_end(zip);
    if (end == SIZE_MAX) {
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "the pakfile is no zip archive");
        return;
    }
    size_t count = load_u16(zip->data + end + END_COUNT);
    size_t size = load_u32(zip->data + end + END_DIRECTORY_SIZE);
    size_t at = load_u32(zip->data + end + END_DIRECTORY_AT);
    if (at > end || size != end - at) {
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL,
                     "its directory does not lie before its end");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t entry = check_entry(zip, at);
        if (!entry) {
            verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "entry %zu of %zu is damaged", i,
                         count);
            return;
        }
        at += entry;
    }
    if (at != end)
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL,
                     "its directory is not as long as it says");
}
