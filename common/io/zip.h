/* Zip archives in memory: the pakfile of a VBSP, BMX, PK3.
 *
 * The directory is read by minizip; the positions of the data are found in the bytes, because
 * minizip returns them only for methods that it knows. The data stays packed until it is extracted.
 * Members may be stored, deflated or, as newer branches of the Source engine have them, LZMA
 * (method 14). Writing is our own, because minizip can write neither method 14 nor headers with
 * given versions and flags. Zip64 is read, not written; encryption and multi-part archives are not
 * supported. (PKWARE's APPNOTE 6.3.) */
#ifndef IO_ZIP_H
#define IO_ZIP_H

#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* The most bytes that all members of an archive may unpack to. */
#define ZIP_ALL_MAX ((uint64_t)2 << 30)

enum zip_method { ZIP_STORED = 0, ZIP_DEFLATED = 8, ZIP_LZMA = 14 };
enum zip_flag {
    ZIP_ENCRYPTED = 1,
    ZIP_BEST = 2,
    ZIP_DESCRIPTOR = 8,
    ZIP_PATCHED = 0x20,
    ZIP_UTF8 = 0x800
};

/* The first day of MS-DOS time: archives must not depend on the date. */
#define ZIP_FIXED_TIME ((uint32_t)(1 << 5 | 1) << 16)

/* A member as stored in the archive. */
struct zip_member {
    char *name; /* owned; as stored, may be unsafe: see zip_name_is_safe */
    uint16_t method, flags;
    uint16_t local_flags; /* of the header before the data; should be the same */
    uint16_t made_by, version_needed;
    uint32_t time; /* MS-DOS date << 16 | time */
    uint32_t crc;  /* of the unpacked data */
    uint64_t size; /* unpacked, as the directory says: not verified yet */
    uint32_t external_attributes;
    bool zip64;                               /* has a zip64 extra field */
    struct bytes extra, local_extra, comment; /* owned */
    const unsigned char *packed;              /* borrowed from the archive */
    size_t packed_size;
};

struct zip {
    struct zip_member *members; /* stb_ds array, in the order of the directory */
    struct bytes comment;
    bool zip64; /* has a zip64 end record */
};

/* Reads the directory of an archive; `data` must outlive the result. Other bytes may precede the
 * archive and (up to 64 KiB) follow it. Reports ZIP_DAMAGED at `where` and fails when there is no
 * directory or it is inconsistent: another number of members than in the end record, members whose
 * data is not before the directory or overlaps another's, names with a NUL, local headers with
 * another name or method. CRC and sizes of local headers are not checked. Time and memory are
 * linear in `size`, except for a sort. Free with zip_free, also on failure. */
NODISCARD enum status zip_read(const void *data, size_t size, const struct diag_where *where,
                               struct diag *diag, struct zip *out);
void zip_free(struct zip *zip);

/* Appends the member's data, unpacked and checked against its CRC. A member that unpacks to more
 * than `max` bytes, or to more than its size, is refused before the memory is allocated (ZIP_BOMB);
 * unknown methods and encryption are ZIP_METHOD. On failure *out is unchanged. */
NODISCARD enum status zip_unpack(const struct zip_member *member, uint64_t max,
                                 const struct diag_where *where, struct diag *diag,
                                 struct bytes *out);

/* Appends up to `max` bytes of the start of the member's data, of which only a part may be
 * available. They are not verified. Returns false when nothing was unpacked, or the method is not
 * stored or deflated. */
bool zip_unpack_start(const struct zip_member *member, size_t max, struct bytes *out);

/* Returns true when a member may be written below a folder under its name: relative, without `..`,
 * `\`, drive, control characters or empty parts (a `/` at the end marks a folder and is fine). */
bool zip_name_is_safe(const char *name);

/* Returns true when the names are equal to the engine: `\` equals `/`, and the case of ASCII
 * letters is ignored. */
bool zip_name_equal(const char *a, const char *b);
/* Returns a 32-bit hash; equal names have equal hashes. */
uint32_t zip_name_hash(const char *name);

/* Returns the member of that name, compared by zip_name_equal, or NULL; the last of equal ones. */
const struct zip_member *zip_find(const struct zip *zip, const char *name);

/* An archive under construction. Zero-initialise; free with zip_writer_free. */
struct zip_writer {
    struct bytes out, directory;
    size_t count;
};

/* Method of a new member and the fields of its headers. */
struct zip_packing {
    uint16_t method;
    uint16_t flags;                   /* of both headers */
    uint16_t made_by, version_needed; /* as in the APPNOTE: 20 is version 2.0 */
    uint32_t time;
    size_t alignment; /* offset of stored data is a multiple of it, by a padding extra field; 0, 1:
                         any */
};

/* Adds a member. ZIP_LIMIT when the name does not fit 16 bits, the archive exceeds 4 GiB or the
 * alignment exceeds 32768; ZIP_METHOD for methods other than those of enum zip_method. */
NODISCARD enum status zip_add(struct zip_writer *writer, const char *name, const void *data,
                              size_t size, const struct zip_packing *packing,
                              const struct diag_where *where, struct diag *diag);
/* Copies a member of another archive, with packed data and extra fields, except for data
 * descriptors (the sizes are put into the header), zip64 fields and the internal attributes. */
NODISCARD enum status zip_copy(struct zip_writer *writer, const struct zip_member *member,
                               const struct diag_where *where, struct diag *diag);
/* Appends the archive with its directory and comment to *out and empties the writer. */
NODISCARD enum status zip_finish(struct zip_writer *writer, const void *comment,
                                 size_t comment_size, const struct diag_where *where,
                                 struct diag *diag, struct bytes *out);
void zip_writer_free(struct zip_writer *writer);

#endif
