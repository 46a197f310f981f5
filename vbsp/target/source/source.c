/* What Source alone wants in its BSP. */
#include "common/core/array.h"
#include "vbsp/csg/brush_contents.h"
#include "vbsp/csg/side_list.h"
#include "vbsp/level/adapt/map_for_source.h"
#include "vbsp/level/dx_level.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/portals/area_portals.h"
#include "vbsp/target/source/emit/emitter.h"
#include "vbsp/target/source/faces/lint.h"
#include "vbsp/target/source/materials/cubemap.h"
#include "vbsp/target/source/materials/occluders.h"
#include "vbsp/target/source/materials/overlay.h"
#include "vbsp/target/source/physics/physics.h"
#include "vbsp/target/source/props/detail_props.h"
#include "vbsp/target/source/props/static_props.h"
#include "vbsp/target/source/source_parts.h"
#include "vbsp/target/source/source_water.h"

/* The sides that info_no_dynamic_shadow entities name. */
void source_begin(struct compile *compile)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *source = compile->entities[i].source;
        if (!source || !entity_is(&source->keys, "info_no_dynamic_shadow"))
            continue;
        int *sides = side_list_read(entity_value(&source->keys, "sides"));
        for (size_t j = 0; j < arrlenu(sides); j++)
            arrput(compile->emitter->unshadowed, sides[j]);
        arrfree(sides);
    }
}

enum { NO_MACRO_TEXTURE = 65535 };

struct normal_cell {
    struct bsp_vertex key;
    int value;
};

/* The normals of flat shading: one for each vertex of each face in turn, each direction once. */
static void add_normals(struct bsp *bsp)
{
    struct normal_cell *known = NULL;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        const float *normal = bsp->planes[bsp->faces[i].plane].normal;
        struct bsp_vertex key = {{normal[0] + 0.0f, normal[1] + 0.0f, normal[2] + 0.0f}};
        ptrdiff_t at = hmgeti(known, key);
        int number = at < 0 ? (int)arrlen(bsp->vertex_normals) : known[at].value;
        if (at < 0) {
            arrput(bsp->vertex_normals, key);
            hmput(known, key, number);
        }
        for (int j = 0; j < bsp->faces[i].edge_count; j++)
            arrput(bsp->vertex_normal_indices, number);
    }
    hmfree(known);
}

enum status source_extras(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    add_normals(bsp);
    /* Until vvis knows how far it is: near, so that a map without visibility draws its water. */
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        arrput(bsp->leaf_min_dist_to_water, 0);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        arrput(bsp->face_macro_texture, NO_MACRO_TEXTURE);
    overlays_emit(compile);
    source_water_pack(compile);
    if (!dx_level_skips_cubemaps(compile->options->dx_level))
        cubemaps_pack(compile);
    TRY(static_props_emit(compile));
    TRY(detail_props_emit(compile));
    if (!arrlenu(compile->pakfile.files))
        return STATUS_OK;
    struct diag_where where = {.file = compile->source->file};
    return pakfile_encode(&compile->pakfile, ZIP_STORED, &where, compile->env->diag, &bsp->pakfile);
}

static void set_contents(struct compile *compile, struct map_brush *brush,
                         const struct brush_rules *rules)
{
    (void)compile;
    brush_set_contents(brush, rules);
}

/* Columns: small trees are better trees. */
static struct vec3 block_size(const struct compile *compile)
{
    (void)compile;
    return vec3(1024, 1024, 0);
}

static void no_more(const struct tree *tree, struct prt *prt)
{
    (void)tree, (void)prt;
}

static enum status finish(struct compile *compile, const struct tree *world,
                          struct vbsp_output *out)
{
    (void)out;
    occluders_emit(compile, world);
    TRY(physics_finish(compile));
    TRY(emit_rest(compile));
    lint_faces(compile);
    return STATUS_OK;
}

static void release(struct compile *compile)
{
    emit_free(compile);
    physics_maker_free(compile);
}

const struct vbsp_target vbsp_target_source = {
    .family = CONTAINER_VBSP,
    .adapt = map_for_source,
    .class_use = class_use_of,
    .keys = entity_lump_keys,
    .contents = set_contents,
    .keep = source_keep,
    .made = source_made,
    .has_model = source_has_model,
    .loaded = source_loaded,
    .block_size = block_size,
    .areas = areas_emit,
    .portals = no_more,
    .faces = source_faces,
    .world = source_world,
    .model = source_model,
    .finish = finish,
    .update_entities = source_update_entities,
    .update_props = source_update_props,
    .release = release,
};
