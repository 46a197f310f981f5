/* Other materials in place of those that the source names: -replacematerials. */
#ifndef VBSP_LEVEL_MATERIAL_REPLACEMENTS_H
#define VBSP_LEVEL_MATERIAL_REPLACEMENTS_H

#include "vbsp/context.h"

/* Reads maps/materialsub.txt of the game, if the options ask for it. Keys and values are materials;
 * in any block they are for all maps, but for a block in it that has the name of a map: what stands
 * there is for that map, before the rest. A block in it named AllMaps is for all.
 *
 *     MaterialSubstitutes
 *     {
 *         "brick/wall01"  "dev/graygrid"
 *         "d1_trainstation_01" { "brick/wall01" "brick/wall02" }
 *     }
 *
 * Names compare without case. A substitute has no substitute. One that neither the game nor a
 * catalogue has is reported (SUBSTITUTE_MISSING) and not used; that there is no such file too
 * (SUBSTITUTES_FILE). */
void material_replacements_load(struct compile *compile);

/* The material that stands for the name. */
const struct material *material_replacements_find(struct compile *compile, const char *name);

/* The same for a side or an overlay that will be written: it is counted. */
const struct material *material_replacements_use(struct compile *compile, const char *name);

/* Tells how many were used (SUBSTITUTES_USED). */
void material_replacements_report(const struct compile *compile);
void material_replacements_free(struct compile *compile);

#endif
