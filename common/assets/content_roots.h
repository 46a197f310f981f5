/* The folders that hold the content of a game, for a sandbox. */
#ifndef ASSETS_CONTENT_ROOTS_H
#define ASSETS_CONTENT_ROOTS_H

struct fs_roots;

/* An option_content: adds what assets_open_of would mount for these struct standard_options,
 * without opening archives, and the folders of the game where its FGD is looked up. */
void content_roots(const void *standard, struct fs_roots *roots);

#endif
