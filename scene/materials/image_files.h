/* The images of a scene as files: each texture is encoded once, or twice where one material needs
 * its alpha and another one does not. */
#ifndef SCENE_MATERIALS_IMAGE_FILES_H
#define SCENE_MATERIALS_IMAGE_FILES_H

#include "scene/materials/texture_file.h"

struct image_files {
    struct texture_file_options options;
    struct image_file_row {
        struct image_file_key {
            const struct texture *texture;
            bool alpha;
        } key;
        int value;
    } *numbers; /* stb_ds map */
};

/* Takes an encoded texture and returns the number that it has from now on. The file is freed by
 * the caller unless it is cleared. */
typedef int image_file_add(void *context, const struct texture *texture, bool jpeg,
                           struct bytes *file);

/* Returns the number of a texture, which `add` takes when it is new; -1 for NULL. With `alpha`, the
 * image has that of the texture. */
int image_files_number(struct image_files *files, const struct texture *texture, bool alpha,
                       image_file_add *add, void *context);
void image_files_free(struct image_files *files);

#endif
