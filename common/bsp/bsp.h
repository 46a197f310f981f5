/* The BSP in memory: one canonical form for all file formats.
 *
 * Each kind of record is as wide as the widest format needs; counts have no limit here. A format
 * (see format.h) reads a file into this form and narrows it again on writing, where its limits are
 * checked. Arrays are stb_ds arrays owned by the bsp. Field meanings and units are those of the
 * VBSP specification; comments explain what is not obvious.
 *
 * Lumps that the canonical form does not model are carried byte for byte in `carried`. */
#ifndef BSP_BSP_H
#define BSP_BSP_H

#include <stdint.h>

#include "common/bsp/flags.h"
#include "common/core/bytes.h"

struct bsp_face;          /* face_records.h */
struct bsp_overlay;       /* overlay_records.h */
struct bsp_water_overlay; /* water_overlay_records.h */
struct bsp_worldlight;    /* worldlight.h */
struct engine;            /* engine.h */
struct fs_source;         /* io/fs_gather.h */

enum { BSP_LUMPS = 64, BSP_FACE_STYLES = 4, BSP_STYLE_NONE = 255 };

/* Lump numbers of VBSP. */
enum bsp_lump {
    LUMP_ENTITIES = 0,
    LUMP_PLANES = 1,
    LUMP_TEXDATA = 2,
    LUMP_VERTEXES = 3,
    LUMP_VISIBILITY = 4,
    LUMP_NODES = 5,
    LUMP_TEXINFO = 6,
    LUMP_FACES = 7,
    LUMP_LIGHTING = 8,
    LUMP_OCCLUSION = 9,
    LUMP_LEAFS = 10,
    LUMP_FACEIDS = 11,
    LUMP_EDGES = 12,
    LUMP_SURFEDGES = 13,
    LUMP_MODELS = 14,
    LUMP_WORLDLIGHTS = 15,
    LUMP_LEAFFACES = 16,
    LUMP_LEAFBRUSHES = 17,
    LUMP_BRUSHES = 18,
    LUMP_BRUSHSIDES = 19,
    LUMP_AREAS = 20,
    LUMP_AREAPORTALS = 21,
    LUMP_FACEBRUSHES = 22,
    LUMP_FACEBRUSHLIST = 23,
    LUMP_DISPINFO = 26,
    LUMP_ORIGINALFACES = 27,
    LUMP_PHYSDISP = 28,
    LUMP_PHYSCOLLIDE = 29,
    LUMP_VERTNORMALS = 30,
    LUMP_VERTNORMALINDICES = 31,
    LUMP_DISPLIGHTMAPALPHAS = 32,
    LUMP_DISPVERTS = 33,
    LUMP_DISPLIGHTMAPSAMPLEPOS = 34,
    LUMP_GAMELUMP = 35,
    LUMP_LEAFWATERDATA = 36,
    LUMP_PRIMITIVES = 37,
    LUMP_PRIMVERTS = 38,
    LUMP_PRIMINDICES = 39,
    LUMP_PAKFILE = 40,
    LUMP_CLIPPORTALVERTS = 41,
    LUMP_CUBEMAPS = 42,
    LUMP_TEXDATASTRINGDATA = 43,
    LUMP_TEXDATASTRINGTABLE = 44,
    LUMP_OVERLAYS = 45,
    LUMP_LEAFMINDISTTOWATER = 46,
    LUMP_FACEMACROTEXTUREINFO = 47,
    LUMP_DISPTRIS = 48,
    LUMP_PHYSCOLLIDESURFACE = 49,
    LUMP_WATEROVERLAYS = 50,
    LUMP_LEAFAMBIENTINDEX_HDR = 51,
    LUMP_LEAFAMBIENTINDEX = 52,
    LUMP_LIGHTING_HDR = 53,
    LUMP_WORLDLIGHTS_HDR = 54,
    LUMP_LEAFAMBIENT_HDR = 55,
    LUMP_LEAFAMBIENT = 56,
    LUMP_FACES_HDR = 58,
    LUMP_MAPFLAGS = 59,
    LUMP_OVERLAYFADES = 60,
    LUMP_OVERLAYSYSTEMLEVELS = 61,
    LUMP_PHYSLEVEL = 62,
    LUMP_DISPMULTIBLEND = 63,
};

