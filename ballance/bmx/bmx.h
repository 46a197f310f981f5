/* BM 1.4: the levels of Ballance mappers, a zip archive (.bmx) of five block files and textures.
 *
 * struct bmx holds every stored bit: a file that is read and written unchanged has the same bytes
 * in each member of the archive; only the zip container is rebuilt. Numbers are kept as the file
 * has them, so indices may be out of range and floats may be anything until bmx_check_model
 * (check.h) has found no error. docs/formats/bmx.md describes the format. (BM standard 1.4.) */
#ifndef BMX_BMX_H
#define BMX_BMX_H

#include "ballance/bmx/text.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* --- findings about a file, each with a code, an object and a text --- */

struct bmx_finding {
    int code;           /* DIAG_BMX_... */
    const char *object; /* "mesh Cube", a member's name, or "" */
    const char *text;   /* may be "" */
};

/* Zero-initialise; free with bmx_findings_free. The first BMX_FINDINGS_KEPT of each code are kept,
 * all are counted. */
struct bmx_findings {
    struct bmx_finding *list; /* stb_ds array */
    size_t by_code[DIAG_CODES_MAX];
    size_t by_severity[DIAG_SEVERITIES];
    struct arena arena;
};

enum { BMX_FINDINGS_KEPT = 200 };

