#include "vbsp/target/source/physics/physics.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/collision.def"
#include "common/parallel/parallel.h"
#include "vbsp/target/source/materials/material_patch.h"
#include "vbsp/target/source/physics/physics_internal.h"

enum {
    MATERIALS_MAX = PHYSICS_MATERIALS_MAX - 1,
    LAST_VERSION_WITH_COPY = 19,
    BATCH_MAX = 512,      /* brushes per batch, to limit memory */
    BRUSHES_AT_ONCE = 32, /* per thread: fewer are not worth a parallel loop */
};

/* --- surface properties --- */

static void report_unknown(struct physics_part *part, const char *name,
                           const struct material *material)
{
    struct physics_maker *maker = part->maker;
    for (size_t i = 0; i < arrlenu(maker->unknown); i++)
        if (str_equal_nocase(maker->unknown[i], name))
            return;
    arrput(maker->unknown, name);
    diag_report(part->compile->env->diag, DIAG_SURFACEPROP_UNKNOWN, NULL,
                "\"%s\" in material \"%s\"", name, material->name);
}

const char *physics_prop_name(struct physics_part *part, const struct material *material)
{
    const struct surfaceprops *props = part->maker->props;
    const char *name = *material->surface_prop
                           ? material->surface_prop
                           : surfaceprops_infer(material_patch_base(part->compile, material)->name);
    const struct surface_prop *prop = surfaceprops_find(props, name);
    if (prop)
        return prop->name;
    if (!surfaceprops_are_of_game(props))
        return name; /* left to the engine */
    report_unknown(part, name, material);
    return surfaceprops_get(props, name)->name;
}

static int material_number(struct physics_part *part, const struct material *material)
{
    const char ***table = &part->maker->materials;
    const char *name = physics_prop_name(part, material);
    for (int i = 0; i < (int)arrlen(*table); i++)
        if (str_equal_nocase((*table)[i], name))
            return i + 1;
    if (arrlen(*table) == MATERIALS_MAX)
        return 1;
    arrput(*table, name);
    return (int)arrlen(*table);
}

/* --- solids --- */

static void close_solid(struct physics_part *part)
{
    struct hull_set *set = &part->set;
    if (arrlenu(set->solid.ledges)) {
        hull_set_finish(set);
        if (part->is_moving)
            physics_solid_measure_drag(&set->solid);
        struct bytes bytes = {0};
        enum status status =
            physics_solid_encode(&set->solid, NULL, part->compile->env->diag, &bytes);
        if (status != STATUS_OK)
            part->maker->status = status;
        part->describe(part);
        arrput(part->model->solids, bytes);
    }
    hull_set_free(set);
}

static struct hull_face *drawn_faces(struct physics_part *part, const struct map_brush *brush)
{
    struct hull_face *faces = NULL;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        struct hull_face face = {.winding = side->winding};
        if (!side->winding)
            continue;
        if (part->has_materials)
            face.material = material_number(part, side->material);
        arrput(faces, face);
    }
    return faces;
}

/* A batch of brushes. Faces and materials are found, and hulls appended, in the order of the
 * brushes; the hulls are made in parallel in between. */
struct hull_batch {
    struct arena arena; /* for shrunk faces */
    const struct map_brush *const *brushes;
    size_t count;
    struct hull_face *shrunk[BATCH_MAX], *drawn[BATCH_MAX]; /* stb_ds arrays */
    struct hull *hulls[BATCH_MAX];
};

static void make_hull(struct hull_batch *batch, size_t index)
{
    const struct hull_face *shrunk = batch->shrunk[index], *drawn = batch->drawn[index];
    if (shrunk)
        batch->hulls[index] = hull_make(shrunk, (int)arrlen(shrunk));
    if (!batch->hulls[index])
        batch->hulls[index] = hull_make(drawn, (int)arrlen(drawn));
}

static void make_hull_range(void *context, size_t index, int thread)
{
    (void)thread;
    struct hull_batch *batch = context;
    size_t end = (index + 1) * BRUSHES_AT_ONCE;
    for (size_t i = index * BRUSHES_AT_ONCE; i < end && i < batch->count; i++)
        make_hull(batch, i);
}

static void find_faces(struct physics_part *part, struct hull_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        batch->drawn[i] = drawn_faces(part, batch->brushes[i]);
        if (part->is_moving)
            batch->shrunk[i] = physics_shrunk_faces(part, batch->brushes[i], &batch->arena);
    }
}

static void take_hull(struct physics_part *part, struct hull_batch *batch, size_t index)
{
    const struct map_brush *brush = batch->brushes[index];
    if (!hull_set_has_room(&part->set))
        close_solid(part);
    if (batch->hulls[index]) {
        hull_set_add_hull(&part->set, batch->hulls[index], brush->number);
    } else {
        struct diag_where where = brush_where(part->compile, brush, NULL);
        diag_report(part->compile->env->diag, DIAG_PHYSICS_HULL, &where,
                    "cannot build a closed hull from its %d sides",
                    (int)arrlen(batch->drawn[index]));
    }
}

static void add_batch(struct physics_part *part, const struct map_brush *const *brushes,
                      size_t count)
{
    struct hull_batch batch = {.brushes = brushes, .count = count};
    find_faces(part, &batch);
    parallel_for(part->compile->env->threads, (count + BRUSHES_AT_ONCE - 1) / BRUSHES_AT_ONCE,
                 make_hull_range, &batch);
    for (size_t i = 0; i < count; i++) {
        take_hull(part, &batch, i);
        arrfree(batch.shrunk[i]);
        arrfree(batch.drawn[i]);
    }
    arena_free(&batch.arena);
}

void physics_part_add(struct physics_part *part, const struct map_brush *const *brushes)
{
    size_t all = arrlenu(brushes);
    for (size_t first = 0; first < all; first += BATCH_MAX)
        add_batch(part, brushes + first, all - first < BATCH_MAX ? all - first : BATCH_MAX);
    close_solid(part);
}

void physics_part_close(struct physics_part *part)
{
    close_solid(part);
}

int physics_part_material(struct physics_part *part, const struct material *material)
{
    return material_number(part, material);
}

/* --- brushes in the leaves of a model --- */

struct search {
    const struct compile *compile;
    int body, mask;
    bool *found; /* one per brush of the map */
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

/* --- the lump --- */

enum status physics_finish(struct compile *compile)
{
    struct physics_maker *maker = source_state(compile)->physics;
    struct bsp *bsp = compile->bsp;
    if (!maker)
        return STATUS_OK;
    physics_encode(&maker->lump, &bsp->physics);
    int version = compile->options->file_version;
    if (version && version <= LAST_VERSION_WITH_COPY)
        bytes_append(&bsp->physics_surface, bsp->physics.data, bsp->physics.size);
    return maker->status;
}

void physics_maker_free(struct compile *compile)
{
    struct physics_maker *maker = source_state(compile)->physics;
    if (!maker)
        return;
    physics_free(&maker->lump);
    surfaceprops_free(maker->props);
    arrfree(maker->materials);
    arrfree(maker->unknown);
    memory_free(maker);
    source_state(compile)->physics = NULL;
}
