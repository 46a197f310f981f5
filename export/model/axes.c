#include "export/model/axes.h"

void export_direction(struct vec3 from, float out[3])
{
    vec3_to_floats(vec3(from.x, from.z, -from.y), out);
}

void export_point(struct vec3 from, double units, float out[3])
{
    export_direction(vec3_scale(from, units), out);
}

static void put_unit(const double q[4], float out[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        out[i] = length > 0 ? (float)(q[i] / length) + 0.0f : i == 3;
}

void export_rotation(const struct transform *transform, float out[4])
{
    /* The columns of the matrix in the axes of the map, then its largest component first. */
    const struct vec3 *a = transform->axes;
    double trace = a[0].x + a[1].y + a[2].z, q[4] = {0};
    if (trace > 0) {
        q[3] = trace + 1;
        q[0] = a[1].z - a[2].y;
        q[1] = a[2].x - a[0].z;
        q[2] = a[0].y - a[1].x;
    } else {
        int i = a[1].y > a[0].x ? 1 : 0;
        i = a[2].z > a[i].e[i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = a[i].e[i] - a[j].e[j] - a[k].e[k] + 1;
        q[j] = a[j].e[i] + a[i].e[j];
        q[k] = a[k].e[i] + a[i].e[k];
        q[3] = a[j].e[k] - a[k].e[j];
    }
    const double turned[4] = {q[0], q[2], -q[1], q[3]};
    put_unit(turned, out);
}

void export_aim(struct vec3 direction, float out[4])
{
    struct vec3 to = vec3_normalize(vec3(direction.x, direction.z, -direction.y));
    double cosine = -to.z; /* to the direction without a rotation */
    if (!vec3_is_finite(to))
        cosine = 1;
    const double back[4] = {0, 1, 0, 0}, none[4] = {0, 0, 0, 1},
                 turned[4] = {to.y, -to.x, 0, 1 + cosine};
    put_unit(cosine >= 1 ? none : cosine < -0.999999999 ? back : turned, out);
}
