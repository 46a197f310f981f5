/* LightWave objects: LWO2, and LWOB of before version 6. (Layout and meaning as LightWave's
 * description of the formats has them.) */
#include "common/assets/models/lwo.h"

#include "common/core/array.h"

#define TAG4(a, b, c, d)                                                                           \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum {
    LAYER_HIDDEN = 1,
    CORNERS = 0x3ff,     /* the other bits of a polygon's count are flags */
    LONG_INDEX = 0xff00, /* an index from here on takes four bytes */
    NO_POLYGONS = -1,    /* the last POLS chunk has none that are faces */
};

struct named_surface {
    char *key;
    struct lwo_surface value;
};

/* A name of vertex maps, which is compared by its address. */
struct known_name {
    char *key;
    const char *value;
};

struct reader {
    struct arena *arena;
    bool is_old;                    /* LWOB */
    const char **tags;              /* stb_ds array: names of surfaces, and others */
    struct named_surface *surfaces; /* stb_ds hash map of texts */
    struct lwo_surface *of_tags;    /* stb_ds array */
    struct known_name *map_names;   /* stb_ds hash map of texts */
    struct lwo_layer layer;
    int32_t first_point, first_polygon; /* of the last PNTS, POLS chunks; or NO_POLYGONS */
    bool is_hidden, is_broken;
    struct mesh_builder builder;
    struct mesh_losses losses;
};

struct chunk {
    uint32_t id;
    struct byte_reader data;
};

/* Returns false at the end. Chunks have an even size; the last one may be cut off. */
static bool next_chunk(struct byte_reader *file, bool is_short, struct chunk *out)
{
    size_t left = file->size - file->at;
    if (left < (is_short ? 6 : 8))
        return false;
    out->id = read_u32(file);
    size_t size = is_short ? read_u16(file) : read_u32(file);
    left = file->size - file->at;
    size = size < left ? size : left;
    out->data = byte_reader(read_block(file, size), size);
    out->data.order = ORDER_BIG;
    if (size % 2 && file->at < file->size)
        file->at++;
    return true;
}

/* A text with its end, padded to an even size. */
static const char *read_name(struct reader *reader, struct byte_reader *from)
{
    size_t left = from->size - from->at;
    const char *text = (const char *)from->data + from->at;
    size_t length = left ? strnlen(text, left) : 0;
    size_t taken = length + 2 - length % 2;
    from->at += taken < left ? taken : left;
    return length ? arena_strndup(reader->arena, text, length) : "";
}

static const char *read_map_name(struct reader *reader, struct byte_reader *from)
{
    const char *name = read_name(reader, from);
    ptrdiff_t at = shgeti(reader->map_names, name);
    if (at < 0)
        shput(reader->map_names, name, name);
    return at < 0 ? name : reader->map_names[at].value;
}

static int32_t read_index(struct byte_reader *from)
{
    uint32_t high = read_u16(from);
    return (int32_t)(high < LONG_INDEX ? high : (high - LONG_INDEX) << 16 | read_u16(from));
}

/* ---- surfaces ---- */

/* A header says for what the image is used, as colour unless it is bumps, gloss or the like. */
static bool is_colour(struct reader *reader, struct byte_reader header)
{
    struct chunk chunk;
    (void)read_name(reader, &header); /* by which blocks are sorted */
    while (next_chunk(&header, true, &chunk))
        if (chunk.id == TAG4('C', 'H', 'A', 'N'))
            return read_u32(&chunk.data) == TAG4('C', 'O', 'L', 'R');
    return true;
}

/* The vertex map of a block that is an image. */
static void read_image_block(struct reader *reader, struct byte_reader block,
                             struct lwo_surface *surface)
{
    struct chunk chunk;
    while (next_chunk(&block, true, &chunk)) {
        if (chunk.id == TAG4('I', 'M', 'A', 'P') && !is_colour(reader, chunk.data))
            return;
        if (chunk.id == TAG4('V', 'M', 'A', 'P') && !surface->texture_map)
            surface->texture_map = read_map_name(reader, &chunk.data);
    }
}

