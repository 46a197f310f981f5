/* Internal: sizes of the records of a VTX, in bytes, for its reader and its writer. */
#ifndef ASSETS_MODELS_VTX_RECORDS_H
#define ASSETS_MODELS_VTX_RECORDS_H

enum {
    VTX_VERSION = 7,
    VTX_WIDE_FROM = 49, /* MDL version from which strips are wide */
    VTX_HEADER = 36,
    VTX_PART = 8,
    VTX_MODEL = 8,
    VTX_LOD = 12,
    VTX_MESH = 9,
    VTX_VERTEX = 9,
    VTX_INDEX = 2,
    VTX_GROUP = 25,
    VTX_STRIP = 27,
    VTX_REPLACEMENTS = 8,
    VTX_WIDER = 8, /* additional bytes of a group and of a strip in the wide form */
    VTX_STRIP_IS_LIST = 1,
};

#endif
