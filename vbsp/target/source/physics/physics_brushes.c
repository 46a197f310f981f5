/* Which brushes lie in the leaves of a model. */
#include "common/core/array.h"
#include "vbsp/target/source/physics/physics_maker.h"

struct search {
    const struct compile *compile;
    int body, mask;
    bool *found; /* one a brush of the map */
};

static void search_leaf(struct search *search, const struct bsp_leaf *leaf)
{
    const struct compile *compile = search->compile;
    if (search->body >= 0 && leaf->water_data != search->body)
        return;
    for (int i = 0; i < leaf->brush_count; i++) {
        int number = compile->bsp->leaf_brushes[leaf->first_brush + i];
        if (compile->brushes[number]->contents & search->mask)
            search->found[number] = true;
    }
}

static void search_node(struct search *search, int node)
{
    const struct bsp *bsp = search->compile->bsp;
    while (node >= 0) {
        search_node(search, bsp->nodes[node].children[0]);
        node = bsp->nodes[node].children[1];
    }
    search_leaf(search, &bsp->leaves[-1 - node]);
}

const struct map_brush **physics_leaf_brushes(const struct compile *compile, int model, int body,
                                              int mask)
{
    const struct map_brush **brushes = NULL;
    size_t count = arrlenu(compile->brushes);
    struct search search = {.compile = compile, .body = body, .mask = mask};
    search.found = memory_zalloc(count + 1, sizeof *search.found);
    search_node(&search, compile->bsp->models[model].head_node);
    for (size_t i = 0; i < count; i++)
        if (search.found[i])
            arrput(brushes, compile->brushes[i]);
    memory_free(search.found);
    return brushes;
}
