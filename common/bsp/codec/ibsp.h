/* Inside common/bsp: the parts of IBSP 46. */
#ifndef BSP_CODEC_IBSP_H
#define BSP_CODEC_IBSP_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

struct verifier; /* verify_parts.h */

/* Whether rows of visibility have a size and lie within so many bytes. */
bool ibsp_rows_fit(int32_t clusters, int32_t row, size_t bytes);

/* What every index and range needs (codes B0xx). */
NODISCARD enum status ibsp_check(const struct bsp *bsp, const char *name, struct diag *diag);

/* What the engine needs, and what compilers keep (codes B150 on). Indices are sound. */
void ibsp_verify(struct verifier *verifier);
/* Its part on what is drawn and lit. */
void ibsp_verify_surfaces(struct verifier *verifier);
void ibsp_verify_light(struct verifier *verifier);
void ibsp_verify_visibility(struct verifier *verifier);

#endif
