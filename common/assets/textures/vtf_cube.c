#include "common/assets/textures/vtf_cube.h"

#include "common/core/portable_math.h"

enum { SAMPLES = 4 /* along each side of a pixel */ };

/* Cubes of Direct3D, which is left-handed, in the axes of the world as they are: faces are mirror
 * images of views. */
static const double axes[6][3][3] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
    {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
};

static struct vec3 axis_of(const double axis[3])
{
    return vec3(axis[0], axis[1], axis[2]);
}

struct vtf_cube_axes vtf_cube_axes(int face)
{
    return (struct vtf_cube_axes){axis_of(axes[face][0]), axis_of(axes[face][1]),
                                  axis_of(axes[face][2])};
}

int vtf_cube_place(struct vec3 direction, double place[2])
{
    int axis = vec3_major_axis(direction), face = 2 * axis + (direction.e[axis] < 0);
    struct vtf_cube_axes of = vtf_cube_axes(face);
    double far = fabs(direction.e[axis]);
    place[0] = 0.5 + 0.5 * vec3_dot(direction, of.right) / far;
    place[1] = 0.5 + 0.5 * vec3_dot(direction, of.down) / far;
    return face;
}

/* Returns what the ball reflects at (x, y), -1 .. 1 from its middle to the right and up. */
static struct vec3 reflected(double x, double y)
{
    double square = x * x + y * y;
    if (square >= 1)
        return vec3(0, 0, -1);
    double z = sqrt(1 - square);
    return vec3(2 * z * x, 2 * z * y, 2 * z * z - 1);
}

static void add_nearest(const float *const faces[6], int side, struct vec3 direction, double sum[4])
{
    double place[2];
    int at[2], face = vtf_cube_place(direction, place);
    for (int i = 0; i < 2; i++) {
        at[i] = (int)(place[i] * side);
        at[i] = at[i] < 0 ? 0 : at[i] < side ? at[i] : side - 1;
    }
    const float *pixel = faces[face] + 4 * ((size_t)at[1] * (size_t)side + (size_t)at[0]);
    for (int k = 0; k < 4; k++)
        sum[k] += (double)pixel[k];
}

void vtf_sphere_map(const float *const faces[6], int side, float *out)
{
    for (int i = 0; i < side * side; i++) {
        double sum[4] = {0};
        for (int j = 0; j < SAMPLES * SAMPLES; j++) {
            double x = i % side + (j % SAMPLES + 0.5) / (double)SAMPLES;
            double y = i / side + (j / SAMPLES + 0.5) / (double)SAMPLES;
            add_nearest(faces, side, reflected(2 * x / side - 1, 1 - 2 * y / side), sum);
        }
        for (int k = 0; k < 4; k++)
            out[4 * (size_t)i + (size_t)k] = (float)(sum[k] / (SAMPLES * SAMPLES));
    }
}
