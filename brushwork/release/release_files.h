/* The files of a release: copies, downloads, archives, sums. */
#ifndef BRUSHWORK_RELEASE_RELEASE_FILES_H
#define BRUSHWORK_RELEASE_RELEASE_FILES_H

#include "brushwork/release/release.h"

/* Finds the files that a map can have beside its BSP, by its name: beside the source, else in maps/
 * of the game. For engines that load a pack of the map they go beside the BSP, to be packed; for
 * others they are files of the release. What is not there is in `needs`. */
NODISCARD enum status release_files_find(struct release *release);

/* Makes all files of the BSP and of what the steps have written, in the order of `files`. */
NODISCARD enum status release_files_make(struct release *release);

#endif
