#include "common/trace/triangle.h"

#include <math.h>

#include "common/core/portable_math.h"

/* Half of the last place of a float near 1. */
#define UNIT 0x1p-24

/* With s the sum of the distances from the ray's origin to the corner along the axes, e that of the
 * longer edge, n that of the normal, and d the largest component of the direction, the errors of
 * the volumes are at most
 *
 *   7 UNIT d s e              those with an edge at the corner,
 *   (6 n + 17 s e) UNIT d     the one across from it, a difference of those and of the slope,
 *   4 UNIT d n                the slope, normal times direction,
 *   5 UNIT s n                the height, normal times corner,
 *
 * to first order; the volumes that the doubles compute are off by 7 * 2^-53 d (s + e)^2, and their
 * normal by 3 * 2^-52 e^2. The bounds have room for the rest. */
#define EDGE_ERROR   (24 * UNIT)
#define NORMAL_ERROR (8 * UNIT)
#define DOUBLE_ERROR 0x1p-48

/* Square of the longer edge over the normal from which a triangle is a sliver: its normal is too
 * inexact for the point of a hit to be within the margin of the bounds for sure. */
#define SLIVER 4096

void triangle_shape_make(const float *corners, double margin, struct triangle_shape *out)
{
    double edge[2][3], sum[2] = {0, 0}, normal_sum = 0;
    for (int k = 0; k < 3; k++) {
        edge[0][k] = (double)corners[3 + k] - (double)corners[k];
        edge[1][k] = (double)corners[6 + k] - (double)corners[k];
        sum[0] += fabs(edge[0][k]);
        sum[1] += fabs(edge[1][k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double normal = edge[0][i] * edge[1][j] - edge[0][j] * edge[1][i];
        normal_sum += fabs(normal);
        out->corner[k] = corners[k];
        out->to_second[k] = (float)edge[0][k];
        out->from_third[k] = (float)-edge[1][k];
        out->normal[k] = (float)normal;
    }
    double longer = portable_fmax(sum[0], sum[1]);
    out->edge_error = (float)(EDGE_ERROR * longer);
    out->normal_error = (float)(NORMAL_ERROR * normal_sum + DOUBLE_ERROR * longer * longer);
    out->normal_size = longer * longer < SLIVER * normal_sum ? (float)normal_sum : INFINITY;
    out->margin = (float)margin;
}

void triangle_rays_load(const struct trace_packet *packet, struct triangle_rays *out)
{
    out->floats = *packet;
    for (int i = 0; i < TRACE_PACKET; i++) {
        for (int k = 0; k < 3; k++) {
            out->origin[k][i] = (double)packet->origin[k][i];
            out->direction[k][i] = (double)packet->direction[k][i];
        }
        out->near[i] = (double)packet->near[i];
        out->far[i] = (double)packet->far[i];
    }
    for (int i = 0; i < TRACE_PACKET; i++) {
        float x = fabsf(packet->direction[0][i]), y = fabsf(packet->direction[1][i]);
        float z = fabsf(packet->direction[2][i]), more = x > y ? x : y;
        out->size[i] = more > z ? more : z;
    }
}
