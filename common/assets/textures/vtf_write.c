#include "common/assets/textures/vtf_write.h"

#include <string.h>

#include "common/assets/textures/bc_encode.h"
#include "common/assets/textures/light_bytes.h"
#include "common/assets/textures/vtf_cube.h"
#include "common/assets/textures/vtf_pixels.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"

/* Pixels of VTF from bytes and light. */

enum { BLOCK = 4 };

struct block_job {
    enum vtf_format format;
    const uint8_t *rgba;
    int width, height;
    unsigned char *out;
};

static void gather_block(const struct block_job *job, int x, int y, uint8_t pixels[BC_PIXELS][4])
{
    for (int i = 0; i < BC_PIXELS; i++) {
        int px = x + i % BLOCK, py = y + i / BLOCK;
        px = px < job->width ? px : job->width - 1;
        py = py < job->height ? py : job->height - 1;
        memcpy(pixels[i], job->rgba + 4 * ((size_t)py * (size_t)job->width + (size_t)px), 4);
    }
}

static void encode_block_row(void *context, size_t row, int thread)
{
    (void)thread;
    const struct block_job *job = context;
    size_t bytes = job->format == VTF_DXT5 ? BC3_BYTES : BC1_BYTES;
    size_t across = ((size_t)job->width + BLOCK - 1) / BLOCK;
    for (size_t i = 0; i < across; i++) {
        uint8_t pixels[BC_PIXELS][4];
        unsigned char *to = job->out + (row * across + i) * bytes;
        gather_block(job, BLOCK * (int)i, BLOCK * (int)row, pixels);
        if (job->format == VTF_DXT5)
            bc3_encode(pixels, to);
        else
            bc1_encode(pixels, job->format == VTF_DXT1_ONEBITALPHA, to);
    }
}

/* The order of channels in the file; -1: none more. */
static const int *channels_of(enum vtf_format format)
{
    static const int rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, bgr[] = {2, 1, 0, -1},
                     rgb[] = {0, 1, 2, -1};
    switch (format) {
    case VTF_RGBA8888:
        return rgba;
    case VTF_BGRA8888:
        return bgra;
    case VTF_RGB888:
        return rgb;
    default:
        return bgr;
    }
}

/* Writes a picture of bytes to vtf_picture_size bytes; the pixels of a block beyond its borders are
 * those at the borders. */
static void vtf_encode_picture(enum vtf_format format, const uint8_t *rgba, int width, int height,
                               int threads, unsigned char *out)
{
    size_t count = (size_t)width * (size_t)height;
    if (format == VTF_DXT1 || format == VTF_DXT1_ONEBITALPHA || format == VTF_DXT5) {
        struct block_job job = {format, rgba, width, height, out};
        parallel_for(threads, ((size_t)height + BLOCK - 1) / BLOCK, encode_block_row, &job);
        return;
    }
    const int *channels = channels_of(format);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 4 && channels[k] >= 0; k++)
            *out++ = rgba[4 * i + (size_t)channels[k]];
}

/* The same of light, for a format that holds it (vtf_format_is_light). */
static void vtf_encode_light(const float *rgba, int width, int height, unsigned char *out)
{
    size_t count = 4 * (size_t)width * (size_t)height;
    for (size_t i = 0; i < count; i++)
        store_u16(ORDER_LITTLE, out + 2 * i, half_of_float(rgba[i]));
}

/* --- vtf write --- */

enum {
    SIZE_71 = 64,
    SIZE_72 = 80,
    RESOURCE = 8,
    TAG_THUMBNAIL = 0x01,
    TAG_IMAGE = 0x30,
    THUMBNAIL_SIDE = 16,
    SPHERE_FACES = 7,  /* with the sphere map */
    FIRST_WITHOUT = 5, /* the first minor version without it */
    MAX_LEVELS = 16,
};

#define LARGEST_FILE ((uint64_t)2 << 30)

const struct vtf_write_options vtf_write_defaults = {
    .format = VTF_DXT1, .minor = 4, .mips = true, .thumbnail = true, .bump_scale = 1};

