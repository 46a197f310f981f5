/* The side of lightmap pages that worldspawn tells. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/text/entities.h"

/* Nearly all maps have no such key, and their entities need not be parsed. */
static bool may_tell(const struct bsp *bsp)
{
    const size_t length = sizeof PAGE_SIDE_KEY - 1, size = arrlenu(bsp->entities);
    if (!bsp->engine->light.lightmap_pages)
        return false;
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bsp->entities + i, PAGE_SIDE_KEY, length) == 0)
            return true;
    return false;
}

int codec_told_page_side(const struct bsp *bsp)
{
    struct entity_list list = {0};
    int side = 0;
    if (!may_tell(bsp))
        return 0;
    struct diag *quiet = diag_new(NULL, NULL);
    if (entities_parse(bsp->entities, arrlenu(bsp->entities), "", quiet, &list) == STATUS_OK &&
        arrlen(list.entities)) {
        const double told = entity_number(&list.entities[0], PAGE_SIDE_KEY, 0);
        side = bsp_can_be_page_side((int64_t)told) ? (int)told : 0;
    }
    entities_free(&list);
    diag_free(quiet);
    return side;
}
