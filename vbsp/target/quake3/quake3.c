/* The compile for Quake 3: one tree, of the world; brushes and surfaces are filtered into its
 * leaves. */
#include <math.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_patches.def"
#include "common/diag/codes/updates.def"
#include "common/geom/epsilon.h"
#include "vbsp/level/adapt/adapt.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/emit/emit.h"
#include "vbsp/target/quake3/entities/entities.h"
#include "vbsp/target/quake3/models/models.h"
#include "vbsp/target/quake3/patches/decal.h"
#include "vbsp/target/quake3/quake3.h"
#include "vbsp/target/quake3/surfaces/vertex_changes.h"
#include "vbsp/target/target.h"
#include "vbsp/tree/tree_build.h"
#include "vbsp/tree/tree_write.h"

#define BLOCK_SIZE 1024.0
#define BLOCK_MIN  64.0

static void begin(struct compile *compile)
{
    struct quake3 *quake3 = memory_zalloc(1, sizeof *quake3);
    quake3->light_grid = bounds_empty();
    compile->state = quake3;
}

static bool no_displacement(struct compile *compile, struct map_brush *brush)
{
    (void)compile, (void)brush;
    return false;
}

static void made_brushes(struct compile *compile, struct map_brush ***made)
{
    int portals = 0;
    quake3_report_contents(compile);
    quake3_load_placed(compile, made);
    quake3_add_global_fog(compile, made);
    for (size_t i = 0; i < arrlenu(made); i++)
        for (size_t j = 0; j < arrlenu(made[i]); j++)
            if (made[i][j]->contents & CONTENTS_AREAPORTAL)
                made[i][j]->area_portal = ++portals;
}

/* -blocksize, or the world's key: three numbers, or one for all; 0: not cut. */
static struct vec3 block_size(const struct compile *compile)
{
    struct vec3 size = vec3(BLOCK_SIZE, BLOCK_SIZE, BLOCK_SIZE);
    const struct entity *keys = &compile->entities[0].keys;
    const char *key = entity_has(keys, "_blocksize") ? "_blocksize" : "blocksize";
    if (compile->options->block_size >= 0)
        size = vec3(compile->options->block_size, compile->options->block_size,
                    compile->options->block_size);
    else if (entity_has(keys, key) && !entity_vector(keys, key, &size)) {
        double all = entity_number(keys, key, BLOCK_SIZE);
        size = vec3(all, all, all);
    }
    for (int i = 0; i < 3; i++)
        size.e[i] = size.e[i] > 0 ? portable_fmax(size.e[i], BLOCK_MIN) : 0;
    return size;
}

/* Areas are stored in the leaves only. */
static void no_areas(const struct compile *compile, struct tree *tree, const struct areas *areas)
{
    (void)compile, (void)tree, (void)areas;
}

static void add_leaf_walls(const struct node *leaf, struct prt *prt)
{
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        int side = portal_side(portal, leaf);
        if (leaf_is_open(portal->nodes[!side]) || !portal->on_node)
            continue;
        struct prt_face face = {.cluster = leaf->cluster};
        face.winding = side ? winding_reverse(&prt->arena, portal->winding)
                            : winding_copy(&prt->arena, portal->winding);
        arrput(prt->quake3.faces, face);
    }
}

/* The PRT of this family also lists the walls of clusters. */
static void add_all_walls(const struct node *node, struct prt *prt)
{
    if (node->plane == PLANE_LEAF) {
        if (node->cluster >= 0)
            add_leaf_walls(node, prt);
        return;
    }
    add_all_walls(node->children[0], prt);
    add_all_walls(node->children[1], prt);
}

static void add_walls(const struct tree *tree, struct portal *const *written, struct prt *prt)
{
    prt->quake3.wanted = true;
    for (size_t i = 0; i < arrlenu(written); i++) {
        const struct brush_side *splitter = written[i]->on_node->splitter;
        bool hint = splitter && (splitter->flags & SURFACE_HINT);
        arrput(prt->quake3.flags, hint ? PRT_HINT : 0);
    }
    add_all_walls(tree->root, prt);
}

