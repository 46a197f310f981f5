#include "common/bsp/lumps/model_names.h"

#include "common/core/array.h"
#include "common/core/strings.h"

static char *copy_name(const unsigned char *data)
{
    const unsigned char *end = memchr(data, 0, MODEL_NAME_SIZE);
    return str_copy_part((const char *)data, end ? (size_t)(end - data) : MODEL_NAME_SIZE);
}

bool model_names_read(struct byte_reader *reader, char ***names)
{
    size_t count = read_u32(reader);
    if (reader->failed || count > (reader->size - reader->at) / MODEL_NAME_SIZE)
        return false;
    for (size_t i = 0; i < count; i++)
        arrput(*names, copy_name(read_block(reader, MODEL_NAME_SIZE)));
    return true;
}

bool model_names_write(char *const *names, struct bytes *out,
                       struct record_range_error *range_error)
{
    bytes_u32(out, (uint32_t)arrlenu(names));
    for (size_t i = 0; i < arrlenu(names); i++) {
        size_t length = strlen(names[i]);
        if (length > MODEL_NAME_SIZE) {
            *range_error = (struct record_range_error){i, "model",        "name", (int64_t)length,
                                                       0, MODEL_NAME_SIZE};
            return false;
        }
        bytes_append(out, names[i], length);
        bytes_fill(out, 0, MODEL_NAME_SIZE - length);
    }
    return true;
}

void model_names_free(char **names)
{
    for (size_t i = 0; i < arrlenu(names); i++)
        memory_free(names[i]);
    arrfree(names);
}
