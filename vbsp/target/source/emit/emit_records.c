/* Records that belong to no model. */
#include "common/core/array.h"
#include "vbsp/target/source/emit/emitter.h"

void emit_planes(struct compile *compile)
{
    const struct plane_set *planes = &compile->planes;
    for (size_t i = 0; i < arrlenu(planes->planes); i++) {
        struct bsp_plane record = {.dist = (float)planes->planes[i].dist,
                                   .type = (int32_t)planes->types[i]};
        for (int j = 0; j < 3; j++)
            record.normal[j] = (float)planes->planes[i].normal.e[j];
        arrput(compile->bsp->planes, record);
    }
}

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
