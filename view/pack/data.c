#include "view/pack/data.h"

#include <math.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/io/deflate_blocks.h"

/* Digits of numbers in the head: those of a float. */
enum { DIGITS = 9 };

/* Of deflate: the pages of level 6 are 2 % smaller, and take three times the CPU time. */
enum { LEVEL = 4 };

void view_data_open(struct view_data *data)
{
    json_t *head = json_object();
    *data = (struct view_data){head, head, json_object(), json_array(), {0}};
    json_object_set_new(head, "streams", data->streams);
    json_object_set_new(head, "images", data->images);
}

void view_data_before(struct view_data *data)
{
    data->head = json_object();
    data->streams = json_object();
    json_object_set_new(data->root, "before", data->head);
    json_object_set_new(data->head, "streams", data->streams);
}

void view_data_free(struct view_data *data)
{
    json_decref(data->root);
    bytes_free(&data->body);
}

static json_t *place_of(const struct view_data *data, size_t size)
{
    json_t *place = json_object();
    json_object_set_new(place, "at", json_integer((json_int_t)data->body.size));
    json_object_set_new(place, "size", json_integer((json_int_t)size));
    return place;
}

void view_data_stream(struct view_data *data, const char *name, const struct bytes *records,
                      size_t record)
{
    size_t count = records->size / record;
    json_t *place = place_of(data, count * record);
    json_object_set_new(place, "record", json_integer((json_int_t)record));
    json_object_set_new(data->streams, name, place);
    unsigned char *to = bytes_extend(&data->body, count * record);
    for (size_t byte = 0; byte < record; byte++) {
        unsigned char before = 0;
        for (size_t i = 0; i < count; i++) {
            unsigned char value = records->data[i * record + byte];
            *to++ = (unsigned char)(value - before);
            before = value;
        }
    }
}

/* Returns the number of an image of the same bytes; -1: there is none. */
static int find_image(const struct view_data *data, const struct bytes *image)
{
    size_t count = json_array_size(data->images);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(data->images, i);
        size_t at = (size_t)json_integer_value(json_object_get(row, "at"));
        size_t size = (size_t)json_integer_value(json_object_get(row, "size"));
        if (size == image->size && memcmp(data->body.data + at, image->data, size) == 0)
            return (int)i;
    }
    return -1;
}

int view_data_image(struct view_data *data, const struct bytes *image, const char *type)
{
    int known = find_image(data, image);
    if (known >= 0)
        return known;
    json_t *place = place_of(data, image->size);
    json_object_set_new(place, "type", json_string(type));
    json_array_append_new(data->images, place);
    bytes_append(&data->body, image->data, image->size);
    return (int)json_array_size(data->images) - 1;
}

void view_data_close(const struct view_data *data, int threads, struct bytes *out)
{
    struct bytes raw = {0};
    char *head = json_dumps(data->root, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    size_t length = head ? strlen(head) : 0;
    if (!head)
        memory_refused(data->body.size);
    bytes_u32(&raw, (uint32_t)length);
    bytes_append(&raw, head, length);
    bytes_append(&raw, data->body.data, data->body.size);
    memory_free(head);
    deflate_blocks(threads, LEVEL, &raw, out);
    bytes_free(&raw);
}

json_t *view_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_real(isfinite(values[i]) ? values[i] : 0));
    return array;
}
