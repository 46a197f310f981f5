/* Properties of an IBSP's surfaces that the light stage needs and the file has no room for: a side
 * file, MAP.srf, written with the BSP.
 *
 * Text in the form of q3map2's, which has keys for each surface; what only we have is in comments,
 * with a hash of the BSP's surfaces and vertices. The light stage warns of a stale file and
 * continues with defaults. */
#ifndef BSP_SIDECAR_SURFACE_NOTES_H
#define BSP_SIDECAR_SURFACE_NOTES_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

/* Of cast_shadows, beyond the groups: a patch whose entity has no key casts shadows on request. */
enum { SHADOWS_OF_PATCH = 65536 };

struct surface_note {
    float sample_size;                     /* units per luxel; 0: no lightmap (vertex-lit) */
    float shade_angle;                     /* degrees; 0: flat */
    int32_t cast_shadows, receive_shadows; /* group numbers; 1: the default, 0: none */
    int32_t entity;   /* number in the entity lump of the surface's entity; 0: the world */
    int32_t group;    /* surfaces with the same number above 0 are pieces of one surface */
    float ambient[3]; /* light that is added to its own, of 255 */
};

struct surface_notes {
    struct surface_note *items; /* stb_ds array, one per surface of the bsp */
    char *lights; /* stb_ds array: entity text of the lights that are not, or will not be, in the
                     bsp */
    bool has_all_lights; /* there are no others than these and the bsp's */
};

void surface_notes_format(const struct surface_notes *notes, const struct bsp *bsp,
                          struct bytes *out);

/* Parses a file, ours or of q3map2. STATUS_OK with items empty (B170, a warning) when it belongs to
 * another bsp. Fails for other text. */
NODISCARD enum status surface_notes_parse(const char *text, size_t size, const char *name,
                                          const struct bsp *bsp, struct diag *diag,
                                          struct surface_notes *out);
/* Sets the notes' lights to the baked lights in the entities of the bsp; none if the world keeps
 * its lights. */
NODISCARD enum status surface_notes_take_lights(struct surface_notes *notes, const struct bsp *bsp,
                                                struct diag *diag);
void surface_notes_free(struct surface_notes *notes);

#endif
