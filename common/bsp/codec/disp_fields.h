/* Internal: fields of displacements and overlays, which versions of VBSP have with numbers of
 * different sizes. After the short names of record fields: F, A, PAD. */
#ifndef BSP_CODEC_DISP_FIELDS_H
#define BSP_CODEC_DISP_FIELDS_H

#define DISP_NEIGHBOUR(number, edge, half)                                                         \
    F(number, bsp_displacement, edges[edge][half].displacement),                                   \
        F(U8, bsp_displacement, edges[edge][half].orientation),                                    \
        F(U8, bsp_displacement, edges[edge][half].span),                                           \
        F(U8, bsp_displacement, edges[edge][half].neighbour_span), PAD(1)
#define DISP_EDGE(number, edge) DISP_NEIGHBOUR(number, edge, 0), DISP_NEIGHBOUR(number, edge, 1)
#define DISP_CORNER(number, corner, pad)                                                           \
    A(number, bsp_displacement, corners[corner].displacements, 4),                                 \
        F(U8, bsp_displacement, corners[corner].count), PAD(pad)
/* `number` of other displacements; `pad` after a corner, `face`: the number of the face. */
#define DISP_FIELDS(number, pad, ...)                                                              \
    A(F32, bsp_displacement, start, 3), F(I32, bsp_displacement, first_vertex),                    \
        F(I32, bsp_displacement, first_triangle), F(I32, bsp_displacement, power),                 \
        F(I32, bsp_displacement, min_tesselation), F(F32, bsp_displacement, smoothing_angle),      \
        F(I32, bsp_displacement, contents), __VA_ARGS__, F(I32, bsp_displacement, lightmap_alpha), \
        F(I32, bsp_displacement, lightmap_sample), DISP_EDGE(number, 0), DISP_EDGE(number, 1),     \
        DISP_EDGE(number, 2), DISP_EDGE(number, 3), DISP_CORNER(number, 0, pad),                   \
        DISP_CORNER(number, 1, pad), DISP_CORNER(number, 2, pad), DISP_CORNER(number, 3, pad),     \
        A(I32, bsp_displacement, allowed, DISP_ALLOWED_WORDS)

/* The count of faces has `bits` bits of its number, the order the rest. */
#define OVERLAY_FIELDS(type, faces_max, number, packed, bits)                                      \
    F(I32, type, id), F(number, type, texinfo), A(packed, type, face_count, bits),                 \
        A(packed, type, render_order, 2), A(I32, type, faces, faces_max), A(F32, type, u, 2),      \
        A(F32, type, v, 2), A(F32, type, corners, 12), A(F32, type, origin, 3),                    \
        A(F32, type, normal, 3)

#endif