/* Lump numbers of IBSP 46 and 47. */
enum ibsp_lump {
    IBSP_ENTITIES = 0,
    IBSP_SHADERS = 1,
    IBSP_PLANES = 2,
    IBSP_NODES = 3,
    IBSP_LEAFS = 4,
    IBSP_LEAFSURFACES = 5,
    IBSP_LEAFBRUSHES = 6,
    IBSP_MODELS = 7,
    IBSP_BRUSHES = 8,
    IBSP_BRUSHSIDES = 9,
    IBSP_DRAWVERTS = 10,
    IBSP_DRAWINDEXES = 11,
    IBSP_EFFECTS = 12,
    IBSP_SURFACES = 13,
    IBSP_LIGHTMAPS = 14,
    IBSP_LIGHTGRID = 15,
    IBSP_VISIBILITY = 16,
    IBSP_LUMPS = 17,
    RBSP_LIGHTARRAY = 17, /* in RBSP and FBSP, which have the others as IBSP does */
    RBSP_LUMPS = 18,
};

struct bsp_plane {
    float normal[3];
    float dist;
    int32_t type;
};

struct bsp_texdata {
    float reflectivity[3];
    int32_t name; /* index in texture_names */
    int32_t width, height, view_width, view_height;
};

struct bsp_texinfo {
    float texture[2][4];  /* texel = x*v[0] + y*v[1] + z*v[2] + v[3] */
    float lightmap[2][4]; /* the same in luxels */
    int32_t flags;        /* enum surface_flag */
    int32_t texdata;      /* -1: none */
};

struct bsp_vertex {
    float p[3];
};

struct bsp_edge {
    int32_t v[2];
};

struct bsp_node {
    int32_t plane;
    int32_t children[2]; /* < 0: leaf -1 - child */
    int32_t mins[3], maxs[3];
    int32_t first_face, face_count;
    int32_t area; /* -1: several */
};

struct bsp_leaf {
    int32_t contents; /* IBSP: solid without a cluster, else 0 */
    int32_t cluster;  /* -1: solid, or not in the world's tree */
    int32_t area;     /* IBSP: -1 in solid leaves */
    int32_t flags;    /* enum leaf_flag */
    int32_t mins[3], maxs[3];
    int32_t first_face, face_count;   /* in leaf_faces */
    int32_t first_brush, brush_count; /* in leaf_brushes */
    int32_t water_data;               /* -1: none */
};

/* Sums of two fit 32 bits. */
enum { BSP_COORDINATE_MAX = 1 << 30 };

/* True when the box of a leaf says where the leaf is. q3map2 leaves that of a solid leaf, and of a
 * leaf of a brush model, as it has cleared it: beyond all coordinates. */
static inline bool bsp_leaf_has_box(const struct bsp_leaf *leaf)
{
    for (int k = 0; k < 3; k++)
        if (leaf->mins[k] > leaf->maxs[k] || leaf->mins[k] < -BSP_COORDINATE_MAX ||
            leaf->maxs[k] > BSP_COORDINATE_MAX)
            return false;
    return true;
}

struct bsp_model {
    float mins[3], maxs[3], origin[3];
    int32_t head_node;                /* IBSP: only the world has a tree, from node 0 */
    int32_t first_face, face_count;   /* IBSP: in surfaces */
    int32_t first_brush, brush_count; /* only in IBSP */
};

struct bsp_brush {
    int32_t first_side, side_count;
    int32_t contents;
    int32_t shader; /* only in IBSP, where the contents are the shader's */
};

