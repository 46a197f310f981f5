/* Writes VTF, the textures of Source.
 *
 * (Layout of the header, of resources and of pictures, and the sphere map: measured on files that
 * games and their tools have written; docs/formats/vtf.md.) */
#ifndef ASSETS_TEXTURES_VTF_WRITE_H
#define ASSETS_TEXTURES_VTF_WRITE_H

#include "common/assets/textures/vtf_pixels.h"
#include "common/core/bytes.h"

enum vtf_flag {
    VTF_POINT_SAMPLE = 0x1,
    VTF_TRILINEAR = 0x2,
    VTF_CLAMP_S = 0x4,
    VTF_CLAMP_T = 0x8,
    VTF_ANISOTROPIC = 0x10,
    VTF_NORMAL = 0x80,
    VTF_NO_MIP = 0x100,
    VTF_NO_LOD = 0x200,
    VTF_ONE_BIT_ALPHA = 0x1000,
    VTF_EIGHT_BIT_ALPHA = 0x2000,
    VTF_ENVMAP = 0x4000,
    VTF_SSBUMP = 0x8000000,
};

enum { VTF_CUBE_FACES = 6, VTF_MAX_SIDE = 16384, VTF_MAX_FRAMES = 4096 };

/* Pictures of one size, frame by frame and in each face by face: +x, -x, +y, -y, +z, -z of the
 * world. The directions that a face's rows go to the right and down are those of vtf_cube.h. */
struct vtf_source {
    int width, height; /* of each picture: powers of two */
    int frames;
    int faces;                  /* 1, or 6: a cubemap, whose pictures are square */
    const uint8_t *const *rgba; /* frames * faces pictures of 4 * width * height bytes; or NULL: */
    const float *const *light;  /* the same of linear light (1 is white) and alpha */
};

struct vtf_write_options {
    enum vtf_format format;
    int minor;      /* of the version: 1 .. 5 for 7.1 .. 7.5 */
    uint32_t flags; /* enum vtf_flag; those of alpha, mips and cubemaps are set by the content */
    bool mips;      /* with all smaller levels, as means of linear light; of normals as they are */
    bool thumbnail; /* of 16 pixels at most; cubemaps have none */
    float bump_scale; /* 1 is usual */
};

extern const struct vtf_write_options vtf_write_defaults; /* DXT1, 7.4, mips and a thumbnail */

/* Why a texture is not written. */
enum vtf_write_fault {
    VTF_WRITTEN,
    VTF_FAULT_FORMAT,  /* none of those that are written */
    VTF_FAULT_VERSION, /* not 7.1 .. 7.5 */
    VTF_FAULT_SIDE,    /* a side is no power of two, or above VTF_MAX_SIDE */
    VTF_FAULT_CUBE,    /* neither one face nor six square ones */
    VTF_FAULT_FRAMES,  /* none, or above VTF_MAX_FRAMES */
    VTF_FAULT_LARGE,   /* the file would be above 2 GiB */
};

/* Appends the file to *out, which is unchanged after a fault. Cubemaps of versions before 7.5 get
 * the sphere map as a seventh face. The bytes are the same for any number of threads. */
enum vtf_write_fault vtf_write(const struct vtf_source *source,
                               const struct vtf_write_options *options, int threads,
                               struct bytes *out);

/* Choices of options: formats and versions that are written, "dxt1", "7.4", after "auto", which
 * leaves it to the program; NULL after the last. */
extern const char *const vtf_write_format_names[];
extern const char *const vtf_write_version_names[];
/* Returns the format of a name, by its place: from 1. */
enum vtf_format vtf_write_format_at(int choice);

#endif
