/* Options that the map itself sets, by keys of its worldspawn. */
#ifndef TEXT_ENTITY_OPTIONS_H
#define TEXT_ENTITY_OPTIONS_H

#include "common/cli/program.h"
#include "common/text/entities.h"

/* Applies every key of the entity that an option names (options_apply_map_key), then tells the
 * settings where -v asks for them. */
NODISCARD enum status entity_options_apply(const struct program *program,
                                           const struct entity *world);

/* The same from the text of an entity lump: its first entity is the world. */
NODISCARD enum status entity_options_apply_text(const struct program *program, const char *text,
                                                size_t size, const char *name);

#endif
