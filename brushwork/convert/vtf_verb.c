/* brushwork vtf: a texture of images, or an image of a texture. */
#include <string.h>

#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/textures/image.h"
#include "common/assets/textures/tga.h"
#include "common/assets/textures/vtf.h"
#include "common/assets/textures/vtf_write.h"
#include "common/cli/program.h"
#include "common/cli/subject.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/textures.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "scene/images/image_encode.h"

static const char details[] =
    "Makes a VTF, a texture of Source, of an image: PNG, TGA, JPEG or BMP, with sides that are "
    "powers of two. Several images of one size are the frames of an animation or, with --cubemap, "
    "six faces: +x, -x, +y, -y, +z and -z of the world, in the directions of Direct3D's cubes. The "
    "format is DXT1, or DXT5 if a pixel is not opaque, unless --format names another. Smaller "
    "levels are means of linear light (of bytes with --flag normal or ssbump); the header has the "
    "reflectivity that compilers read.\n\n"
    "A VTF becomes an image: PNG, or TGA or JPEG by the ending of the output. The faces of a "
    "cubemap, and the sphere map of versions before 7.5, stand side by side. Light of HDR textures "
    "is at most white in it.";

enum { JPEG_QUALITY = 92 };

struct vtf_values {
    struct standard_options standard;
    const char *out;
    const char **flags;
    int format, version; /* choices: 0 of formats is "auto", and of versions 7.1 */
    double bump_scale;
    bool no_mips, no_thumbnail, cubemap;
    int mip, frame; /* that is read */
};