struct bsp_brush_side {
    int32_t plane;
    int32_t texinfo; /* -1: none; IBSP: the shader */
    int32_t dispinfo;
    uint8_t bevel, thin;
    int32_t surface; /* only in RBSP: that is drawn on it, -1: none */
};

struct bsp_area {
    int32_t portal_count, first_portal;
};

struct bsp_area_portal {
    int32_t key, other_area;
    int32_t first_clip_vertex, clip_vertex_count;
    int32_t plane;
};

struct bsp_leaf_water {
    float surface_z, min_z;
    int32_t texinfo;
};

struct bsp_primitive {
    int32_t type; /* 0 triangle list, 1 triangle strip */
    int32_t first_index, index_count;
    int32_t first_vertex, vertex_count;
};

/* Colour as 3 mantissas and a shared exponent; value = byte * 2^exponent, 255 is white. */
struct bsp_colour {
    uint8_t r, g, b;
    int8_t exponent;
};

struct bsp_ambient_index {
    int32_t count, first; /* count 0: `first` is another leaf, whose light this one uses */
};

struct bsp_ambient {
    struct bsp_colour cube[6]; /* +x -x +y -y +z -z */
    uint8_t position[3];       /* fraction of the leaf's box, 0..255 */
};

struct bsp_cubemap {
    int32_t origin[3];
    uint8_t size;
};

/* Displacements (asset formats, section on lump 26). Neighbours are 65535 where there are none. */
enum { DISP_EDGES = 4, DISP_CORNERS = 4, DISP_ALLOWED_WORDS = 10 };

struct bsp_disp_neighbour {
    int32_t displacement;
    uint8_t orientation, span, neighbour_span;
};

struct bsp_disp_corner {
    int32_t displacements[4];
    uint8_t count;
};

struct bsp_displacement {
    float start[3]; /* the face's corner that is vertex 0 */
    int32_t first_vertex, first_triangle;
    int32_t power;            /* 2, 3, 4: (2^power + 1)^2 vertices, 2 * 4^power triangles */
    uint32_t min_tesselation; /* the highest bit set: the other bits are flags */
    float smoothing_angle;
    int32_t contents;
    int32_t face;
    int32_t lightmap_alpha, lightmap_sample; /* bytes into their lists */
    struct bsp_disp_neighbour edges[DISP_EDGES][2];
    struct bsp_disp_corner corners[DISP_CORNERS];
    uint32_t allowed[DISP_ALLOWED_WORDS]; /* bit n & 31 of word n >> 5: vertex n is active */
};

struct bsp_disp_vertex {
    float vector[3]; /* unit */
    float distance;
    float alpha; /* 0..255 */
};

struct bsp_occluder {
    int32_t flags;
    int32_t first_polygon, polygon_count;
    float mins[3], maxs[3];
    int32_t area; /* since version 2 of the lump */
};

struct bsp_occluder_polygon {
    int32_t first_vertex, vertex_count; /* in occluder_vertices */
    int32_t plane;
};

/* The brushes behind a face (VBSP 21): a part of face_brush_list; with a count of 1, `first` is the
 * brush itself. */
struct bsp_face_brushes {
    int32_t count, first;
};

/* Records of IBSP and its sisters. Where games store light of several styles (struct
 * engine_light), members `more` have that of the second to the last; elsewhere they are 0. */
enum { SHADER_NAME = 64, MORE_STYLES = BSP_FACE_STYLES - 1 };

struct bsp_shader {
    char name[SHADER_NAME]; /* as stored: the NUL may be missing, bytes after it may be anything */
    int32_t surface_flags, contents;
};

struct bsp_effect {
    char name[SHADER_NAME];
    int32_t brush; /* -1: the whole map, which q3map2 writes and the engine refuses */
    int32_t side;  /* the visible brush side, -1: none */
};

