/* Verifies entities, texture names and the archive of files. */
#include <stdlib.h>

#include "common/bsp/verify/entity_check.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/verify.def"
#include "common/text/entities.h"

enum { KEY_MAX = 32, VALUE_MAX = 1024 }; /* characters; the size of the engine's buffers */

/* A key of Left 4 Dead 2's own worldspawn, which that game reads. */
static const char longer_key[] = "clip_3D_skybox_near_to_world_far_offset";

static bool is_too_long(const struct key_value *pair)
{
    return (strlen(pair->key) >= KEY_MAX && !str_equal_nocase(pair->key, longer_key)) ||
           strlen(pair->value) >= VALUE_MAX;
}

static void verify_entity(struct verifier *verifier, size_t i, const struct entity *entity,
                          int *model_users)
{
    struct entity_check checked;
    entity_check(entity, i, arrlenu(verifier->bsp->models), &checked);
    if (checked.fault[0])
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "%s", checked.fault);
    for (size_t k = 0; k < arrlenu(entity->pairs); k++)
        if (is_too_long(&entity->pairs[k]))
            verify_fault(verifier, DIAG_VERIFY_LONG_VALUE, NULL,
                         "entity %zu: value of %.40s has %zu characters", i, entity->pairs[k].key,
                         strlen(entity->pairs[k].value));
    if (checked.model)
        model_users[checked.model]++;
}

void verify_entities(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    struct entity_list list = {0};
    size_t models = arrlenu(bsp->models);
    if (entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities), verifier->name,
                       verifier->diag, &list) != STATUS_OK) {
        verify_fault(verifier, DIAG_VERIFY_ENTITIES, NULL, "syntax error");
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
            verify_fault(verifier, DIAG_VERIFY_MODEL_USE, NULL, "model %zu", i);
    memory_free(users);
    entities_free(&list);
}

static int by_text(const void *a, const void *b)
{
    const char *first = *(const char *const *)a, *second = *(const char *const *)b;
    int order = str_compare_nocase(first, second);
    return order ? order : strcmp(first, second);
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
            verify_fault(verifier, DIAG_VERIFY_TEXTURE, NULL, "empty texture name");
        else if (i && str_equal_nocase(sorted[i], sorted[i - 1]))
            verify_fault(verifier, DIAG_VERIFY_TEXTURE_TWICE, NULL, "%s", sorted[i]);
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
                         "texdata %zu (%s): size %d x %d, view size %d x %d", i,
                         bsp->texture_names[data->name], data->width, data->height,
                         data->view_width, data->view_height);
    }
    verify_names(verifier);
}
