/* Contents of sides and brushes. */
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/entities.h"

/* A single side with one of these contents decides for the brush. */
enum { SEE_THROUGH = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_SLIME | CONTENTS_WATER };

static int side_contents(const struct brush_side *side, const struct brush_rules *rules)
{
    if (rules->only_areaportal)
        return CONTENTS_AREAPORTAL;
    if (rules->is_occluder)
        return CONTENTS_SOLID;
    if (side->flags & (SURFACE_HINT | SURFACE_SKIP))
        return 0;
    int contents = side->material->contents | side->map_side->contents | rules->base_contents;
    if (contents & CONTENTS_CLIP)
        contents |= CONTENTS_DETAIL;
    /* A ladder material sets only LADDER. */
    if (!(contents & (CONTENTS_SUBSTANCE | CONTENTS_CLIP)))
        contents |= CONTENTS_SOLID;
    return rules->in_world ? contents : contents & ~CONTENTS_DETAIL;
}

void source_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules)
{
    (void)compile;
    int see_through = 0;
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        side->contents = side_contents(side, rules);
        see_through |= side->contents & SEE_THROUGH;
    }
    brush->contents = brush->sides[0].contents;
    if (!see_through)
        return;
    brush->contents |= see_through | CONTENTS_TRANSLUCENT;
    brush->contents &= ~CONTENTS_SOLID;
}

/* -nodetail, -fulldetail, -nowater. Clips are always detail: those options do not apply to them. */
bool source_keep(struct compile *compile, struct map_brush *brush)
{
    const struct vbsp_options *options = compile->options;
    if (options->no_water && (brush->contents & (CONTENTS_WATER | CONTENTS_SLIME)))
        return false;
    if (!(brush->contents & CONTENTS_DETAIL) || brush_is_clip(brush))
        return true;
    if (options->full_detail) {
        brush->contents &= ~CONTENTS_DETAIL;
        for (int i = 0; i < brush->side_count; i++)
            brush->sides[i].contents &= ~CONTENTS_DETAIL;
    }
    return !options->no_detail;
}

void brush_make_window(struct map_brush *brush)
{
    const int window = CONTENTS_WINDOW | CONTENTS_TRANSLUCENT;
    brush->contents = (brush->contents & ~CONTENTS_SOLID) | window;
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].contents = (brush->sides[i].contents & ~CONTENTS_SOLID) | window;
}
