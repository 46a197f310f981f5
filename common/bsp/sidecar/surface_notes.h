/* What the light stage wants to know of an IBSP's surfaces that the file has no room for: a side
 * file, MAP.srf, written with the BSP and tied to it by a hash of its surfaces and vertices.
 *
 * Text, a line a surface after a header; the light stage warns of one that is stale and goes on
 * with defaults. */
#ifndef BSP_SIDECAR_SURFACE_NOTES_H
#define BSP_SIDECAR_SURFACE_NOTES_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

struct surface_note {
    float sample_size;                     /* units a luxel; 0: none wanted (lit at the vertices) */
    float shade_angle;                     /* degrees; 0: flat */
    int32_t cast_shadows, receive_shadows; /* group numbers; 1: the default, 0: none */
    int32_t entity; /* number in the entity lump of the one that has it; 0: the world */
    int32_t group;  /* surfaces of one number above 0 were one before they were cut up */
};

/* stb_ds array, one a surface of the bsp. */
struct surface_notes {
    struct surface_note *items;
};

void surface_notes_format(const struct surface_notes *notes, const struct bsp *bsp,
                          struct bytes *out);

/* STATUS_OK with items empty (B170, a warning) when the file belongs to another bsp. Text that is
 * no such file fails. */
NODISCARD enum status surface_notes_parse(const char *text, size_t size, const char *name,
                                          const struct bsp *bsp, struct diag *diag,
                                          struct surface_notes *out);
void surface_notes_free(struct surface_notes *notes);

#endif
