/* The keys of the entities that are written, and the lump's text. */
#ifndef VBSP_LEVEL_ENTITY_LUMP_H
#define VBSP_LEVEL_ENTITY_LUMP_H

#include "vbsp/context.h"

/* Outputs are told from keys by their value, since sources keep both in one list:
 * "target,input,parameter,delay,times", parted by ESC in newer editors. */
bool entity_lump_is_output(const char *value);

/* Replaces the value where the key is, else puts the pair first, as the tools do. */
void entity_lump_set(struct entity *keys, struct arena *arena, const char *key, const char *value);

/* The sides that a key names, "12 13 40": the ids above 0 in the text, up to the first thing that
 * is no number. An stb_ds array, the caller's. */
int *side_list_read(const char *text);

/* Writes the lump of the bsp: the entities that are not dropped. */
void entities_write(struct compile *compile);

#endif