struct bsp_draw_vertex {
    float p[3];
    float texture[2], lightmap[2], normal[3]; /* may be NaN or infinite */
    uint8_t colour[4];
    float more_lightmap[MORE_STYLES][2];
    uint8_t more_colour[MORE_STYLES][4];
};

/* Of Wolfenstein alone: SURFACE_FOLIAGE, a mesh of patch_size[1] vertices, then as many vertices as
 * patch_size[0] says, where it stands. */
enum surface_type {
    SURFACE_PLANAR = 1,
    SURFACE_PATCH,
    SURFACE_MESH,
    SURFACE_FLARE,
    SURFACE_FOLIAGE
};

/* A surface. In shipped maps `effect` can be out of range, the lightmap page may not be in the
 * file, and the other lightmap fields may be anything. */
struct bsp_surface {
    int32_t shader, effect; /* effect -1: none */
    int32_t type;           /* enum surface_type */
    int32_t first_vertex, vertex_count;
    int32_t first_index, index_count; /* counted from first_vertex */
    int32_t lightmap;                 /* lightmap page, < 0: none */
    int32_t lightmap_start[2], lightmap_size[2];
    float lightmap_origin[3], lightmap_vectors[2][3], normal[3];
    int32_t patch_size[2];
    uint8_t light_styles[BSP_FACE_STYLES], vertex_styles[BSP_FACE_STYLES]; /* BSP_STYLE_NONE */
    int32_t more_lightmap[MORE_STYLES];                                    /* pages, < 0: none */
    int32_t more_start[2][MORE_STYLES];                                    /* by axis */
};

struct bsp_grid_point {
    uint8_t ambient[3], directed[3], direction[2];
    uint8_t more_ambient[MORE_STYLES][3], more_directed[MORE_STYLES][3];
    uint8_t styles[BSP_FACE_STYLES];
};

/* The lighting of one compile; LDR and HDR each have one. */
struct bsp_light_set {
    struct bytes lighting;
    struct bsp_worldlight *worldlights;
    /* One per leaf. The tools of 2007 have no index: then it is empty and `ambient` has one per
     * leaf. */
    struct bsp_ambient_index *ambient_index;
    struct bsp_ambient *ambient;
};

/* A game lump: a record of lump 35. */
struct bsp_game_lump {
    uint32_t id;             /* 'sprp' as the file has it: 0x73707270 */
    uint16_t flags, version; /* flags without the compressed bit */
    struct bytes data; /* unpacked, little-endian: decoded by static_props.h and detail_props.h */
};

/* A lump as the file had it. For lumps with a canonical form only the directory's fields. */
struct bsp_raw_lump {
    struct bytes data;
    int32_t version; /* for a bsp made by us: 0 is the usual one */
    uint8_t four_cc[4];
    bool present; /* the directory had an offset, though the length may be 0 */
};

/* The file that was read and the layout of its lumps, so that unchanged lumps are written back byte
 * for byte: order, padding, compression, and encodings that our codec would not choose. */
struct bsp_layout {
    struct bytes file; /* the whole file, with zeros in place of lumps that were skipped and stay in
                          the source */
    struct fs_source
        *source;   /* the open file, from which its bytes are copied on writing; or NULL */
    int32_t count; /* number of lumps that had an offset; 0: made by us */
    int32_t order[BSP_LUMPS];  /* lump numbers in file order */
    int64_t offset[BSP_LUMPS]; /* by lump number, like the length */
    int64_t length[BSP_LUMPS];
    int64_t size; /* of the whole file */
};

/* Encoding of the file, independent of its format. */
struct bsp_encoding {
    enum byte_order order;
    bool compressed;          /* lumps that become smaller are packed with LZMA */
    bool hdr_faces_only;      /* the faces are in the HDR list, the usual list is empty */
    bool relative_game_lumps; /* their offsets count from lump 35, not from the start of the file */
};

struct bsp_format; /* format.h */