static struct lwo_surface surface_named(struct reader *reader, const char *name)
{
    return (struct lwo_surface){.name = mesh_shader_name(reader->arena, name, strlen(name))};
}

static void read_surface(struct reader *reader, struct byte_reader data)
{
    const char *name = read_name(reader, &data);
    struct lwo_surface surface = surface_named(reader, name);
    struct chunk chunk;
    if (!reader->is_old)
        (void)read_name(reader, &data); /* the surface that it was made from */
    while (next_chunk(&data, true, &chunk)) {
        if (chunk.id == TAG4('S', 'M', 'A', 'N'))
            surface.smoothing = (double)read_f32(&chunk.data);
        else if (chunk.id == TAG4('B', 'L', 'O', 'K'))
            read_image_block(reader, chunk.data, &surface);
    }
    if (!isfinite(surface.smoothing))
        surface.smoothing = 0;
    shput(reader->surfaces, name, surface);
}

static void read_tags(struct reader *reader, struct byte_reader data)
{
    while (data.at < data.size)
        arrput(reader->tags, read_name(reader, &data));
}

/* Surfaces come after the polygons that have them. */
static void read_surfaces(struct reader *reader, struct byte_reader file)
{
    uint32_t tags = reader->is_old ? TAG4('S', 'R', 'F', 'S') : TAG4('T', 'A', 'G', 'S');
    struct chunk chunk;
    while (next_chunk(&file, false, &chunk)) {
        if (chunk.id == tags)
            read_tags(reader, chunk.data);
        else if (chunk.id == TAG4('S', 'U', 'R', 'F'))
            read_surface(reader, chunk.data);
    }
    for (size_t i = 0; i < arrlenu(reader->tags); i++) {
        ptrdiff_t at = shgeti(reader->surfaces, reader->tags[i]);
        arrput(reader->of_tags,
               at < 0 ? surface_named(reader, reader->tags[i]) : reader->surfaces[at].value);
    }
}

/* ---- points and polygons ---- */

/* LightWave's y axis points up, and its system is left-handed: y and z change places. */
static void read_points(struct reader *reader, struct byte_reader data)
{
    reader->first_point = (int32_t)arrlen(reader->layer.points);
    while (data.size - data.at >= 12) {
        double x = (double)read_f32(&data), y = (double)read_f32(&data);
        struct vec3 p = vec3(x, (double)read_f32(&data), y);
        reader->is_broken = reader->is_broken || !vec3_is_finite(p);
        arrput(reader->layer.points, p);
    }
}

/* Adds a polygon whose corners are read; it keeps its number when they are of no use. */
static void end_polygon(struct reader *reader, int32_t first, bool is_whole, int32_t tag)
{
    struct lwo_layer *layer = &reader->layer;
    int32_t count = (int32_t)arrlen(layer->corners) - first;
    for (int32_t i = 0; i < count; i++)
        is_whole = is_whole && layer->corners[first + i] >= 0 &&
                   layer->corners[first + i] < (int32_t)arrlen(layer->points);
    if (!is_whole || count < 3) {
        arrsetlen(layer->corners, (size_t)first);
        count = 0;
    }
    arrput(layer->polygons, ((struct lwo_polygon){first, count, tag, 0}));
}

static void read_polygons(struct reader *reader, struct byte_reader data)
{
    uint32_t type = read_u32(&data);
    bool is_patch = type == TAG4('P', 'T', 'C', 'H') || type == TAG4('S', 'U', 'B', 'D');
    bool is_drawn = is_patch || type == TAG4('F', 'A', 'C', 'E');
    reader->first_polygon = is_drawn ? (int32_t)arrlen(reader->layer.polygons) : NO_POLYGONS;
    while (!data.failed && data.size - data.at >= 2) {
        int32_t first = (int32_t)arrlen(reader->layer.corners), count = read_u16(&data) & CORNERS;
        reader->losses.patches += is_patch;
        reader->losses.others += !is_drawn;
        for (int32_t i = 0; i < count && !data.failed; i++) {
            int32_t point = reader->first_point + read_index(&data);
            if (is_drawn && !data.failed)
                arrput(reader->layer.corners, point);
        }
        if (is_drawn)
            end_polygon(reader, first, !data.failed, -1);
    }
}

