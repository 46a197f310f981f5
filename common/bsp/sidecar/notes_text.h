/* The words of a .srf file that the writer and the reader of surface notes share. */
#ifndef BSP_SIDECAR_NOTES_TEXT_H
#define BSP_SIDECAR_NOTES_TEXT_H

#include "common/bsp/bsp.h"
#include "common/core/sha256.h"

/* Before keys of our own, which are comments for q3map2. */
#define SURFACE_NOTES_OWN "// brushwork"
/* The start of the first line; its hash follows. */
#define SURFACE_NOTES_FIRST "// brushwork-surfaces 3"
/* That of the versions without the form of q3map2. */
#define SURFACE_NOTES_OLD "brushwork-surfaces"
/* Units per luxel unless a surface says otherwise. */
#define SURFACE_NOTES_SAMPLE 16.0F

/* Hashes what the light stage does not change, so that a lit map still matches. */
void surface_notes_hash(const struct bsp *bsp, char text[2 * SHA256_SIZE + 1]);

#endif
