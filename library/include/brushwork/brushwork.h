/* libbrushwork: reads, queries, changes and writes compiled maps, and compiles them.
 *
 * A session has the callbacks and the files of what is done in it. Sessions are independent of each
 * other; one session and what was opened in it belong to one thread at a time, except for
 * brushwork_cancel.
 *
 * Functions that can fail return an enum brushwork_status and report through the session's message
 * callback, with the codes of docs/diagnostics.md. Pointers to results are owned by the object that
 * gave them and valid until it is changed or closed, unless stated otherwise. Indices count from 0;
 * an index out of range gives NULL, 0 or "" as the function's result says.
 *
 * A thread that calls needs a stack of 8 MB, as a process has by default. Work is done in the
 * default floating-point mode (rounding, denormals, traps), also in callbacks; a thread has its own
 * again when the function returns.
 *
 * Lengths are units of the map, and texts are UTF-8 without interpretation. Memory that the system
 * refuses ends the process, after a line on standard error.
 *
 * Names and layouts in this file keep their meaning within a major version. */
#ifndef BRUSHWORK_BRUSHWORK_H
#define BRUSHWORK_BRUSHWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BRUSHWORK_API __attribute__((visibility("default")))
#else
#define BRUSHWORK_API
#endif

/* The exit statuses of the programs. */
enum brushwork_status {
    BRUSHWORK_OK = 0,
    BRUSHWORK_FAILED = 1,   /* reported; outputs are untouched */
    BRUSHWORK_USAGE = 2,    /* bad arguments */
    BRUSHWORK_LEAK = 3,     /* the map leaks: it is written, without visibility and light */
    BRUSHWORK_INTERNAL = 4, /* an error of the library itself */
};

/* "0.1.0" */
BRUSHWORK_API const char *brushwork_version(void);

/* Frees memory that a function says to free with it. NULL is fine. */
BRUSHWORK_API void brushwork_free(void *memory);

/* --- sessions --- */

struct brushwork_session;

BRUSHWORK_API struct brushwork_session *brushwork_session_new(void);
/* Close its BSPs first. */
BRUSHWORK_API void brushwork_session_free(struct brushwork_session *session);

enum brushwork_severity { BRUSHWORK_NOTE, BRUSHWORK_WARNING, BRUSHWORK_ERROR };

/* A diagnostic. Texts may be NULL, ids are 0 and the line is 0 where they do not apply. Valid
 * during the callback. */
struct brushwork_message {
    enum brushwork_severity severity;
    const char *code;  /* "V001" */
    const char *title; /* of the code */
    const char *text;
    const char *fix; /* how to mend what it is about */
    const char *file;
    int32_t line;
    int32_t entity, solid, side; /* Hammer's ids; of a MAP numbers that count from 0, -1: none */
    int32_t has_point;
    double point[3];
};

typedef void brushwork_on_message(void *context, const struct brushwork_message *message);

/* `on_message` may be called from threads of a stage, one call at a time. NULL: none. */
BRUSHWORK_API void brushwork_session_messages(struct brushwork_session *session,
                                              brushwork_on_message *on_message, void *context);

/* --- stages --- */

enum brushwork_event {
    BRUSHWORK_PHASE_BEGIN,
    BRUSHWORK_PHASE_STEP, /* done of total */
    BRUSHWORK_PHASE_END,  /* seconds */
    BRUSHWORK_COUNTER,    /* value */
    BRUSHWORK_FILE_WRITTEN
};

/* Valid during the callback. Fields that an event does not have are 0. */
struct brushwork_progress {
    enum brushwork_event event;
    const char *name; /* of the phase or the counter; the path of the file */
    size_t done, total;
    double seconds;
    int64_t value;
};

typedef void brushwork_on_progress(void *context, const struct brushwork_progress *progress);

/* As for messages. */
BRUSHWORK_API void brushwork_session_progress(struct brushwork_session *session,
                                              brushwork_on_progress *on_progress, void *context);

/* Runs "vbsp", "vvis", "vrad" or "build" with the arguments of its command line, such as
 * {"-game", "hl2mp", "room.vmf"}. Options that print (--help, --report) print to standard output;
 * those of a whole process (--sandbox, -low, --max-memory, --max-time) are refused (USAGE). One run
 * at a time in a session; the threads of a run end with it. */
BRUSHWORK_API enum brushwork_status brushwork_run(struct brushwork_session *session,
                                                  const char *program, const char *const *arguments,
                                                  size_t count);

/* Asks the run of the session to end: it fails (C352) within about a second, and its outputs are
 * untouched. From any thread, or a signal handler. Without a run the next one is asked. */
