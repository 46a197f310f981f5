/* Files that go into the pakfile because the user says so: those of an earlier compile, and those
 * of a folder. */
#ifndef VBSP_LEVEL_PACK_FILES_H
#define VBSP_LEVEL_PACK_FILES_H

#include "vbsp/context.h"

/* Begins the pakfile with the files of options->old_pakfile, marked as stale, and those of the
 * folder options->embed, by their path below it. What is packed later replaces files of the same
 * name, but for the pictures of cubemaps. Fails, reported, when the old pakfile is damaged or
 * something of the folder cannot be read (EMBED_FOLDER). */
NODISCARD enum status pack_given_files(struct compile *compile);

/* Adds stale.txt, which tells the game that what is packed may be older than the map. */
void pack_stale_mark(struct pakfile *pakfile);

#endif
