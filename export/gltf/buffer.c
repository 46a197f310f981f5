#include "export/gltf/buffer.h"

#include "common/core/portable_math.h"

enum {
    BYTE_ALIGNMENT = 4,
    USHORT = 5123,
    UINT = 5125,
    FLOAT = 5126,
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963,
    MAX_SHORT_INDEX = 65534, /* 65535 ends a strip */
};

static const struct {
    size_t size; /* bytes of a record */
    const char *type;
    int target;
} kinds[GLTF_VIEWS] = {
    [GLTF_INDICES_16] = {2, "SCALAR", ELEMENT_ARRAY_BUFFER},
    [GLTF_INDICES_32] = {4, "SCALAR", ELEMENT_ARRAY_BUFFER},
    [GLTF_POSITIONS] = {12, "VEC3", ARRAY_BUFFER},
    [GLTF_NORMALS] = {12, "VEC3", ARRAY_BUFFER},
    [GLTF_TEXTURE] = {8, "VEC2", ARRAY_BUFFER},
    [GLTF_PAGE] = {8, "VEC2", ARRAY_BUFFER},
    [GLTF_LIGHT] = {12, "VEC3", ARRAY_BUFFER},
    [GLTF_COLOUR] = {12, "VEC3", ARRAY_BUFFER},
    [GLTF_BLEND] = {4, "SCALAR", ARRAY_BUFFER},
};

void gltf_buffer_open(struct gltf_buffer *buffer)
{
    *buffer = (struct gltf_buffer){.accessors = json_array(), .image_views = json_array()};
    for (int i = 0; i < GLTF_VIEWS; i++)
        buffer->numbers[i] = -1;
}

void gltf_buffer_free(struct gltf_buffer *buffer)
{
    for (int i = 0; i < GLTF_VIEWS; i++)
        bytes_free(&buffer->views[i]);
    bytes_free(&buffer->images);
    json_decref(buffer->accessors);
    json_decref(buffer->image_views);
}

json_t *gltf_number(double value)
{
    float single = (float)value;
    return json_real(isfinite(single) ? (double)(single + 0.0f) : 0);
}

json_t *gltf_numbers(const float *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, gltf_number((double)values[i]));
    return array;
}

/* --- accessors --- */

static json_t *add_accessor(struct gltf_buffer *buffer, enum gltf_view view, int component,
                            size_t count)
{
    json_t *accessor = json_object();
    if (buffer->numbers[view] < 0) {
        buffer->used[buffer->count] = (int)view;
        buffer->numbers[view] = buffer->count++;
    }
    json_object_set_new(accessor, "bufferView", json_integer(buffer->numbers[view]));
    json_object_set_new(accessor, "byteOffset", json_integer((json_int_t)buffer->views[view].size));
    json_object_set_new(accessor, "componentType", json_integer(component));
    json_object_set_new(accessor, "count", json_integer((json_int_t)count));
    json_object_set_new(accessor, "type", json_string(kinds[view].type));
    json_array_append_new(buffer->accessors, accessor);
    return accessor;
}

static int last_accessor(const struct gltf_buffer *buffer)
{
    return (int)json_array_size(buffer->accessors) - 1;
}

static void set_bounds(json_t *accessor, const float *from, size_t count, size_t stride)
{
    float mins[3] = {from[0], from[1], from[2]}, maxs[3] = {from[0], from[1], from[2]};
    for (size_t i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            mins[k] = portable_fminf(mins[k], from[stride * i + (size_t)k]);
            maxs[k] = portable_fmaxf(maxs[k], from[stride * i + (size_t)k]);
        }
    json_object_set_new(accessor, "min", gltf_numbers(mins, 3));
    json_object_set_new(accessor, "max", gltf_numbers(maxs, 3));
}

int gltf_buffer_floats(struct gltf_buffer *buffer, enum gltf_view view, const float *from,
                       size_t count, size_t stride)
{
    json_t *accessor = add_accessor(buffer, view, FLOAT, count);
    size_t width = kinds[view].size / sizeof(float);
    if (view == GLTF_POSITIONS)
        set_bounds(accessor, from, count, stride);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++)
            bytes_f32(&buffer->views[view], from[stride * i + k]);
    return last_accessor(buffer);
}

int gltf_buffer_indices(struct gltf_buffer *buffer, const uint32_t *indices, size_t count,
                        size_t vertices)
{
    bool narrow = vertices <= MAX_SHORT_INDEX;
    enum gltf_view view = narrow ? GLTF_INDICES_16 : GLTF_INDICES_32;
    (void)add_accessor(buffer, view, narrow ? USHORT : UINT, count);
    for (size_t i = 0; i < count; i++) {
        if (narrow)
            bytes_u16(&buffer->views[view], (uint16_t)indices[i]);
        else
            bytes_u32(&buffer->views[view], indices[i]);
    }
    return last_accessor(buffer);
}

/* --- views --- */

static json_t *view_of(size_t at, size_t size)
{
    json_t *view = json_object();
    json_object_set_new(view, "buffer", json_integer(0));
    json_object_set_new(view, "byteOffset", json_integer((json_int_t)at));
    json_object_set_new(view, "byteLength", json_integer((json_int_t)size));
    return view;
}

int gltf_buffer_image(struct gltf_buffer *buffer, const struct bytes *image)
{
    bytes_align(&buffer->images, BYTE_ALIGNMENT);
    json_array_append_new(buffer->image_views, view_of(buffer->images.size, image->size));
    bytes_append(&buffer->images, image->data, image->size);
    return (int)json_array_size(buffer->image_views) - 1;
}

int gltf_buffer_image_view(const struct gltf_buffer *buffer, int image)
{
    return buffer->count + image;
}

json_t *gltf_buffer_close(const struct gltf_buffer *buffer, struct bytes *out)
{
    json_t *views = json_array();
    for (int i = 0; i < buffer->count; i++) {
        int kind = buffer->used[i];
        bytes_align(out, BYTE_ALIGNMENT);
        json_t *view = view_of(out->size, buffer->views[kind].size);
        if (kinds[kind].target == ARRAY_BUFFER)
            json_object_set_new(view, "byteStride", json_integer((json_int_t)kinds[kind].size));
        json_object_set_new(view, "target", json_integer(kinds[kind].target));
        json_array_append_new(views, view);
        bytes_append(out, buffer->views[kind].data, buffer->views[kind].size);
    }
    bytes_align(out, BYTE_ALIGNMENT);
    for (size_t i = 0; i < json_array_size(buffer->image_views); i++) {
        json_t *image = json_array_get(buffer->image_views, i);
        size_t at = (size_t)json_integer_value(json_object_get(image, "byteOffset"));
        size_t size = (size_t)json_integer_value(json_object_get(image, "byteLength"));
        json_array_append_new(views, view_of(out->size + at, size));
    }
    bytes_append(out, buffer->images.data, buffer->images.size);
    bytes_align(out, BYTE_ALIGNMENT);
    return views;
}