static struct face *make_faces(struct compile *compile, struct tree *tree)
{
    quake3_find_fogs(compile);
    quake3_find_terrains(compile);
    quake3_of(compile)->surfaces = quake3_model_surfaces(compile, tree, 0);
    return NULL;
}

static void write_model(struct compile *compile, int entity)
{
    quake3_emit_model(compile, entity, quake3_model_surfaces(compile, NULL, entity));
}

/* Numbers entities as in the lump; surfaces of removed ones, and of models that only stay there,
 * belong to the world. */
static void number_entities(struct compile *compile)
{
    struct surface_note *notes = quake3_of(compile)->notes.items;
    int *numbers = NULL, written = 0;
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        arrput(numbers, entity->dropped || entity->use == USE_GONE ? 0 : written);
        written += !entity->dropped;
    }
    for (size_t i = 0; i < arrlenu(notes); i++)
        notes[i].entity = numbers[notes[i].entity];
    arrfree(numbers);
}

static enum status finish(struct compile *compile, const struct tree *world,
                          struct vbsp_output *out)
{
    (void)world;
    number_entities(compile);
    out->notes = quake3_of(compile)->notes;
    quake3_of(compile)->notes = (struct surface_notes){0};
    planes_write(&compile->planes, compile->bsp);
    quake3_emit_brushes(compile);
    quake3_emit_fogs(compile);
    if (compile->bsp->engine->light.has_styles)
        bsp_plain_surfaces(compile->bsp);
    decals_report(quake3_of(compile)->decals, arrlenu(quake3_of(compile)->decals),
                  compile->env->diag);
    quake3_mark_pages(compile);
    quake3_mark_lights(compile);
    entities_write(compile);
    TRY(surface_notes_take_lights(&out->notes, compile->bsp, compile->env->diag));
    /* The engine would fail to load the map. */
    bool refused = diag_count_code(compile->env->diag, DIAG_PATCH_COLLISION) > 0;
    return refused ? STATUS_FAILED : STATUS_OK;
}

static enum status update_props(struct compile *compile, struct bsp *bsp)
{
    (void)bsp;
    struct diag_where where = {.file = compile->level->file};
    return diag_report(
        compile->env->diag, DIAG_UPDATE_MISMATCH, &where,
        "-onlyprops does not apply: models in Quake 3 maps are surfaces of the world");
}

static const struct brush_side *no_side(const struct compile *compile, int face)
{
    (void)compile, (void)face;
    return NULL;
}

static void release(struct compile *compile)
{
    struct quake3 *quake3 = quake3_of(compile);
    draw_surfaces_free(quake3->surfaces);
    quake3_placed_free(quake3);
    change_volumes_free(quake3->volumes);
    quake3_made_free(quake3);
    quake3_terrains_free(quake3);
    hmfree(quake3->brush_shaders);
    quake3_shaders_free(quake3);
    arrfree(quake3->fogs);
    quake3_runs_free(quake3);
    surface_notes_free(&quake3->notes);
    memory_free(quake3);
    compile->state = NULL;
}

const struct vbsp_target vbsp_target_quake3 = {
    .adapt = adapt_to_quake3,
    .begin = begin,
    .release = release,
    .class_use = quake3_class_use,
    .keys = quake3_keys,
    .contents = quake3_contents,
    .displace = no_displacement,
    .keep = quake3_keep,
    .made = made_brushes,
    .has_model = quake3_has_model,
    .loaded = quake3_loaded,
    .block_size = block_size,
    .splitters = &splitters_open,
    .areas = no_areas,
    .portals = add_walls,
    .faces = make_faces,
    .world = quake3_world,
    .model = write_model,
    .finish = finish,
    .side_of_face = no_side,
    .update_entities = quake3_update_entities,
    .update_props = update_props,
};
