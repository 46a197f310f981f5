/* Internal: a release under construction. It is made in a temporary folder beside its place, which
 * gets its name when all is there. */
#ifndef BRUSHWORK_RELEASE_RELEASE_H
#define BRUSHWORK_RELEASE_RELEASE_H

#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/sha256.h"
#include "vbsp/options.h"
#include "vrad/vrad.h"
#include "vvis/vvis.h"

/* The file of checksums, without which a folder is no release. */
#define RELEASE_SUMS "SHA256SUMS"

struct release_values {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vvis_options vvis;
    struct vrad_options vrad;
    int preset; /* enum build_preset */
    const char *out;
    const char **stock; /* stb_ds array */
    bool force, no_compress;
};

/* Groups of the table whose options are those of the build; the last is that of the content. */
enum { RELEASE_BUILD_GROUPS = 5, RELEASE_CONTENT_GROUP = RELEASE_BUILD_GROUPS - 1 };

/* A file of the release. */
struct release_file {
    const char *name; /* below the folder, with `/` */
    uint64_t bytes;
    char sha256[2 * SHA256_SIZE + 1];
    const char *note; /* what it is for, in a few words */
};

/* A file that the map uses, or that players could have of it. */
enum release_state { RELEASE_PACKED, RELEASE_ABSENT, RELEASE_MISSING };

struct release_need {
    enum release_state state;
    const char *name, *reason;
};

struct release {
    const struct program *program;
    const struct release_values *values;
    const struct bsp_format *format;
    bool in_pk3; /* struct engine_content: packs_in_pk3 */
    struct arena arena;
    const char *level;          /* the source */
    const char *map;            /* its name, without folder and ending */
    const char *out;            /* folder of the release */
    const char *temporary;      /* folder beside it, of the next ones; NULL: not made yet */
    const char *folder;         /* the release under construction */
    const char *content, *work; /* of the build, the second with its BSP */
    const char *bsp, *told;     /* what the build makes and what it has said, as JSON */
    struct release_file *files; /* stb_ds arrays */
    struct release_need *needs;
    struct {
        char *key; /* in the arena */
        bool value;
    } *said;           /* stb_ds map: messages of the steps */
    uint32_t checksum; /* by which the engine compares maps */
};

#endif