static const struct {
    enum vtf_format format;
    uint32_t alpha; /* the flag that tells it */
} formats[] = {
    {VTF_DXT1, 0},
    {VTF_DXT1_ONEBITALPHA, VTF_ONE_BIT_ALPHA},
    {VTF_DXT5, VTF_EIGHT_BIT_ALPHA},
    {VTF_BGRA8888, VTF_EIGHT_BIT_ALPHA},
    {VTF_RGBA8888, VTF_EIGHT_BIT_ALPHA},
    {VTF_BGR888, 0},
    {VTF_RGB888, 0},
    {VTF_RGBA16F, VTF_EIGHT_BIT_ALPHA},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const char *const vtf_write_format_names[] = {"auto",     "dxt1",   "dxt1a",  "dxt5",    "bgra8888",
                                              "rgba8888", "bgr888", "rgb888", "rgba16f", NULL};
const char *const vtf_write_version_names[] = {"auto", "7.1", "7.2", "7.3", "7.4", "7.5", NULL};

enum vtf_format vtf_write_format_at(int choice)
{
    return formats[choice - 1].format;
}

/* A texture while it is written: its levels from the largest to the smallest. */
struct writer {
    const struct vtf_source *source;
    const struct vtf_write_options *options;
    int threads;
    int levels, faces;          /* with the sphere map */
    int header, thumbnail[2];   /* bytes; width and height, 0: none */
    uint64_t pictures;          /* their offset in the file */
    uint64_t level[MAX_LEVELS]; /* offset of the first picture of a level, after `pictures` */
    struct light_bytes bytes;
    double reflectivity[3]; /* a sum over pictures */
    unsigned char *file;
};

/* Linear light and alpha of a picture. */
struct picture {
    float *rgba;
    int width, height;
};

static bool is_power_of_two(int side)
{
    return side >= 1 && side <= VTF_MAX_SIDE && (side & (side - 1)) == 0;
}

static int find_format(enum vtf_format format)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].format == format)
            return i;
    return -1;
}

static enum vtf_write_fault find_fault(const struct vtf_source *source,
                                       const struct vtf_write_options *options)
{
    if (find_format(options->format) < 0)
        return VTF_FAULT_FORMAT;
    if (options->minor < 1 || options->minor > 5)
        return VTF_FAULT_VERSION;
    if (!is_power_of_two(source->width) || !is_power_of_two(source->height))
        return VTF_FAULT_SIDE;
    if (source->faces != 1 && (source->faces != VTF_CUBE_FACES || source->width != source->height))
        return VTF_FAULT_CUBE;
    return source->frames < 1 || source->frames > VTF_MAX_FRAMES ? VTF_FAULT_FRAMES : VTF_WRITTEN;
}

static int halved(int side, int level)
{
    return side >> level > 0 ? side >> level : 1;
}

static uint64_t picture_bytes(const struct writer *writer, int level)
{
    return vtf_picture_size((int)writer->options->format, halved(writer->source->width, level),
                            halved(writer->source->height, level));
}

static uint64_t thumbnail_bytes(const struct writer *writer)
{
    return writer->thumbnail[0]
               ? vtf_picture_size(VTF_DXT1, writer->thumbnail[0], writer->thumbnail[1])
               : 0;
}

static int header_bytes(const struct writer *writer)
{
    int minor = writer->options->minor;
    if (minor < 2)
        return SIZE_71;
    return SIZE_72 + (minor < 3 ? 0 : RESOURCE * (1 + (writer->thumbnail[0] > 0)));
}

/* Returns the size of the file. */
static uint64_t lay_out(struct writer *writer)
{
    const struct vtf_source *source = writer->source;
    int larger = source->width > source->height ? source->width : source->height;
    bool cube = source->faces > 1;
    writer->faces = cube && writer->options->minor < FIRST_WITHOUT ? SPHERE_FACES : source->faces;
    writer->levels = 1;
    while (writer->options->mips && larger >> writer->levels)
        writer->levels++;
    if (writer->options->thumbnail && !cube) {
        int level = 0;
        while (halved(larger, level) > THUMBNAIL_SIDE)
            level++;
        writer->thumbnail[0] = halved(source->width, level);
        writer->thumbnail[1] = halved(source->height, level);
    }
    writer->header = header_bytes(writer);
    writer->pictures = (uint64_t)writer->header + thumbnail_bytes(writer);
    uint64_t at = writer->pictures;
    for (int level = writer->levels - 1; level >= 0; level--) {
        writer->level[level] = at;
        at += picture_bytes(writer, level) * (uint64_t)source->frames * (uint64_t)writer->faces;
    }
    return at;
}

/* Normals are no light: their bytes are means as they are. */
static bool has_gamma(const struct writer *writer)
{
    return !(writer->options->flags & (VTF_NORMAL | VTF_SSBUMP));
}

