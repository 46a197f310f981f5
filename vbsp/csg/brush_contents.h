/* What sides and brushes are made of. */
#ifndef VBSP_CSG_BRUSH_CONTENTS_H
#define VBSP_CSG_BRUSH_CONTENTS_H

#include "vbsp/csg/brush_make.h"

/* Contents of a side that would block a body without being drawn. */
enum { CONTENTS_CLIP = CONTENTS_PLAYERCLIP | CONTENTS_MONSTERCLIP };

/* Sets the contents of all sides, whose flags are set, and of the brush. */
void brush_set_contents(struct map_brush *brush, const struct brush_rules *rules);

/* Nothing of it is drawn or stops light: it is only there for bodies. */
bool brush_is_clip(const struct map_brush *brush);

/* What an area portal's window or its background becomes: something to look through. */
void brush_make_window(struct map_brush *brush);

#endif
