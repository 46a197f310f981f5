#include "export/model/files.h"

#include "common/core/array.h"
#include "common/core/strings.h"

void export_file_add(struct export_file **files, const char *name, const struct bytes *data)
{
    struct export_file file = {.name = str_copy(name)};
    bytes_append(&file.data, data->data, data->size);
    arrput(*files, file);
}
