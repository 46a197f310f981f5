/* The BM material of each face of a level, by the name of its texture: a text that maps are
 * converted with, and that is written beside maps that come from BM files.
 *
 * Its blocks are those of materials.txt and textures.txt of an unpacked BM file (dump.h), with
 * lines of its own at the end of a block. In a texture: `path "FILE"`, where the bytes of a file
 * that is packed are, relative to the table, and `size W H`, the pixels that texture axes of maps
 * count in. In a material: `face "NAME"`, a texture name that it stands for, any number of times;
 * without such a line it stands for its own name. Names are compared without case. A material names
 * a texture of an earlier block. docs/formats/bmx.md has an example. */
#ifndef BMX_MATERIAL_TABLE_H
#define BMX_MATERIAL_TABLE_H

#include "ballance/bmx/bmx.h"
#include "common/io/fs.h"

/* Where no file and no table says otherwise. */
enum { MATERIAL_TABLE_TEXTURE_SIZE = 128 };

struct material_face {
    char *name;        /* in lower case, with slashes; owned */
    uint32_t material; /* of the table */
};

/* Lines of a texture of the same number. */
struct material_image {
    char *path;       /* owned; NULL: there is no line */
    uint32_t size[2]; /* 0: there is no line */
};

/* Zero-initialised, it is empty. All lists are stb_ds arrays. Free with material_table_free. */
struct material_table {
    struct bmx_material *materials; /* their textures are numbers in `textures` */
    struct bmx_texture *textures;
    struct material_image *images; /* as many as textures */
    struct material_face *faces;   /* in the order of the text; of equal names the last counts */
};

void material_table_free(struct material_table *table);

/* Adds the materials of the game's own textures, each under the face name `ballance/STEM`, such as
 * `ballance/Floor_Side` for Floor_Side.bmp. Those of walls are emissive white, since the sun of the
 * game leaves walls black. */
void material_table_add_stock(struct material_table *table);

/* Appends what the text says; text[size] must be a null character. Fails with a report (BMX_DUMP
 * with the file and line); the table is to be freed all the same. */
NODISCARD enum status material_table_parse(struct material_table *table, const char *text,
                                           size_t size, const char *path, struct diag *diag);

/* Loads the file, which may be UTF-8 or UTF-16, and calls material_table_parse. */
NODISCARD enum status material_table_load(struct material_table *table, struct fs *fs,
                                          const char *path, struct diag *diag);

/* Add a copy of a block, and return its number. */
uint32_t material_table_add_texture(struct material_table *table,
                                    const struct bmx_texture *texture);
uint32_t material_table_add_material(struct material_table *table,
                                     const struct bmx_material *material);
/* Lets a face name stand for a material. */
void material_table_add_face(struct material_table *table, const char *name, uint32_t material);

/* Returns the material of a face name, or -1. */
int material_table_find(const struct material_table *table, const char *name);

/* Appends the text of the table, which reads back as the same. */
void material_table_write(const struct material_table *table, struct bytes *out);

#endif
