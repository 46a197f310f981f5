/* Records of a zip archive. (PKWARE's APPNOTE 6.3, 4.3 and 4.5.) */
#ifndef IO_ZIP_FORMAT_H
#define IO_ZIP_FORMAT_H

enum zip_signature {
    ZIP_LOCAL = 0x04034b50,
    ZIP_CENTRAL = 0x02014b50,
    ZIP_END = 0x06054b50,
    ZIP64_END = 0x06064b50,
    ZIP64_LOCATOR = 0x07064b50,
};

enum zip_record_size {
    ZIP_LOCAL_SIZE = 30,
    ZIP_CENTRAL_SIZE = 46,
    ZIP_END_SIZE = 22,
    ZIP64_END_SIZE = 56,
    ZIP64_LOCATOR_SIZE = 20,
};

/* Extra fields: zip64, and the padding that aligns data (APPNOTE 4.6, "data stream alignment"). */
enum zip_extra { ZIP_EXTRA_ZIP64 = 1, ZIP_EXTRA_ALIGNMENT = 0xd935 };

/* Before the stream of a member of method 14: two bytes of version, u16 size of the properties, the
 * properties. (APPNOTE 5.8.8.) */
enum zip_lzma { ZIP_LZMA_HEADER = 4, ZIP_LZMA_MAJOR = 9, ZIP_LZMA_MINOR = 20 };

enum zip_limit { ZIP_MAX_MEMBERS = 65535, ZIP_MAX_TEXT = 65535 };

#endif
