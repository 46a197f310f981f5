/* Overlays: textures projected onto the faces of the sides that they name.
 *
 * An info_overlay becomes a record of the overlay lump, an info_overlay_transition a record of the
 * water overlay lump for each overlaydata block that the editor made. Each lists all faces of its
 * sides; the engine clips the texture to them. */
#ifndef VBSP_SOURCE_MATERIALS_OVERLAY_H
#define VBSP_SOURCE_MATERIALS_OVERLAY_H

#include "vbsp/context.h"

struct overlay; /* overlay.c */

struct overlay_set {
    struct overlay *overlays; /* stb_ds array */
    int **groups;             /* stb_ds array: the overlays of group n + 1 (brush_side.overlays) */
};

/* After the brushes are loaded: reads the entities, adds their texinfo, and marks the sides that
 * they name (brush_side.overlays). A named info_overlay is kept as an info_overlay_accessor. One
 * with invalid keys is reported (OVERLAY_KEYS) and dropped. */
void overlays_load(struct compile *compile);

/* Adds a new face, by its number, of a side. Faces are added in the order of their numbers. */
void overlays_add_face(struct compile *compile, const struct brush_side *side, int face);

/* Writes the records, after all faces. Reports overlays without a face (OVERLAY_SIDES). One with
 * more faces than its record holds loses those that it does not touch, then the last ones
 * (OVERLAY_FACES). */
void overlays_emit(struct compile *compile);

void overlays_free(struct compile *compile);

#endif
