#include "scene/materials/image_files.h"

#include "common/core/array.h"

int image_files_number(struct image_files *files, const struct texture *texture, bool alpha,
                       image_file_add *add, void *context)
{
    struct image_file_row row;
    struct bytes file = {0};
    if (!texture)
        return -1;
    memset(&row, 0, sizeof row); /* keys are compared with their padding */
    row.key.texture = texture;
    row.key.alpha = alpha && texture_file_has_alpha(texture, &files->options);
    ptrdiff_t at = hmgeti(files->numbers, row.key);
    if (at >= 0)
        return files->numbers[at].value;
    bool jpeg = texture_file_write(texture, &files->options, alpha, &file);
    row.value = add(context, texture, jpeg, &file);
    bytes_free(&file);
    hmputs(files->numbers, row);
    return row.value;
}

void image_files_free(struct image_files *files)
{
    hmfree(files->numbers);
}