static struct picture new_picture(int width, int height)
{
    return (struct picture){memory_alloc(4 * sizeof(float) * (size_t)width * (size_t)height), width,
                            height};
}

static struct picture load_picture(const struct writer *writer, int index)
{
    const struct vtf_source *source = writer->source;
    struct picture picture = new_picture(source->width, source->height);
    size_t count = 4 * (size_t)source->width * (size_t)source->height;
    bool gamma = has_gamma(writer);
    if (!source->rgba) {
        memcpy(picture.rgba, source->light[index], count * sizeof(float));
        return picture;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = source->rgba[index][i];
        picture.rgba[i] = gamma && i % 4 < 3 ? writer->bytes.light[byte] : (float)byte / 255;
    }
    return picture;
}

/* The mean of two by two pixels, in place of the picture. */
static void halve(struct picture *picture)
{
    int across = picture->width > 1 ? 2 : 1, along = picture->height > 1 ? 2 : 1;
    int width = picture->width / across, height = picture->height / along;
    size_t row = (size_t)picture->width;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (size_t k = 0; k < 4; k++) {
                const float *from =
                    picture->rgba + 4 * ((size_t)(y * along) * row + (size_t)(x * across)) + k;
                float right = from[across > 1 ? 4 : 0];
                const float *under = from + (along > 1 ? 4 * row : 0);
                float sum = from[0] + right + (under[0] + under[across > 1 ? 4 : 0]);
                picture->rgba[4 * ((size_t)y * (size_t)width + (size_t)x) + k] = sum / 4;
            }
    picture->width = width;
    picture->height = height;
}

static uint8_t *bytes_of(const struct writer *writer, const struct picture *picture)
{
    size_t count = 4 * (size_t)picture->width * (size_t)picture->height;
    uint8_t *bytes = memory_alloc(count);
    bool gamma = has_gamma(writer);
    for (size_t i = 0; i < count; i++)
        bytes[i] = gamma && i % 4 < 3 ? light_bytes_of(&writer->bytes, picture->rgba[i])
                                      : light_bytes_share(picture->rgba[i]);
    return bytes;
}

static void put_level(const struct writer *writer, const struct picture *picture, int level,
                      int index)
{
    unsigned char *to =
        writer->file + writer->level[level] + picture_bytes(writer, level) * (uint64_t)index;
    if (vtf_format_is_light((int)writer->options->format)) {
        vtf_encode_light(picture->rgba, picture->width, picture->height, to);
        return;
    }
    uint8_t *bytes = bytes_of(writer, picture);
    vtf_encode_picture(writer->options->format, bytes, picture->width, picture->height,
                       writer->threads, to);
    memory_free(bytes);
}

static void put_thumbnail(const struct writer *writer, const struct picture *picture)
{
    if (picture->width != writer->thumbnail[0] || picture->height != writer->thumbnail[1])
        return;
    uint8_t *bytes = bytes_of(writer, picture);
    vtf_encode_picture(VTF_DXT1, bytes, picture->width, picture->height, writer->threads,
                       writer->file + writer->header);
    memory_free(bytes);
}

/* Writes all levels of a picture, which is freed; `index` is among those of a level. */
static void put_picture(const struct writer *writer, struct picture picture, int index)
{
    for (int level = 0;; level++) {
        bool wanted = level < writer->levels, first = index == 0 && writer->thumbnail[0];
        if (wanted)
            put_level(writer, &picture, level, index);
        if (first)
            put_thumbnail(writer, &picture);
        bool more = level + 1 < writer->levels || (first && picture.width > writer->thumbnail[0]) ||
                    (first && picture.height > writer->thumbnail[1]);
        if (!more)
            break;
        halve(&picture);
    }
    memory_free(picture.rgba);
}

/* Light up to white counts. Bytes of normals are taken as colours, as tools do. */
static void add_reflectivity(struct writer *writer, int index)
{
    const struct vtf_source *source = writer->source;
    size_t count = (size_t)source->width * (size_t)source->height;
    double sum[3] = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            float light = source->rgba ? writer->bytes.light[source->rgba[index][4 * i + k]]
                                       : source->light[index][4 * i + k];
            sum[k] += light > 0 ? light < 1 ? (double)light : 1 : 0;
        }
    for (int k = 0; k < 3; k++)
        writer->reflectivity[k] += sum[k] / (double)count;
}

