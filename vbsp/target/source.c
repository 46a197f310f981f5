/* What Source alone wants in its BSP. */
#include "common/core/array.h"
#include "vbsp/cubemap.h"
#include "vbsp/detail_props.h"
#include "vbsp/dx_level.h"
#include "vbsp/emitter.h"
#include "vbsp/overlay.h"
#include "vbsp/side_list.h"
#include "vbsp/static_props.h"
#include "vbsp/target/source_water.h"
#include "vbsp/target/target.h"

/* The sides that info_no_dynamic_shadow entities name. */
static void find_unshadowed(struct compile *compile)
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

static enum status finish(struct compile *compile)
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

const struct vbsp_target vbsp_target_source = {
    .begin = find_unshadowed, .model = source_water_find, .finish = finish};
