/* Which sides of a compiled map tell of the contents of their material: those with a face.
 * Compilers give the other sides any texinfo of equal flags. */
#ifndef BSP_CATALOGUE_TEXDATA_EVIDENCE_H
#define BSP_CATALOGUE_TEXDATA_EVIDENCE_H

#include "common/bsp/bsp.h"

struct texdata_shown;

/* Returns the texinfos that are drawn on each plane; NULL when nothing is. */
struct texdata_shown *texdata_shown_new(const struct bsp *bsp);
void texdata_shown_free(struct texdata_shown *shown);

/* True if a face with the texinfo of the side lies on its plane. */
bool texdata_side_is_shown(const struct texdata_shown *shown, const struct bsp_brush_side *side);

#endif
