/* Zip archives in memory: the pakfile of a VBSP, BMX, PK3.
 *
 * Reading goes through minizip, which walks the directory; where the data lie is found in the
 * bytes, because minizip tells it only for methods that it knows. The data stay where they are
 * until they are unpacked. Members may be stored, deflated or, as newer branches of the Source
 * engine have them, LZMA (method 14). Writing is our own, because minizip can write neither method
 * 14 nor headers with given versions and flags. Zip64 is read, not written; no encryption, no
 * archives in parts. (PKWARE's APPNOTE 6.3.) */
#ifndef IO_ZIP_H
#define IO_ZIP_H

#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum zip_method { ZIP_STORED = 0, ZIP_DEFLATED = 8, ZIP_LZMA = 14 };
enum zip_flag { ZIP_ENCRYPTED = 1, ZIP_BEST = 2, ZIP_DESCRIPTOR = 8, ZIP_UTF8 = 0x800 };

/* A member as the archive has it. */
struct zip_member {
    char *name; /* owned; as stored, may be hostile: see zip_name_is_safe */
    uint16_t method, flags;
    uint16_t local_flags; /* of the header before the data; should be the same */
    uint16_t made_by, version_needed;
    uint32_t time; /* MS-DOS date << 16 | time */
    uint32_t crc;  /* of the unpacked data */
    uint64_t size; /* unpacked, as the directory says: not yet proven */
    uint32_t external_attributes;
    bool zip64;                               /* it has a zip64 extra field */
    struct bytes extra, local_extra, comment; /* owned */
    const unsigned char *packed;              /* borrowed from the archive */
    size_t packed_size;
};

struct zip {
    struct zip_member *members; /* stb_ds array, in the order of the directory */
    struct bytes comment;
    bool zip64; /* it has a zip64 end record */
};

/* Reads the directory of an archive; `data` must outlive the result. Other bytes may stand before
 * the archive and (up to 64 KiB) behind it. Reports ZIP_DAMAGED at `where` and fails when there is
 * no directory or it does not hold together: other members than the end record counts, members
 * whose data do not lie before the directory or share bytes with another's, names with a zero byte,
 * local headers with another name or method. CRC and sizes of local headers are not looked at.
 * Takes time and memory in proportion to `size`, but for a sort. Free with zip_free, also after a
 * failure. */
NODISCARD enum status zip_read(const void *data, size_t size, const struct diag_where *where,
                               struct diag *diag, struct zip *out);
void zip_free(struct zip *zip);

/* Appends the member's data, unpacked and checked against its CRC. A member that unpacks to more
 * than `most` bytes, or to more than it says, is refused before the memory is spent (ZIP_BOMB);
 * unknown methods and encryption are ZIP_METHOD. On failure *out is as it was. */
NODISCARD enum status zip_unpack(const struct zip_member *member, uint64_t max,
                                 const struct diag_where *where, struct diag *diag,
                                 struct bytes *out);

/* Appends up to `most` bytes of what the member's data start with, of which fewer than all may be
 * at hand. Nothing proves them. False when nothing came out, or the method is another than stored
 * and deflated. */
bool zip_unpack_start(const struct zip_member *member, size_t max, struct bytes *out);

/* Whether a member may be written below a folder under its name: relative, without `..`, `\`,
 * drive, control characters or empty parts (a `/` at the end marks a folder and is fine). */
bool zip_name_is_safe(const char *name);

/* Whether two names are one to the engine: `\` is the same as `/`, and ASCII letters have no case.
 */
bool zip_name_equal(const char *a, const char *b);
/* 32 bits that equal names share. */
uint32_t zip_name_hash(const char *name);

/* The member by its name, compared by zip_name_equal, or NULL; the last of equal ones. */
const struct zip_member *zip_find(const struct zip *zip, const char *name);

/* An archive under construction. Zero-initialise; free with zip_writer_free. */
struct zip_writer {
    struct bytes out, directory;
    size_t count;
};

/* How a new member is packed and what its headers say. */
struct zip_packing {
    uint16_t method;
    uint16_t flags;                   /* of both headers */
    uint16_t made_by, version_needed; /* as in the APPNOTE: 20 is version 2.0 */
    uint32_t time;
    size_t alignment; /* data of stored members start at a multiple of it, by a filler extra field;
                         0, 1: any */
};

/* Adds a member. The name must fit 16 bits and the archive 4 GiB, alignments are up to 32768: else
 * ZIP_LIMIT. Methods other than the three of enum zip_method are ZIP_METHOD. */
NODISCARD enum status zip_add(struct zip_writer *writer, const char *name, const void *data,
                              size_t size, const struct zip_packing *packing,
                              const struct diag_where *where, struct diag *diag);
/* Adds a member of another archive as it is, packed data, extra fields and all, but for data
 * descriptors (the sizes stand in the header), zip64 fields and the internal attributes. */
NODISCARD enum status zip_copy(struct zip_writer *writer, const struct zip_member *member,
                               const struct diag_where *where, struct diag *diag);
/* Appends the archive with its directory and comment to *out and empties the writer. */
NODISCARD enum status zip_finish(struct zip_writer *writer, const void *comment,
                                 size_t comment_size, const struct diag_where *where,
                                 struct diag *diag, struct bytes *out);
void zip_writer_free(struct zip_writer *writer);

#endif