static const struct {
    const char *name;
    uint32_t flag;
} flags[] = {
    {"pointsample", VTF_POINT_SAMPLE},
    {"trilinear", VTF_TRILINEAR},
    {"clamps", VTF_CLAMP_S},
    {"clampt", VTF_CLAMP_T},
    {"anisotropic", VTF_ANISOTROPIC},
    {"normal", VTF_NORMAL},
    {"nolod", VTF_NO_LOD},
    {"ssbump", VTF_SSBUMP},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define FIELD(name)  offsetof(struct vtf_values, name)

static const struct option_def vtf_options[] = {
    VERB_OUT(struct vtf_values,
             "output file (default: the first one with the ending .vtf or, for a VTF, .png)"),
    {.name = "format",
     .argument = "FORMAT",
     .kind = OPTION_CHOICE,
     .choices = vtf_write_format_names,
     .offset = FIELD(format),
     .two_dashes = true,
     .help = "format of pixels; dxt1a has transparent pixels, rgba16f half-precision floats"},
    {.name = "vtf-version",
     .argument = "N",
     .kind = OPTION_CHOICE,
     .choices = vtf_write_version_names + 1,
     .offset = FIELD(version),
     .two_dashes = true,
     .help = "version of the file: games of 2004 read 7.1, those before 2010 up to 7.4"},
    {.name = "flag",
     .argument = "FLAG",
     .kind = OPTION_LIST,
     .offset = FIELD(flags),
     .two_dashes = true,
     .help = "pointsample, trilinear, clamps, clampt, anisotropic, normal, nolod or ssbump; "
             "repeatable"},
    VERB_FLAG(struct vtf_values, "no-mips", no_mips, "without smaller levels"),
    VERB_FLAG(struct vtf_values, "no-thumbnail", no_thumbnail, "without the thumbnail"),
    VERB_FLAG(struct vtf_values, "cubemap", cubemap, "the images are the faces of a cubemap"),
    {.name = "bump-scale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(bump_scale),
     .max = 1000,
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "bump scale in the header"},
    {.name = "mip",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(mip),
     .max = 15,
     .two_dashes = true,
     .help = "of a VTF: the level that is read, 0 is the largest"},
    {.name = "frame",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(frame),
     .max = 65535,
     .two_dashes = true,
     .help = "of a VTF: the frame that is read, from 0"},
    VERB_THREADS(struct vtf_values),
};

static enum status usage(const struct env *env, const char *what, const char *of)
{
    (void)diag_report(env->diag, DIAG_USAGE, NULL, "%s%s", what, of);
    return STATUS_USAGE;
}

static enum status read_flags(const struct env *env, const struct vtf_values *values, uint32_t *out)
{
    for (size_t i = 0; i < arrlenu(values->flags); i++) {
        size_t k = 0;
        while (k < COUNT(flags) && !str_equal_nocase(flags[k].name, values->flags[i]))
            k++;
        if (k == COUNT(flags))
            return usage(env, "--flag: there is no ", values->flags[i]);
        *out |= flags[k].flag;
    }
    return STATUS_OK;
}

/* --- images to a texture --- */

struct images {
    uint8_t **pixels; /* stb_ds array */
    int width, height;
    bool opaque;
};

static void free_images(struct images *images)
{
    for (size_t i = 0; i < arrlenu(images->pixels); i++)
        memory_free(images->pixels[i]);
    arrfree(images->pixels);
}

static enum status add_image(const struct env *env, const char *path, struct images *images)
{
    const struct diag_where where = {.file = path};
    struct bytes file = {0};
    int width = 0, height = 0;
    TRY(fs_load(env->fs, env->diag, path, &file));
    uint8_t *pixels = image_decode(file.data, file.size, &width, &height);
    bytes_free(&file);
    if (!pixels)
        return diag_report(env->diag, DIAG_TEXTURE_READ, &where, "no image");
    bool first = !arrlen(images->pixels);
    arrput(images->pixels, pixels);
    if (!first && (width != images->width || height != images->height))
        return diag_report(env->diag, DIAG_TEXTURE_WRITE, &where,
                           "%d x %d pixels, but the first image has %d x %d", width, height,
                           images->width, images->height);
    images->width = width;
    images->height = height;
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        images->opaque &= pixels[4 * i + 3] == 255;
    return STATUS_OK;
}

static const char *fault_text(enum vtf_write_fault fault)
{
    switch (fault) {
    case VTF_FAULT_SIDE:
        return "a side is no power of two, or too large";
    case VTF_FAULT_CUBE:
        return "a cubemap needs six square images";
    case VTF_FAULT_FRAMES:
        return "too many frames";
    case VTF_FAULT_LARGE:
        return "the file would be larger than 2 GiB";
    default:
        return "the format or version is not known";
    }
}

static enum status write_texture(const struct program *program, const struct images *images,
                                 struct vtf_write_options options, const char *out)
{
    const struct vtf_values *values = program->values;
    const struct env *env = program->env;
    int count = (int)arrlen(images->pixels), faces = values->cubemap ? VTF_CUBE_FACES : 1;
    struct vtf_source source = {
        .width = images->width,
        .height = images->height,
        .frames = count / faces,
        .faces = count % faces ? count : faces,
        .rgba = (const uint8_t *const *)images->pixels,
    };
    struct bytes file = {0};
    if (values->format == 0)
        options.format = images->opaque || values->cubemap ? VTF_DXT1 : VTF_DXT5;
    enum vtf_write_fault fault = vtf_write(&source, &options, env->threads, &file);
    if (fault != VTF_WRITTEN)
        return diag_report(env->diag, DIAG_TEXTURE_WRITE,
                           &(struct diag_where){.file = program->result->operands[0]},
                           "%d image%s of %d x %d pixels: %s", count, count == 1 ? "" : "s",
                           images->width, images->height, fault_text(fault));
    enum status status = env_store(env, out, file.data, file.size);
    bytes_free(&file);
    return status;
}

static enum status make_texture(const struct program *program, const char *out)
{
    const struct vtf_values *values = program->values;
    struct vtf_write_options options = vtf_write_defaults;
    struct images images = {.opaque = true};
    enum status status = STATUS_OK;
    options.minor = values->version + 1;
    options.mips = !values->no_mips;
    options.thumbnail = !values->no_thumbnail;
    options.bump_scale = (float)values->bump_scale;
    if (values->format > 0)
        options.format = vtf_write_format_at(values->format);
    TRY(read_flags(program->env, values, &options.flags));
    for (size_t i = 0; i < arrlenu(program->result->operands) && status == STATUS_OK; i++)
        status = add_image(program->env, program->result->operands[i], &images);
    if (status == STATUS_OK)
        status = write_texture(program, &images, options, out);
    free_images(&images);
    return status;
}

/* --- a texture to an image --- */

/* Draws the faces side by side; *rgba is NULL when one cannot be read. */
static void read_faces(const struct vtf_values *values, const struct bytes *file,
                       const struct vtf_header *header, struct vtf_image *out)
{
    int faces = vtf_face_count(file->data, file->size, header);
    *out = (struct vtf_image){0};
    for (int face = 0; face < faces; face++) {
        struct vtf_image image;
        struct vtf_place place = {values->mip, values->frame, face};
        if (!vtf_read_picture(file->data, file->size, place, &image)) {
            vtf_image_free(out);
            return;
        }
        size_t row = 4 * (size_t)image.width, rows = (size_t)image.height;
        if (!out->rgba)
            *out = (struct vtf_image){faces * image.width, image.height,
                                      memory_alloc((size_t)faces * row * rows)};
        for (size_t y = 0; y < rows; y++)
            memcpy(out->rgba + (y * (size_t)faces + (size_t)face) * row, image.rgba + y * row, row);
        vtf_image_free(&image);
    }
}

static bool is_opaque(const struct vtf_image *image)
{
    for (size_t i = 0; i < (size_t)image->width * (size_t)image->height; i++)
        if (image->rgba[4 * i + 3] != 255)
            return false;
    return true;
}

static void encode_image(const struct vtf_image *image, const char *out, struct bytes *file)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    bool jpeg = subject_has_ending("jpg jpeg", out), opaque = jpeg || is_opaque(image);
    uint8_t *rgb = memory_alloc(3 * count);
    for (size_t i = 0; i < count; i++)
        memcpy(rgb + 3 * i, image->rgba + 4 * i, 3);
    if (jpeg)
        jpeg_encode(rgb, image->width, image->height, JPEG_QUALITY, file);
    else if (subject_has_ending("tga", out))
        tga_encode(image->rgba, image->width, image->height, TGA_RGBA, file);
    else
        png_encode(opaque ? rgb : image->rgba, opaque ? 3 : 4, image->width, image->height, file);
    memory_free(rgb);
}

