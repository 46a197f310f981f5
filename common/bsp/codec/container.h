/* The container of all BSP files: a magic, a version, and a directory of lumps. Opening a container
 * reads no lump; each is read on request. So files of versions with unknown records can still be
 * inspected. */
#ifndef BSP_CODEC_CONTAINER_H
#define BSP_CODEC_CONTAINER_H

#include "common/bsp/bsp.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* Of rBSP, the successor of VBSP from version 29 on; VBSP has 64, IBSP 17, RBSP 18. */
enum { CONTAINER_LUMPS = 128 };

/* Order of the fields in a directory entry. */
enum container_entry {
    ENTRY_OFFSET_FIRST,  /* offset, length, version, four bytes */
    ENTRY_VERSION_FIRST, /* version, offset, length, four bytes: Left 4 Dead 2 */
    ENTRY_SHORT,         /* offset, length: IBSP */
};

/* By which a server and a client verify that they have the same map. */
enum container_checksum {
    CHECKSUM_NONE,  /* not known */
    CHECKSUM_LUMPS, /* bsp_checksum */
    CHECKSUM_FILE,  /* ibsp_checksum */
};

/* The record of a container: the same for all files of one magic. Lumps are by number; -1: its
 * files have none. */
struct container_kind {
    char magic[5], swapped[5]; /* swapped: of big-endian files; empty: there are none */
    const char *title;         /* "IBSP (Quake 3)" */
    size_t directory_at, entry_size;
    size_t revision_at; /* 0: no revision */
    size_t header_size;
    int lump_count;
    const char *const *lump_names; /* of the first `named_lumps`; NULL: no name */
    int named_lumps;
    bool may_compress; /* lumps may be compressed; the next two never as a whole */
    int pakfile, game_lumps;
    int visibility, lightmaps, lightmaps_hdr, light_grid, map_flags;
    uint64_t summary; /* bits of the lumps that tell what is in a map: entities, models, leaves,
                         visibility, names of materials and what limits are counted by */
    const uint64_t *together; /* bits of lumps that are read together: one determines the encoding
                                 of the others */
    size_t together_count;
    int twins[2]; /* neither of the two lumps is unchanged unless both are; equal: there are none */
    enum container_checksum checksum;
    int32_t checksum_version; /* the only one whose checksum is known; 0: all */
};

struct container_lump {
    int64_t offset, length; /* in the file */
    int32_t version;
    uint8_t four_cc[4];
    uint32_t unpacked; /* unpacked size in bytes of a compressed lump; 0: not compressed */
    bool present;      /* has an offset or a length */
};

struct container {
    const unsigned char *data; /* borrowed: the file */
    size_t size;
    const char *name; /* borrowed: for messages */
    const struct container_kind *kind;
    enum container_entry entry;
    enum byte_order order;
    int32_t version, revision;
    size_t header_size;
    int lump_count;
    struct container_lump lumps[CONTAINER_LUMPS];
};

/* Reads the directory. Every entry with a length must lie inside the file after the header;
 * otherwise the file is refused, as is a compressed lump with a damaged header or an unpacked size
 * that its bytes could not give. The total unpacked size is bounded. */
NODISCARD enum status container_open(const void *data, size_t size, const char *name,
                                     struct diag *diag, struct container *out);

/* Returns the bytes of a lump in the byte order of the file: borrowed from the file, or from
 * *unpacked, which then owns them. *unpacked must be empty; free it with bytes_free. */
NODISCARD enum status container_lump(const struct container *container, int lump, struct diag *diag,
                                     struct bytes *unpacked, struct byte_reader *out);

/* Unpacked size of the lump in bytes. */
int64_t container_lump_size(const struct container *container, int lump);

/* Name of a lump: "planes"; "" for numbers without one. */
const char *container_lump_name(const struct container_kind *kind, int lump);

/* Returns true for a lump that may be compressed as a whole. */
bool container_may_compress(const struct container_kind *kind, int lump);

enum container_checksum container_checksum_of(const struct container *container);

/* Formats "VBSP 22 (Dota 2)": with the game when few games use the version. */
void container_title(const struct container *container, char *text, size_t size);

/* Returns the checksum by which a server and a client verify that they have the same map: the
 * CRC-32 of the lumps of a VBSP in the order of their numbers, without lump 0 (the entities), as
 * stored in the file: compressed ones are not unpacked. Header, directory and the gaps between the
 * lumps do not count. (Source BSP specification, on the check of integrity.) */
uint32_t bsp_checksum(const struct container *container);

/* Returns that of the game Quake 3: the four words of the MD4 of the whole file, XORed. (Found in
 * the .aas files of OpenArena, which hold it.) */
uint32_t ibsp_checksum(const void *file, size_t size);

#endif
