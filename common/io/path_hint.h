/* Paths that may be meant by one that cannot be read. */
#ifndef IO_PATH_HINT_H
#define IO_PATH_HINT_H

struct arena;
struct fs;

/* Returns what a message ends with that says why `path` cannot be read, error being an errno value:
 * a file of a similar name in its folder, the source of a BSP that is not there, a file in a folder
 * that was named. "" when there is nothing to say. In the arena or constant. */
const char *path_hint(struct arena *arena, struct fs *fs, const char *path, int error);

#endif
