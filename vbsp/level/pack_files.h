/* Packs files that the user specifies: those of the existing BSP, and those of a folder. */
#ifndef VBSP_LEVEL_PACK_FILES_H
#define VBSP_LEVEL_PACK_FILES_H

#include "vbsp/context.h"

/* Starts the pakfile with the files of options->old_pakfile, marked as stale, and those of the
 * folder options->embed, by their path below it. Files packed later replace files of the same name,
 * except cubemap textures. Fails, reported, when the old pakfile is corrupt or part of the folder
 * cannot be read (EMBED_FOLDER). */
NODISCARD enum status pack_given_files(struct compile *compile);

/* Adds stale.txt, which tells the game that packed files may be older than the map. */
void pack_stale_mark(struct pakfile *pakfile);

#endif
