/* Overlays: pictures that are laid over the faces of the sides that they name.
 *
 * An info_overlay becomes a record of the overlay lump, an info_overlay_transition a record of the
 * water overlay lump for each overlaydata block that its editor made. Each lists all faces that
 * come of its sides; the engine clips the picture to them. */
#ifndef VBSP_SOURCE_MATERIALS_OVERLAY_H
#define VBSP_SOURCE_MATERIALS_OVERLAY_H

#include "vbsp/context.h"

struct overlay {
    struct bsp_water_overlay record; /* the wider of the two; without its faces */
    struct bsp_overlay_fade fade;
    bool water;
    const struct map_entity *map_entity;
    int *sides; /* stb_ds array: ids */
    int *faces; /* stb_ds array: numbers in the face lump, rising */
};

struct overlay_set {
    struct overlay *overlays; /* stb_ds array */
    int **groups; /* stb_ds array: group n + 1 of brush_side.overlays, the overlays of one side */
};

/* After the brushes: reads the entities, adds their texinfo, and marks the sides that they name
 * (brush_side.overlays). An info_overlay with a name stays as an info_overlay_accessor. Reports one
 * whose keys make no sense (OVERLAY_KEYS) and leaves it out. */
void overlays_load(struct compile *compile);

/* A face that was just written, by its number, and the side that it comes from. Faces come in the
 * order of their numbers. */
void overlays_add_face(struct compile *compile, const struct brush_side *side, int face);

/* After all faces: the records. Reports overlays without a face (OVERLAY_SIDES). One with more
 * faces than its record holds loses those that it does not touch; when that is not enough, the last
 * ones (OVERLAY_FACES). */
void overlays_emit(struct compile *compile);

void overlays_free(struct compile *compile);

#endif