static void put_sphere_map(const struct writer *writer, int frame)
{
    struct picture faces[VTF_CUBE_FACES];
    const float *light[VTF_CUBE_FACES];
    struct picture sphere = new_picture(writer->source->width, writer->source->height);
    for (int i = 0; i < VTF_CUBE_FACES; i++) {
        faces[i] = load_picture(writer, frame * VTF_CUBE_FACES + i);
        light[i] = faces[i].rgba;
    }
    vtf_sphere_map(light, sphere.width, sphere.rgba);
    for (int i = 0; i < VTF_CUBE_FACES; i++)
        memory_free(faces[i].rgba);
    put_picture(writer, sphere, frame * writer->faces + VTF_CUBE_FACES);
}

static void put_pictures(struct writer *writer)
{
    const struct vtf_source *source = writer->source;
    for (int frame = 0; frame < source->frames; frame++) {
        for (int face = 0; face < source->faces; face++) {
            int index = frame * source->faces + face;
            add_reflectivity(writer, index);
            put_picture(writer, load_picture(writer, index), frame * writer->faces + face);
        }
        if (writer->faces == SPHERE_FACES)
            put_sphere_map(writer, frame);
    }
}

static uint32_t flags_of(const struct writer *writer)
{
    const struct vtf_write_options *options = writer->options;
    uint32_t flags =
        options->flags & ~(uint32_t)(VTF_ENVMAP | VTF_ONE_BIT_ALPHA | VTF_EIGHT_BIT_ALPHA);
    if (writer->source->faces > 1)
        return flags | VTF_ENVMAP;
    return flags | formats[find_format(options->format)].alpha | (options->mips ? 0 : VTF_NO_MIP);
}

static void put_resources(const struct writer *writer, struct bytes *header)
{
    bool thumbnail = writer->thumbnail[0] > 0;
    bytes_fill(header, 0, 3);
    bytes_u32(header, thumbnail ? 2 : 1);
    bytes_fill(header, 0, 8);
    if (thumbnail) {
        bytes_u32(header, TAG_THUMBNAIL);
        bytes_u32(header, (uint32_t)writer->header);
    }
    bytes_u32(header, TAG_IMAGE);
    bytes_u32(header, (uint32_t)writer->pictures);
}

static void put_header(const struct writer *writer)
{
    const struct vtf_source *source = writer->source;
    const struct vtf_write_options *options = writer->options;
    double pictures = (double)source->frames * source->faces;
    struct bytes header = {0};
    bytes_append(&header, "VTF", 4);
    bytes_u32(&header, 7);
    bytes_u32(&header, (uint32_t)options->minor);
    bytes_u32(&header, (uint32_t)writer->header);
    bytes_u16(&header, (uint16_t)source->width);
    bytes_u16(&header, (uint16_t)source->height);
    bytes_u32(&header, flags_of(writer));
    bytes_u16(&header, (uint16_t)source->frames);
    bytes_fill(&header, 0, 6); /* first frame */
    for (int k = 0; k < 3; k++)
        bytes_f32(&header, (float)(writer->reflectivity[k] / pictures));
    bytes_u32(&header, 0);
    bytes_f32(&header, options->bump_scale);
    bytes_u32(&header, (uint32_t)options->format);
    bytes_u8(&header, (uint8_t)writer->levels);
    bytes_i32(&header, writer->thumbnail[0] ? VTF_DXT1 : -1);
    bytes_u8(&header, (uint8_t)writer->thumbnail[0]);
    bytes_u8(&header, (uint8_t)writer->thumbnail[1]);
    if (options->minor >= 2)
        bytes_u16(&header, 1); /* depth */
    if (options->minor >= 3)
        put_resources(writer, &header);
    memcpy(writer->file, header.data, header.size); /* zeros follow */
    bytes_free(&header);
}

enum vtf_write_fault vtf_write(const struct vtf_source *source,
                               const struct vtf_write_options *options, int threads,
                               struct bytes *out)
{
    enum vtf_write_fault fault = find_fault(source, options);
    if (fault != VTF_WRITTEN)
        return fault;
    struct writer writer = {.source = source, .options = options, .threads = threads};
    uint64_t size = lay_out(&writer);
    if (size > LARGEST_FILE)
        return VTF_FAULT_LARGE;
    light_bytes_fill(&writer.bytes);
    writer.file = bytes_extend(out, (size_t)size);
    memset(writer.file, 0, (size_t)writer.header);
    put_pictures(&writer);
    put_header(&writer);
    return VTF_WRITTEN;
}