BRUSHWORK_API void brushwork_cancel(struct brushwork_session *session);

/* --- files in memory --- */

/* From here on the session writes all files to memory, and reads those that it finds there; others,
 * such as game content, are read from the disk. */
BRUSHWORK_API void brushwork_session_use_memory(struct brushwork_session *session);
/* The data is copied. */
BRUSHWORK_API enum brushwork_status brushwork_file_put(struct brushwork_session *session,
                                                       const char *path, const void *data,
                                                       size_t size);
/* Valid until the file is written again. Fails when it is not in memory. */
BRUSHWORK_API enum brushwork_status brushwork_file_get(struct brushwork_session *session,
                                                       const char *path, const void **data,
                                                       size_t *size);

/* --- BSPs --- */

struct brushwork_bsp;

enum brushwork_family { BRUSHWORK_SOURCE, BRUSHWORK_QUAKE3 };

/* Opens a file of any version that the programs read. *out is NULL on failure. */
BRUSHWORK_API enum brushwork_status
brushwork_bsp_open(struct brushwork_session *session, const char *path, struct brushwork_bsp **out);
/* The same from memory, which is copied; `name` is for messages. */
BRUSHWORK_API enum brushwork_status brushwork_bsp_read(struct brushwork_session *session,
                                                       const void *data, size_t size,
                                                       const char *name,
                                                       struct brushwork_bsp **out);
BRUSHWORK_API void brushwork_bsp_close(struct brushwork_bsp *bsp);

/* Writes the file; it is replaced as a whole or not at all. An unchanged BSP has the bytes that
 * were read. */
BRUSHWORK_API enum brushwork_status brushwork_bsp_write(struct brushwork_bsp *bsp,
                                                        const char *path);
/* The same to memory: free *data with brushwork_free. */
BRUSHWORK_API enum brushwork_status brushwork_bsp_save(struct brushwork_bsp *bsp, void **data,
                                                       size_t *size);

/* Checks what engines rely on, as `brushwork verify` does. */
BRUSHWORK_API enum brushwork_status brushwork_bsp_verify(struct brushwork_bsp *bsp);

BRUSHWORK_API enum brushwork_family brushwork_bsp_family(const struct brushwork_bsp *bsp);
BRUSHWORK_API int32_t brushwork_bsp_version(const struct brushwork_bsp *bsp);
/* The name of --target: "sdk2013". */
BRUSHWORK_API const char *brushwork_bsp_target(const struct brushwork_bsp *bsp);

/* --- entities: key-value pairs in order; the first entity is worldspawn --- */

BRUSHWORK_API size_t brushwork_entity_count(const struct brushwork_bsp *bsp);
/* Appends an entity without pairs; *entity is its index, or NULL. */
BRUSHWORK_API enum brushwork_status brushwork_entity_add(struct brushwork_bsp *bsp, size_t *entity);
/* Later entities move up by one. Refuses worldspawn (USAGE). */
BRUSHWORK_API enum brushwork_status brushwork_entity_remove(struct brushwork_bsp *bsp,
                                                            size_t entity);

BRUSHWORK_API size_t brushwork_pair_count(const struct brushwork_bsp *bsp, size_t entity);
BRUSHWORK_API const char *brushwork_pair_key(const struct brushwork_bsp *bsp, size_t entity,
                                             size_t pair);
BRUSHWORK_API const char *brushwork_pair_value(const struct brushwork_bsp *bsp, size_t entity,
                                               size_t pair);
/* Keys may repeat, as outputs do. Texts with `"` or a line break cannot be stored (USAGE); neither
 * with brushwork_entity_set. */
BRUSHWORK_API enum brushwork_status brushwork_pair_add(struct brushwork_bsp *bsp, size_t entity,
                                                       const char *key, const char *value);

/* The value of the first pair with that key, without regard to case; NULL when there is none. */
BRUSHWORK_API const char *brushwork_entity_get(const struct brushwork_bsp *bsp, size_t entity,
                                               const char *key);
/* Replaces the first pair with that key, or appends one. */
BRUSHWORK_API enum brushwork_status brushwork_entity_set(struct brushwork_bsp *bsp, size_t entity,
                                                         const char *key, const char *value);
/* Removes all pairs with that key. */
BRUSHWORK_API enum brushwork_status brushwork_entity_unset(struct brushwork_bsp *bsp, size_t entity,
                                                           const char *key);

/* --- geometry: all faces of all models, as triangles --- */

struct brushwork_vertex {
    float position[3]; /* in the space of its model: an entity may place it elsewhere */
    float normal[3];   /* unit; of a flat face that of its plane */
    float texture[2];  /* 0 to 1 across the image */
    float lightmap[2]; /* 0 to 1 across the lightmap */
    uint8_t colour[4]; /* Quake 3: vertex light; else white */
};