/* Of an LWOB: with the number of the surface, from 1; negative before details, which are polygons
 * that lie on it. */
static void read_old_polygons(struct reader *reader, struct byte_reader data)
{
    reader->first_polygon = NO_POLYGONS;
    while (!data.failed && data.size - data.at >= 2) {
        int32_t first = (int32_t)arrlen(reader->layer.corners), count = read_u16(&data);
        for (int32_t i = 0; i < count && !data.failed; i++)
            arrput(reader->layer.corners, reader->first_point + read_u16(&data));
        int32_t surface = read_i16(&data);
        if (surface < 0)
            (void)read_u16(&data); /* the number of details, which follow as polygons */
        end_polygon(reader, first, !data.failed, (surface < 0 ? -surface : surface) - 1);
    }
}

static void read_polygon_tags(struct reader *reader, struct byte_reader data)
{
    uint32_t type = read_u32(&data);
    if (reader->first_polygon == NO_POLYGONS)
        return;
    while (!data.failed && data.size - data.at >= 4) {
        int32_t number = reader->first_polygon + read_index(&data), tag = read_u16(&data);
        if (data.failed || number >= (int32_t)arrlen(reader->layer.polygons))
            continue;
        if (type == TAG4('S', 'U', 'R', 'F'))
            reader->layer.polygons[number].tag = tag;
        else if (type == TAG4('S', 'M', 'G', 'P'))
            reader->layer.polygons[number].group = tag;
    }
}

/* ---- vertex maps ---- */

/* Returns the number of the map, which may be in several chunks. */
static int32_t map_number(struct reader *reader, enum lwo_map_kind kind, const char *name)
{
    struct lwo_layer *layer = &reader->layer;
    for (size_t i = 0; i < arrlenu(layer->maps); i++)
        if (layer->maps[i].kind == kind && layer->maps[i].name == name)
            return (int32_t)i;
    if (arrlenu(layer->maps) >= LWO_MAX_MAPS)
        return -1;
    arrput(layer->maps, ((struct lwo_map){kind, name}));
    return (int32_t)arrlen(layer->maps) - 1;
}

/* Numbers beyond those that the kind has are 1: the alpha of RGB. */
static void read_value(struct reader *reader, struct byte_reader *data, struct lwo_value value,
                       int32_t dimension)
{
    for (int i = 0; i < 4; i++)
        value.numbers[i] = 1;
    for (int32_t i = 0; i < dimension && !data->failed; i++) {
        float number = read_f32(data);
        if (i < 4)
            value.numbers[i] = isfinite(number) ? number : 0;
    }
    value.order = (int32_t)arrlen(reader->layer.values);
    if (!data->failed)
        arrput(reader->layer.values, value);
}

/* VMAP has values of points, VMAD those of points as corners of a polygon. */
static void read_map(struct reader *reader, struct byte_reader data, bool of_polygons)
{
    uint32_t type = read_u32(&data);
    int32_t dimension = read_u16(&data);
    bool is_texture = type == TAG4('T', 'X', 'U', 'V') && dimension >= 2;
    bool is_colour = (type == TAG4('R', 'G', 'B', ' ') && dimension >= 3) ||
                     (type == TAG4('R', 'G', 'B', 'A') && dimension >= 4);
    if (!(is_texture || is_colour) || (of_polygons && reader->first_polygon == NO_POLYGONS))
        return;
    const char *name = read_map_name(reader, &data);
    struct lwo_value value = {
        .map = map_number(reader, is_texture ? LWO_MAP_TEXTURE : LWO_MAP_COLOUR, name),
        .polygon = -1};
    while (value.map >= 0 && !data.failed && data.at < data.size) {
        value.point = reader->first_point + read_index(&data);
        if (of_polygons)
            value.polygon = reader->first_polygon + read_index(&data);
        read_value(reader, &data, value, dimension);
    }
}

