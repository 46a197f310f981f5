/* What the leaves must know about the water that they see. */
#ifndef VVIS_SOURCE_WATER_H
#define VVIS_SOURCE_WATER_H

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "vvis/graph/bits.h"

/* Whether a leaf has water data: only then water_mark looks at faces. */
bool water_is_there(const struct bsp *bsp);

/* Sets CONTENTS_TESTFOGVOLUME on the leaves that see a leaf with water data, and each leaf's
 * distance to the nearest water surface in sight: box to box, in whole units, 65535 for none. Slime
 * does not count. */
void water_mark(const struct env *env, const struct bit_rows *pvs, int clusters, struct bsp *bsp);

#endif
