/* Internal to common/bsp/verify: the parts of bsp_verify. Indices may be followed without checks:
 * bsp_check has passed. */
#ifndef BSP_VERIFY_VERIFY_INTERNAL_H
#define BSP_VERIFY_VERIFY_INTERNAL_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct verifier {
    const struct bsp *bsp;
    struct diag *diag;
    const char *name;
    struct arena arena;           /* scratch */
    int reported[DIAG_CODES_MAX]; /* number of faults of each code */
    int *face_model;              /* one per face; -1: of no model */
    int *leaf_model;              /* one per leaf; -1: in no tree */
    int clusters;                 /* largest cluster of a leaf + 1 */
    size_t faults;                /* of all codes */
};

/* One subject that is checked. */
struct verify_step {
    const char *what; /* "planes": in lower case */
    void (*run)(struct verifier *verifier);
};

struct verify_steps {
    const struct verify_step *steps;
    size_t count;
};

/* Reports a fault: one for each face, leaf and so on. Of a code at most REPORTED_MAX are reported;
 * verify_rest reports the number of the others. `point` may be NULL. */
void verify_fault(struct verifier *verifier, int code, const struct vec3 *point, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

void verify_planes(struct verifier *verifier);
void verify_edges(struct verifier *verifier);
void verify_faces(struct verifier *verifier);
void verify_models(struct verifier *verifier); /* fills face_model */
void verify_tree(struct verifier *verifier);   /* fills leaf_model and clusters */
void verify_leaves(struct verifier *verifier);
void verify_brushes(struct verifier *verifier);
void verify_areas(struct verifier *verifier);
void verify_displacements(struct verifier *verifier);
void verify_props(struct verifier *verifier);
void verify_light(struct verifier *verifier);
void verify_visibility(struct verifier *verifier);
void verify_entities(struct verifier *verifier);
void verify_textures(struct verifier *verifier);
void verify_pakfile(struct verifier *verifier);

/* Those of IBSP 46: requirements of the engine, and invariants of compilers (codes B150 on). */
extern const struct verify_steps ibsp_verify_steps;

#endif
