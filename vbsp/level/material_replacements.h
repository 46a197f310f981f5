/* Replaces materials of the level: -replacematerials. */
#ifndef VBSP_LEVEL_MATERIAL_REPLACEMENTS_H
#define VBSP_LEVEL_MATERIAL_REPLACEMENTS_H

#include "vbsp/context.h"

/* Reads the game's maps/materialsub.txt if the options ask for it. Pairs of materials in any block
 * apply to all maps, as do those in an inner block named AllMaps; those in an inner block with the
 * name of a map apply to that map, and take precedence.
 *
 *     MaterialSubstitutes
 *     {
 *         "brick/wall01"  "dev/graygrid"
 *         "d1_trainstation_01" { "brick/wall01" "brick/wall02" }
 *     }
 *
 * Names are case-insensitive. Replacements are not replaced in turn. One that neither the game nor
 * a catalogue has is reported (SUBSTITUTE_MISSING) and ignored; a missing file is reported too
 * (SUBSTITUTES_FILE). */
void material_replacements_load(struct compile *compile);

/* The replacement of the named material, or the material itself. */
const struct material *material_replacements_find(struct compile *compile, const char *name);

/* The same for a side or overlay that will be written, which is counted. */
const struct material *material_replacements_use(struct compile *compile, const char *name);

/* Reports the number of replacements (SUBSTITUTES_USED). */
void material_replacements_report(const struct compile *compile);
void material_replacements_free(struct compile *compile);

#endif
