#include "vbsp/csg/brush_contents.h"

/* Contents that can be seen or that stop a look; what has none of them nor of the clips is solid
 * (a ladder's material sets LADDER alone). */
enum {
    SUBSTANCE = CONTENTS_SOLID | CONTENTS_WINDOW | CONTENTS_AUX | CONTENTS_GRATE | CONTENTS_SLIME |
                CONTENTS_WATER | CONTENTS_BLOCKLOS | CONTENTS_OPAQUE,
    /* One side of these makes the whole brush such. */
    SEE_THROUGH = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_SLIME | CONTENTS_WATER,
};

static int side_contents(const struct brush_side *side, const struct brush_rules *rules)
{
    if (rules->only_areaportal)
        return CONTENTS_AREAPORTAL;
    if (side->flags & (SURFACE_HINT | SURFACE_SKIP))
        return 0;
    int contents = side->material->contents | side->source->contents | rules->base_contents;
    if (contents & CONTENTS_CLIP)
        contents |= CONTENTS_DETAIL;
    if (!(contents & (SUBSTANCE | CONTENTS_CLIP)))
        contents |= CONTENTS_SOLID;
    return rules->in_world ? contents : contents & ~CONTENTS_DETAIL;
}

void brush_set_contents(struct map_brush *brush, const struct brush_rules *rules)
{
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

bool brush_is_clip(const struct map_brush *brush)
{
    return (brush->contents & CONTENTS_CLIP) && !(brush->contents & SUBSTANCE);
}

void brush_make_window(struct map_brush *brush)
{
    const int window = CONTENTS_WINDOW | CONTENTS_TRANSLUCENT;
    brush->contents = (brush->contents & ~CONTENTS_SOLID) | window;
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].contents = (brush->sides[i].contents & ~CONTENTS_SOLID) | window;
}