static enum status make_image(const struct program *program, const char *path, const char *out)
{
    const struct env *env = program->env;
    const struct diag_where where = {.file = path};
    struct bytes file = {0}, encoded = {0};
    struct vtf_header header;
    struct vtf_image image = {0};
    TRY(fs_load(env->fs, env->diag, path, &file));
    bool known = vtf_read_header(file.data, file.size, &header);
    if (known)
        read_faces(program->values, &file, &header, &image);
    bytes_free(&file);
    if (!image.rgba && known)
        return diag_report(env->diag, DIAG_TEXTURE_READ, &where,
                           "no such level or frame, truncated, or format %d is not known",
                           header.format);
    if (!image.rgba)
        return diag_report(env->diag, DIAG_TEXTURE_READ, &where, "no VTF");
    encode_image(&image, out, &encoded);
    vtf_image_free(&image);
    enum status status = env_store(env, out, encoded.data, encoded.size);
    bytes_free(&encoded);
    return status;
}

static const char *default_out(struct arena *arena, const char *path, bool reads)
{
    const char *dot = strrchr(path_name(path), '.');
    int length = (int)(dot ? (size_t)(dot - path) : strlen(path));
    return arena_printf(arena, "%.*s%s", length, path, reads ? ".png" : ".vtf");
}

static enum status run(const struct program *program, const char *path, const char *out)
{
    const struct vtf_values *values = program->values;
    const struct env *env = program->env;
    bool reads = subject_has_ending("vtf", path), to_stream = strcmp(out, "-") == 0;
    if (to_stream)
        console_quiet(program->console);
    console_stage(program->console, "vtf", path);
    if (reads && arrlen(program->result->operands) > 1)
        return usage(env, "one VTF at a time becomes an image", "");
    if (!to_stream && !subject_has_ending(reads ? "png tga jpg jpeg" : "vtf", out) && values->out &&
        strchr(path_name(out), '.'))
        return usage(env, "--out: another ending than what is written: ", out);
    TRY(fs_prepare_output(env->fs, env->diag, out));
    return reads ? make_image(program, path, out) : make_texture(program, out);
}

static enum status convert_texture(const struct program *program)
{
    const struct vtf_values *values = program->values;
    struct arena arena = {0};
    const char *path = program->result->operands[0];
    const char *out =
        values->out ? values->out : default_out(&arena, path, subject_has_ending("vtf", path));
    enum status status = run(program, path, out);
    arena_free(&arena);
    return status;
}

int verb_vtf(int argc, char **argv)
{
    struct vtf_values values = {.version = 3, .bump_scale = 1};
    const struct vtf_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("vtf")),
        .endings = "vtf png tga jpg jpeg bmp",
        .details = details,
        .defaults = &defaults,
        .defs = vtf_options,
        .count = sizeof vtf_options / sizeof *vtf_options,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, convert_texture);
    arrfree(values.flags);
    return status;
}
