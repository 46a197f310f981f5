/* The BSP in memory: one canonical form for all file formats.
 *
 * Each kind of record is as wide as the widest format needs; counts have no limit here. A format
 * (see format.h) reads a file into this form and narrows it again on writing, where its limits
 * are checked. Arrays are stb_ds arrays owned by the bsp. Field meanings and units are those of the
 * VBSP specification; comments name what is not obvious.
 *
 * Lumps that the canonical form does not model are carried byte for byte in `carried`. */
#ifndef BSP_BSP_H
#define BSP_BSP_H

#include <stdint.h>

#include "common/bsp/flags.h"
#include "common/core/bytes.h"

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

struct bsp_face {
    int32_t plane;   /* the one of the pair that the face looks along; vertices go clockwise */
    uint8_t side;    /* 1: that is the second of the pair, against the node's plane */
    uint8_t on_node; /* 1: listed by its node; 0: a detail face, in leaves only */
    int32_t first_edge, edge_count; /* in surfedges */
    int32_t texinfo;
    int32_t dispinfo;   /* -1: none */
    int32_t fog_volume; /* -1: none */
    uint8_t styles[BSP_FACE_STYLES];
    int32_t light_offset; /* bytes into lighting, -1: unlit; means nothing while that is empty */
    float area;
    int32_t lightmap_mins[2], lightmap_size[2]; /* luxels; width is size + 1 */
    int32_t original_face;                      /* -1: none */
    int32_t primitive_count;                    /* without the no-shadow bit */
    bool no_dynamic_shadows;
    int32_t first_primitive;
    uint32_t smoothing_groups;
};

struct bsp_node {
    int32_t plane;
    int32_t children[2]; /* < 0: leaf -1 - child */
    int32_t mins[3], maxs[3];
    int32_t first_face, face_count;
    int32_t area; /* -1: several */
};

struct bsp_leaf {
    int32_t contents;
    int32_t cluster; /* -1: solid, or not in the world's tree */
    int32_t area;
    int32_t flags; /* enum leaf_flag */
    int32_t mins[3], maxs[3];
    int32_t first_face, face_count;   /* in leaf_faces */
    int32_t first_brush, brush_count; /* in leaf_brushes */
    int32_t water_data;               /* -1: none */
};

struct bsp_model {
    float mins[3], maxs[3], origin[3];
    int32_t head_node;
    int32_t first_face, face_count;
};

struct bsp_brush {
    int32_t first_side, side_count;
    int32_t contents;
};

struct bsp_brush_side {
    int32_t plane;
    int32_t texinfo; /* -1: none */
    int32_t dispinfo;
    uint8_t bevel, thin;
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

struct bsp_worldlight {
    float origin[3], intensity[3], normal[3];
    float shadow_cast_offset[3]; /* only in version 1 records */
    int32_t cluster;
    int32_t type; /* enum worldlight_type */
    int32_t style;
    float stopdot, stopdot2, exponent, radius;
    float constant, linear, quadratic;
    int32_t flags, texinfo, owner;
};

/* Colour as 3 mantissas and a shared exponent; value = byte * 2^exponent, 255 is white. */
struct bsp_colour {
    uint8_t r, g, b;
    int8_t exponent;
};

struct bsp_ambient_index {
    int32_t count, first; /* count 0: `first` is another leaf to take light from */
};

struct bsp_ambient {
    struct bsp_colour cube[6]; /* +x -x +y -y +z -z */
    uint8_t position[3];       /* fraction of the leaf's box, 0..255 */
};

struct bsp_cubemap {
    int32_t origin[3];
    uint8_t size;
};

/* What one light run writes; LDR and HDR are two of these. */
struct bsp_light_set {
    struct bytes lighting;
    struct bsp_worldlight *worldlights;
    /* One a leaf. The tools of 2007 have no index: then it is empty and `ambient` has one a leaf.
     */
    struct bsp_ambient_index *ambient_index;
    struct bsp_ambient *ambient;
};

/* A game lump: a record of lump 35. */
struct bsp_game_lump {
    uint32_t id; /* 'sprp' as the file has it: 0x73707270 */
    uint16_t flags, version;
    struct bytes data;
};

/* A lump as the file had it. For lumps that have a canonical form only the directory's fields. */
struct bsp_raw_lump {
    struct bytes data;
    int32_t version; /* when made by us: 0 takes the usual one */
    uint8_t four_cc[4];
    bool present; /* the directory had an offset, though the length may be 0 */
};

/* A lump that the file spells in another way than our codec would: filler that is not zero, shared
 * texture names, a missing default. It goes back as it was for as long as its records are the same.
 */
struct bsp_respelled {
    int32_t lump;
    struct bytes file; /* what the file has */
    struct bytes ours; /* what our codec makes of the same records */
};

/* How the lumps stood in the file that was read, so that an unchanged file writes back the same. */
struct bsp_layout {
    int32_t count;             /* of lumps that had an offset; 0: made by us */
    int32_t order[BSP_LUMPS];  /* their numbers in file order */
    int64_t offset[BSP_LUMPS]; /* by lump number, as is the length */
    int64_t length[BSP_LUMPS];
    int64_t size;                    /* of the whole file */
    struct bytes padding;            /* the bytes between lumps and behind the last, in order */
    struct bsp_respelled *respelled; /* stb_ds array */
};

struct bsp_format; /* format.h */

struct bsp {
    const struct bsp_format *format; /* that it was read as; NULL when made by us */
    int32_t revision;

    char *entities; /* stb_ds array of text, without the final NUL */
    struct bsp_plane *planes;
    struct bsp_texdata *texdata;
    struct bsp_texinfo *texinfo;
    char **texture_names; /* stb_ds array; each from memory_alloc */
    struct bsp_vertex *vertices;
    struct bsp_edge *edges;
    int32_t *surfedges;
    struct bsp_face *faces;
    struct bsp_face *faces_hdr; /* empty unless the file has its own list for HDR */
    /* Before the splits. Their texinfo may be out of range: Valve's compiler leaves it as it was
     * before it dropped the unused ones. */
    struct bsp_face *original_faces;
    uint16_t *face_ids; /* the editor's side ids, one a face, or empty */
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
    int32_t *leaf_min_dist_to_water; /* one a leaf; 65535: none */
    int32_t *face_macro_texture;     /* one a face; 65535: none */
    struct bsp_primitive *primitives;
    struct bsp_vertex *primitive_vertices;
    int32_t *primitive_indices; /* vertices of the face, 0 is its first */
    struct bsp_cubemap *cubemaps;
    struct bytes visibility; /* as in the file: vvis encodes, readers decode with query.h */
    struct bsp_light_set ldr, hdr;
    struct bsp_game_lump *game_lumps;
    struct bytes pakfile;
    uint32_t map_flags;

    /* Lumps without a canonical form yet (displacements, physics, overlays ...), by number. */
    struct bsp_raw_lump carried[BSP_LUMPS];
    struct bsp_layout layout;
};

struct bsp *bsp_new(void); /* empty */
void bsp_free(struct bsp *bsp);

#endif
