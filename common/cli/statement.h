/* A statement of how files were built: an in-toto Statement v1 with SLSA provenance v1 in it
 * (docs/guides/provenance.md).
 *
 * Names of files are relative to a root that is not in it, or absolute for files outside of that.
 * The same build gives the same bytes: lists are sorted, and there are no times. */
#ifndef CLI_STATEMENT_H
#define CLI_STATEMENT_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/io/fs.h"

struct statement_file {
    const char *name;
    char sha256[2 * SHA256_SIZE + 1]; /* lower-case digits */
};

/* An option of the command line. */
struct statement_option {
    const char *name;    /* without dashes */
    const char **values; /* stb_ds array */
    bool is_path;        /* the first of its values is the name of a file or folder */
};

/* Zero-initialise; free with statement_free. */
struct statement {
    struct statement_file *outputs; /* stb_ds arrays; of these the names are below the folder of */
    struct statement_file *inputs;  /* the BSP, or absolute */
    struct statement_option *options;
    const char *source;         /* name of the map */
    const char *version, *code; /* of the program, and SHA-256 of its sources */
    int status;                 /* exit status: 0, or that of a leak */
    struct arena texts;
};

void statement_free(struct statement *statement);

/* Sorts the lists of files by their names. */
void statement_sort(struct statement *statement);

void statement_write(const struct statement *statement, struct bytes *out);

/* Hashes a file a step at a time. Returns 0 or an errno value. */
int statement_hash(struct fs *fs, const char *path, struct statement_file *out);

#endif
