/* What all BSP files have alike: a magic, a version, and a directory that tells where the lumps
 * stand. Opening a container reads no lump; whoever wants one asks for it. So a file of a version
 * whose records nobody here knows can still be looked into. */
#ifndef BSP_CODEC_CONTAINER_H
#define BSP_CODEC_CONTAINER_H

#include "common/bsp/bsp.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* VBSP has 64 lumps, IBSP 17, rBSP (VBSP's heirs from version 29 on) 128. */
enum { CONTAINER_LUMPS = 128 };

/* The order of the fields in an entry of the directory. */
enum container_entry {
    ENTRY_OFFSET_FIRST,  /* offset, length, version, four bytes */
    ENTRY_VERSION_FIRST, /* version, offset, length, four bytes: Left 4 Dead 2 */
    ENTRY_SHORT,         /* offset, length: IBSP */
};

struct container_lump {
    int64_t offset, length; /* in the file */
    int32_t version;
    uint8_t four_cc[4];
    uint32_t unpacked; /* bytes of a compressed lump once unpacked; 0: not compressed */
    bool present;      /* it has an offset or a length */
};

struct container {
    const unsigned char *data; /* borrowed: the file */
    size_t size;
    const char *name; /* borrowed: for messages */
    enum container_family family;
    enum container_entry entry;
    enum byte_order order;
    int32_t version, revision;
    size_t header_size;
    int lump_count;
    struct container_lump lumps[CONTAINER_LUMPS];
};

/* Reads the directory. Every entry with a length lies inside the file behind the header, or the
 * file is refused, as is a compressed lump whose header is damaged, or whose claim its bytes could
 * not meet; all that would be unpacked together is bounded. */
NODISCARD enum status container_open(const void *data, size_t size, const char *name,
                                     struct diag *diag, struct container *out);

/* The bytes of a lump, for reading in the order of the file: borrowed from the file, or from
 * *unpacked, which then holds them. *unpacked must be empty; free it with bytes_free. */
NODISCARD enum status container_lump(const struct container *container, int lump, struct diag *diag,
                                     struct bytes *unpacked, struct byte_reader *out);

/* Bytes of the lump once unpacked. */
int64_t container_lump_size(const struct container *container, int lump);

/* "VBSP 22 (Dota 2)": the game where a version belongs to few. */
void container_title(const struct container *container, char *text, size_t size);

/* The checksum by which a server and a client tell whether they have the same map: the CRC-32 over
 * the lumps of a VBSP in the order of their numbers, without lump 0 (the entities), as they stand
 * in the file: compressed ones are not unpacked. Header, directory and what lies between the lumps
 * do not count. (Source BSP specification, on the check of integrity.) */
uint32_t bsp_checksum(const struct container *container);

#endif
