/* Writes records that belong to no model. */
#include "common/core/array.h"
#include "vbsp/target/source/emit/emit.h"

void emit_brushes(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        struct bsp_brush record = {.first_side = (int32_t)arrlen(bsp->brush_sides),
                                   .side_count = brush->side_count,
                                   .contents = brush->contents};
        arrput(bsp->brushes, record);
        for (int j = 0; j < brush->side_count; j++) {
            struct bsp_brush_side side = {.plane = brush->sides[j].record_plane,
                                          .texinfo = brush->sides[j].record_texinfo,
                                          .bevel = brush->sides[j].bevel};
            arrput(bsp->brush_sides, side);
        }
    }
}

enum { NO_MACRO_TEXTURE = 65535 };

struct normal_cell {
    struct bsp_vertex key;
    int value;
};

/* Adds flat normals: one per vertex of each face, without duplicate vectors. */
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

void emit_fillers(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    add_normals(bsp);
    /* 0 until vvis computes the distance, so that a map without visibility draws its water. */
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        arrput(bsp->leaf_min_dist_to_water, 0);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        arrput(bsp->face_macro_texture, NO_MACRO_TEXTURE);
}