/* Adds a finding; the texts are copied, long ones truncated. */
void bmx_add_finding(struct bmx_findings *findings, int code, const char *object,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds a finding without a text, for codes that need no detail. */
void bmx_add_bare_finding(struct bmx_findings *findings, int code, const char *object);

/* Formats the object of a finding: "mesh Cube". */
enum { BMX_LABEL_SIZE = 160 };
const char *bmx_label(const char *kind, const struct bmx_text *name, char label[BMX_LABEL_SIZE]);
/* Returns how many there are of a code. */
size_t bmx_finding_count(const struct bmx_findings *findings, int code);
void bmx_findings_free(struct bmx_findings *findings);

/* Returns "E_NAN" for DIAG_BMX_E_NAN: the code's name, which other checkers use too. */
const char *bmx_code_name(int code);

/* Reports the findings to diag, with `name` as their file. STATUS_FAILED when one was an error. */
NODISCARD enum status bmx_report(const struct bmx_findings *findings, const char *name,
                                 struct diag *diag);
/* The same without warnings and notes. */
NODISCARD enum status bmx_report_errors(const struct bmx_findings *findings, const char *name,
                                        struct diag *diag);
/* The same for a caller that goes on in spite of errors: they are reported as warnings. */
void bmx_report_tolerated(const struct bmx_findings *findings, const char *name, struct diag *diag);

#define BMX_VERSION    14
#define BMX_COMMENT    "Use BM Spec 1.4"
#define BMX_TEXTURES   "Texture/"
#define BMX_MEMBER_MAX ((uint64_t)256 << 20) /* bytes of an unpacked member */
#define BMX_TOTAL_MAX  ((uint64_t)384 << 20) /* bytes of all members */

/* Types of index entries. */
enum bmx_kind { BMX_OBJECT, BMX_MESH, BMX_MATERIAL, BMX_TEXTURE, BMX_KINDS };

/* --- the file --- */

/* Distances are in BM units (1 is about a metre), y points up, the system is left-handed, and faces
 * are clockwise seen from the front. */

struct bmx_object {
    struct bmx_text name;
    uint8_t is_component, is_hidden; /* 0: false; else true */
    float matrix[16];                /* row-major, for row vectors: 12..14 is the position */
    struct bmx_text *groups;         /* stb_ds array */
    uint32_t mesh;                   /* index of a mesh, or the number of a component */
};

struct bmx_point {
    float xyz[3];
};

struct bmx_uv {
    float uv[2]; /* v grows downwards */
};

struct bmx_corner {
    uint32_t position, uv, normal; /* indices into the lists of the mesh */
};

struct bmx_face {
    struct bmx_corner corners[3];
    uint32_t material; /* meaningless when use_material is 0, but kept */
    uint8_t use_material;
};

struct bmx_mesh {
    struct bmx_text name;
    struct bmx_point *positions, *normals; /* stb_ds arrays, like all lists here */
    struct bmx_uv *uvs;
    struct bmx_face *faces;
};

struct bmx_material {
    struct bmx_text name;
    float ambient[3], diffuse[3], specular[3], emissive[3], power;
    uint8_t alpha_test, alpha_blend, z_buffer, two_sided, use_texture;
    uint32_t texture; /* meaningless when use_texture is 0, but kept */
};

struct bmx_texture {
    struct bmx_text name, file_name; /* the file is the member Texture/ + file_name */
    uint8_t is_external;             /* not in the archive */
};

/* An entry of the index. Those of known types are in the order of their blocks. */
struct bmx_entry {
    uint8_t type; /* enum bmx_kind, or a number that the standard does not define */
    struct bmx_text
        name; /* name and position: only for unknown types, else they are in the block */
    uint64_t offset;
};

/* Bytes before the block of that number, or after the last block when it is the number of
 * blocks. */
struct bmx_gap {
    enum bmx_kind kind;
    size_t block;
    struct bytes data;
};

enum bmx_role {
    BMX_ROLE_OBJECT, /* the block files, by kind; their bytes are generated from the model */
    BMX_ROLE_MESH,
    BMX_ROLE_MATERIAL,
    BMX_ROLE_TEXTURE,
    BMX_ROLE_INDEX,
    BMX_ROLE_FILE, /* a texture's file, or a member that the standard does not define */
};

/* A member of the archive. */
struct bmx_member {
    char *name; /* owned; as stored: may be unsafe, see zip_name_is_safe */
    enum bmx_role role;
    struct bytes data; /* of BMX_ROLE_FILE */
};

/* An archive with its model. Zero-initialised, it is an empty file without a comment. */
struct bmx {
    struct bytes comment; /* comment of the archive */
    struct bmx_object *objects;
    struct bmx_mesh *meshes;
    struct bmx_material *materials;
    struct bmx_texture *textures;
    struct bmx_entry *index;    /* NULL: objects, meshes, materials, textures in this order */
    struct bmx_gap *gaps;       /* sorted by kind, then by block */
    struct bmx_member *members; /* in the archive's order; missing block files come first */
    bool incomplete;            /* parts of the archive were not read: cannot be written */
};

/* Returns an empty file with the usual comment. Free with bmx_free. */
struct bmx *bmx_new(void);
void bmx_free(struct bmx *bmx); /* NULL is fine */

size_t bmx_count(const struct bmx *bmx, enum bmx_kind kind);
const struct bmx_text *bmx_name(const struct bmx *bmx, enum bmx_kind kind, size_t block);
/* "object" ... and "object.bm" ..., the last being the index's. */
const char *bmx_kind_name(enum bmx_kind kind);
const char *bmx_role_file(enum bmx_role role);

/* Appends a member of BMX_ROLE_FILE with a copy of the data. */
void bmx_add_file(struct bmx *bmx, const char *name, const void *data, size_t size);
/* Returns the file name if the member is directly below Texture/, else NULL. */
const char *bmx_texture_file(const struct bmx_member *member);

/* Returns each texture file once, sorted by name; of equal names the last one. An stb_ds array that
 * the caller frees; names and data are the model's. */
struct bmx_file {
    const char *name;
    const struct bytes *data;
};
struct bmx_file *bmx_files(const struct bmx *bmx);
/* Returns the file of that name, or NULL. */
const struct bmx_file *bmx_find_file(const struct bmx_file *files, const char *name);

/* Limits for reading. */
struct bmx_limits {
    uint64_t member, total; /* bytes, unpacked */
};

/* Reads a file of any bytes. Everything that is wrong with the archive, the index and the blocks is
 * added to the findings (codes E_ZIP_MAGIC to W_BOOL), also when a model is returned. Returns NULL
 * when a block cannot be decoded. limits may be NULL: BMX_MEMBER_MAX and BMX_TOTAL_MAX. */
struct bmx *bmx_read(const void *data, size_t size, const struct bmx_limits *limits,
                     struct bmx_findings *findings);

/* Appends the archive: all members deflated at level 9, named in UTF-8, dated 1980-01-01, so that
 * the same model gives the same bytes. Reports at `name` and appends nothing when the model is
 * incomplete (BMX_INCOMPLETE) or too large for a zip (ZIP_LIMIT). */
NODISCARD enum status bmx_encode(const struct bmx *bmx, const char *name, struct diag *diag,
                                 struct bytes *out);

/* Appends the bytes of the index or of a block file. */
void bmx_encode_role(const struct bmx *bmx, enum bmx_role role, struct bytes *out);

#endif
