/* Inside common/bsp/verify: the parts of bsp_verify. Each may follow every index: the format's
 * check has passed. */
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
    struct arena arena;   /* scratch */
    int told[DIAG_CODES]; /* faults of each code */
    int *face_model;      /* one a face; -1: of none */
    int *leaf_model;      /* one a leaf; -1: in no tree */
    int clusters;         /* largest of a leaf + 1 */
};

/* Only the first few of a code are reported; verify_rest tells how many more there were. `point`
 * may be NULL. */
void verify_fault(struct verifier *verifier, enum diag_code code, const struct vec3 *point,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void verify_rest(struct verifier *verifier);

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

/* IBSP 46: what the engine needs, and what compilers keep (codes B150 on). */
void ibsp_verify(struct verifier *verifier);
/* Its part on what is drawn and lit. */
void ibsp_verify_surfaces(struct verifier *verifier);
void ibsp_verify_light(struct verifier *verifier);
void ibsp_verify_visibility(struct verifier *verifier);

#endif