/* ---- layers ---- */

static void free_layer(struct lwo_layer *layer)
{
    arrfree(layer->points);
    arrfree(layer->corners);
    arrfree(layer->polygons);
    arrfree(layer->maps);
    arrfree(layer->values);
    *layer = (struct lwo_layer){0};
}

/* Adds the triangles of the layer, unless it is hidden; the reader has none afterwards. */
static void end_layer(struct reader *reader)
{
    struct mesh_triangle *triangles = NULL;
    if (!reader->is_hidden && !reader->is_broken)
        lwo_triangles(&reader->layer, reader->of_tags, arrlenu(reader->of_tags), &triangles,
                      &reader->losses);
    mesh_builder_add(&reader->builder, triangles, arrlenu(triangles));
    arrfree(triangles);
    free_layer(&reader->layer);
    reader->first_point = 0;
    reader->first_polygon = NO_POLYGONS;
}

static void begin_layer(struct reader *reader, struct byte_reader data)
{
    end_layer(reader);
    (void)read_u16(&data); /* its number */
    reader->is_hidden = read_u16(&data) & LAYER_HIDDEN;
}

static void read_layers(struct reader *reader, struct byte_reader file)
{
    struct chunk chunk;
    reader->first_polygon = NO_POLYGONS;
    while (next_chunk(&file, false, &chunk)) {
        if (chunk.id == TAG4('L', 'A', 'Y', 'R'))
            begin_layer(reader, chunk.data);
        else if (chunk.id == TAG4('P', 'N', 'T', 'S'))
            read_points(reader, chunk.data);
        else if (chunk.id == TAG4('P', 'O', 'L', 'S') && reader->is_old)
            read_old_polygons(reader, chunk.data);
        else if (chunk.id == TAG4('P', 'O', 'L', 'S'))
            read_polygons(reader, chunk.data);
        else if (chunk.id == TAG4('P', 'T', 'A', 'G'))
            read_polygon_tags(reader, chunk.data);
        else if (chunk.id == TAG4('V', 'M', 'A', 'P') || chunk.id == TAG4('V', 'M', 'A', 'D'))
            read_map(reader, chunk.data, chunk.id == TAG4('V', 'M', 'A', 'D'));
    }
    end_layer(reader);
}

static void read_file(struct reader *reader, struct byte_reader file)
{
    read_surfaces(reader, file);
    read_layers(reader, file);
    arrfree(reader->tags);
    arrfree(reader->of_tags);
    shfree(reader->surfaces);
    shfree(reader->map_names);
}

enum status lwo_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct arena *arena, struct mesh_model *out)
{
    struct reader reader = {.arena = arena};
    struct byte_reader data = byte_reader(file->data, file->size < INT32_MAX ? file->size : 0);
    data.order = ORDER_BIG;
    uint32_t form = read_u32(&data);
    (void)read_u32(&data); /* the size: the file has its own */
    uint32_t kind = read_u32(&data);
    reader.is_old = kind == TAG4('L', 'W', 'O', 'B');
    if (form != TAG4('F', 'O', 'R', 'M') || !(reader.is_old || kind == TAG4('L', 'W', 'O', '2')))
        return mesh_invalid(diag, where, "neither LWO2 nor LWOB");
    read_file(&reader, data);
    mesh_builder_finish(&reader.builder, arena, out);
    out->losses = reader.losses;
    if (reader.is_broken)
        return mesh_invalid(diag, where, "points that are not numbers");
    return out->part_count ? STATUS_OK : mesh_invalid(diag, where, "no faces");
}
