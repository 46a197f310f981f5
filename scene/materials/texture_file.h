/* Textures as files that other programs read. */
#ifndef SCENE_MATERIALS_TEXTURE_FILE_H
#define SCENE_MATERIALS_TEXTURE_FILE_H

#include "common/core/bytes.h"
#include "scene/materials/texture.h"

struct texture_file_options {
    int size;    /* larger images are stored at half their size, or a quarter ... */
    int quality; /* of JPEGs: 1 .. 100 */
};

/* The images of a scene as files: each texture is encoded once, or twice where one material needs
 * its alpha and another one does not. */
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

/* Appends the texture: as PNG if `alpha` is wanted and some of it is not opaque, else as JPEG.
 * Returns true for a JPEG. */
bool texture_file_write(const struct texture *texture, const struct texture_file_options *options,
                        bool alpha, struct bytes *out);

#endif
