/* Internal: brushwork convert of a BM file to a map, and of a map to a BM file. */
#ifndef BALLANCE_VERBS_BMX_CONVERT_H
#define BALLANCE_VERBS_BMX_CONVERT_H

#include "ballance/compile/convert.h"
#include "common/bsp/export/map_export.h"
#include "common/cli/program.h"

/* Returns true for a name that ends in .bmx, and for the ending alone. */
bool is_bmx(const char *name);

/* Converts the level of the first operand. */
NODISCARD enum status convert_to_bmx(const struct program *program,
                                     const struct standard_options *standard,
                                     const struct ballance_options *options, const char *out);

struct from_bmx_options {
    enum map_form form; /* of a .map */
    bool vmf;           /* a VMF instead of a .map */
    bool prisms;        /* surfaces that enclose nothing become thin brushes */
    bool strict;        /* write nothing when something is lost */
    int max_pieces;
};

/* Makes a map of the bytes of a BM file, and writes it with the files beside it: textures, models
 * and the table of materials. The map comes last; nothing is written when one of the files cannot
 * be. To standard output goes the map alone. */
NODISCARD enum status convert_from_bmx(const struct program *program, const struct bytes *file,
                                       const struct from_bmx_options *options, const char *in,
                                       const char *out);

#endif