struct brushwork_face {
    uint32_t first_vertex, vertex_count; /* the outline, clockwise from the front; a grid of a
                                            displacement or patch */
    uint32_t first_index, index_count;   /* three a triangle, clockwise from the front; into all
                                            vertices */
    int32_t model;          /* 0 is the world; N is "*N" in the key `model`; -1: of none */
    int32_t material;       /* -1: none */
    uint32_t surface_flags; /* as the file has them */
    int32_t lightmap;       /* -1: none */
    int32_t columns;        /* of the grid; 0: flat */
};

struct brushwork_mesh {
    const struct brushwork_vertex *vertices;
    size_t vertex_count;
    const uint32_t *indices;
    size_t index_count;
    const struct brushwork_face *faces; /* those of Source have the numbers of the file */
    size_t face_count;
};

/* Made on the first call. */
BRUSHWORK_API const struct brushwork_mesh *brushwork_bsp_mesh(struct brushwork_bsp *bsp);

BRUSHWORK_API size_t brushwork_material_count(const struct brushwork_bsp *bsp);
/* "brick/wall01" or "textures/base_wall/brick"; "" when out of range. Valid until the next call. */
BRUSHWORK_API const char *brushwork_material_name(struct brushwork_bsp *bsp, size_t material);

/* --- lightmaps: in Source one of each lit face, in Quake 3 pages that faces share --- */

enum { BRUSHWORK_STYLES = 4 };

/* Chooses the HDR lightmaps (nonzero) or the LDR ones, which are the default, where a file has
 * both. The mesh is made again. */
BRUSHWORK_API void brushwork_bsp_use_hdr(struct brushwork_bsp *bsp, int hdr);

struct brushwork_lightmap {
    int32_t width, height;            /* luxels */
    int32_t style_count;              /* images in it */
    uint8_t styles[BRUSHWORK_STYLES]; /* light style of each */
    int32_t is_bumped; /* the file has three more images a style, one for each direction */
};

BRUSHWORK_API size_t brushwork_lightmap_count(struct brushwork_bsp *bsp);
/* Returns BRUSHWORK_FAILED when out of range. */
BRUSHWORK_API enum brushwork_status
brushwork_lightmap_info(struct brushwork_bsp *bsp, size_t lightmap, struct brushwork_lightmap *out);
/* The image of one style, by its place in `styles`: width * height luxels of red, green and blue,
 * row by row. Source: linear, 1 is white, brighter light is more. Quake 3: 0 to 1 as in the file,
 * for a screen. NULL when out of range; free with brushwork_free. */
BRUSHWORK_API float *brushwork_lightmap_pixels(struct brushwork_bsp *bsp, size_t lightmap,
                                               int32_t style);

/* --- points --- */

/* The leaf of the world that contains the point. */
BRUSHWORK_API int32_t brushwork_leaf_at(const struct brushwork_bsp *bsp, const double point[3]);
/* -1: solid, or not a leaf. */
BRUSHWORK_API int32_t brushwork_leaf_cluster(const struct brushwork_bsp *bsp, int32_t leaf);
/* Contents flags of the world's brushes at the point, as the family has them; 0: empty. */
BRUSHWORK_API uint32_t brushwork_contents_at(const struct brushwork_bsp *bsp,
                                             const double point[3]);
/* Nonzero when cluster `from` sees `to`, and for all of a map without visibility. */
BRUSHWORK_API int brushwork_cluster_sees(const struct brushwork_bsp *bsp, int32_t from, int32_t to);

/* --- files inside a BSP of Source; names are compared without regard to case --- */

/* Fails for other families and for damaged archives. */
BRUSHWORK_API enum brushwork_status brushwork_packed_count(struct brushwork_bsp *bsp,
                                                           size_t *count);
/* NULL when out of range, or after such a failure. */
BRUSHWORK_API const char *brushwork_packed_name(struct brushwork_bsp *bsp, size_t index);
/* Unpacks a file; free *data with brushwork_free. Fails and reports when there is none. */
BRUSHWORK_API enum brushwork_status
brushwork_packed_get(struct brushwork_bsp *bsp, const char *name, void **data, size_t *size);
/* Adds or replaces a file. */
BRUSHWORK_API enum brushwork_status
brushwork_packed_put(struct brushwork_bsp *bsp, const char *name, const void *data, size_t size);
BRUSHWORK_API enum brushwork_status brushwork_packed_remove(struct brushwork_bsp *bsp,
                                                            const char *name);

#ifdef __cplusplus
}
#endif

#endif