struct bsp {
    const struct bsp_format *format; /* format of the file that was read; NULL when made by us */
    const struct engine *engine;     /* that loads it, also when it is still to be written */
    int page_side; /* of lightmap pages, where worldspawn tells it; 0: that of the engine */
    int32_t revision;
    struct bsp_encoding encoding;
    uint64_t skipped; /* bits of lumps that were not decoded: see bsp_decode_part */

    char *entities; /* stb_ds array of text, without the final NUL */
    struct bsp_plane *planes;
    struct bsp_texdata *texdata;
    struct bsp_texinfo *texinfo;
    char **texture_names; /* stb_ds array; each from memory_alloc */
    struct bsp_vertex *vertices;
    struct bsp_edge *edges;
    int32_t *surfedges;
    struct bsp_face *faces;
    struct bsp_face *faces_hdr; /* empty unless the file has a separate list for HDR */
    /* Before splitting. Their texinfo may be out of range: Valve's compiler does not renumber it
     * when it removes unused ones. */
    struct bsp_face *original_faces;
    uint16_t *face_ids; /* Hammer's side ids, one per face, or empty */
    struct bsp_node *nodes;
    struct bsp_leaf *leaves;
    int32_t *leaf_faces, *leaf_brushes;
    struct bsp_model *models;
    struct bsp_brush *brushes;
    struct bsp_brush_side *brush_sides;
    struct bsp_area *areas;
    struct bsp_area_portal *area_portals;
    struct bsp_vertex *clip_portal_vertices;
    struct bsp_vertex *vertex_normals;
    int32_t *vertex_normal_indices;
    struct bsp_leaf_water *leaf_water;
    int32_t *leaf_min_dist_to_water; /* one per leaf; 65535: none */
    int32_t *face_macro_texture;     /* one per face; 65535: none */
    struct bsp_primitive *primitives;
    struct bsp_vertex *primitive_vertices;
    int32_t *primitive_indices; /* vertices of the face, 0 is its first */
    struct bsp_cubemap *cubemaps;
    struct bsp_displacement *displacements;
    struct bsp_disp_vertex *disp_vertices;
    int32_t *disp_triangles; /* tags: enum disp_triangle_tag */
    struct bytes disp_lightmap_alphas, disp_lightmap_samples;
    struct bsp_overlay *overlays;
    struct bsp_water_overlay *water_overlays;
    struct bsp_occluder *occluders;
    struct bsp_occluder_polygon *occluder_polygons;
    int32_t *occluder_vertices;            /* indices of vertices */
    struct bsp_face_brushes *face_brushes; /* one per face, or empty */
    int32_t *face_brush_list;
    /* VBSP: the lump, little-endian, with its table and packed rows. IBSP: plain rows, without the
     * two counts before them. query.h decodes it. */
    struct bytes visibility;
    int32_t visibility_clusters,
        visibility_row; /* IBSP: number of rows and bytes per row, else 0 */
    struct bsp_light_set ldr, hdr;
    struct bsp_game_lump *game_lumps;
    struct bytes pakfile;
    uint32_t map_flags;
    /* The physics lumps, little-endian: decoded by physics.h. */
    struct bytes physics, displacement_physics, physics_surface;

    /* IBSP; its planes, nodes, leaves, models, brushes, entities and lightmaps (pages of
     * bsp_page_bytes in ldr.lighting) are those above. */
    struct bsp_shader *shaders;
    struct bsp_surface *surfaces;
    struct bsp_draw_vertex *draw_vertices;
    int32_t *draw_indices;
    struct bsp_effect *effects;
    struct bsp_grid_point *light_grid;

    /* Lumps without a canonical form, by number. */
    struct bsp_raw_lump carried[BSP_LUMPS];
    struct bsp_layout layout;
};

/* Returns an empty BSP, which has the lists of rare_lumps.h besides. */
struct bsp *bsp_new(void);
void bsp_free(struct bsp *bsp);

#endif
