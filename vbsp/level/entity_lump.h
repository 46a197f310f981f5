/* Entity keys, and the text of the entity lump. */
#ifndef VBSP_LEVEL_ENTITY_LUMP_H
#define VBSP_LEVEL_ENTITY_LUMP_H

#include "vbsp/context.h"

/* Detects an output by its value, since levels keep keys and outputs in one list:
 * "target,input,parameter,delay,times", separated by ESC in newer editors. */
bool entity_lump_is_output(const char *value);

/* Replaces the value of an existing key, else inserts the pair first, as Valve's tools do. */
void entity_lump_set(struct entity *keys, struct arena *arena, const char *key, const char *value);

/* Parses a list of side ids, "12 13 40": the ids above 0, up to the first token that is not a
 * number. An stb_ds array that the caller frees. */
int *side_list_read(const char *text);

/* Writes the entity lump, without dropped entities. */
void entities_write(struct compile *compile);

#endif
