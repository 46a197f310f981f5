/* Conditions of KeyValues files: [$WIN32], [!$X360], [$A || $B && !$C].
 *
 * A compiler runs for the PC: WIN32, WINDOWS and PC hold, every other symbol does not. */
#ifndef TEXT_CONDITION_H
#define TEXT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the condition that starts at `text`, brackets included; 0 when none does. A vector such
 * as [0 1] is none: a condition starts with [$ or [!$, and ends in the same line. */
size_t condition_length(const char *text, size_t size);
bool condition_holds(const char *text, size_t length);

#endif
