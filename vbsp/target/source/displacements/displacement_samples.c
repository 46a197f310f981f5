/* Positions of luxels on a displacement: for each the number of a triangle and its barycentric
 * weights (lump 34). Triangles are numbered through a quadtree: a square of 2x2 cells has eight
 * around its centre, a larger one has four smaller ones. A position on a border belongs to the
 * lowest number. */
#include "common/core/bytes.h"
#include "common/core/portable_math.h"
#include "vbsp/target/source/displacements/displacement.h"

/* Signs of the four squares in one, and of the corners of the eight triangles; the third corner is
 * the centre. Columns, rows. */
static const int square_signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
static const int triangle_corners[8][2][2] = {
    {{1, -1}, {0, -1}}, {{0, -1}, {-1, -1}}, {{-1, -1}, {-1, 0}}, {{-1, 0}, {-1, 1}},
    {{-1, 1}, {0, 1}},  {{0, 1}, {1, 1}},    {{1, 1}, {1, 0}},    {{1, 0}, {1, -1}},
};

/* Columns and rows are rounded quotients: a position on a border may seem to lie beside it. */
#define ON_BORDER (-1e-9)

struct sample {
    int triangle;
    double weights[3];
};

/* u and v are relative to the centre of the square, whose cells have size 1. */
static struct sample find_triangle(double u, double v)
{
    struct sample sample = {0};
    for (int i = 0; i < 8; i++) {
        const int(*c)[2] = triangle_corners[i];
        double area = c[0][0] * c[1][1] - c[0][1] * c[1][0];
        sample.triangle = i;
        sample.weights[0] = (u * c[1][1] - v * c[1][0]) / area;
        sample.weights[1] = (c[0][0] * v - c[0][1] * u) / area;
        sample.weights[2] = 1 - sample.weights[0] - sample.weights[1];
        if (sample.weights[0] >= ON_BORDER && sample.weights[1] >= ON_BORDER &&
            sample.weights[2] >= ON_BORDER)
            break;
    }
    return sample;
}

static struct sample find_sample(int side, double u, double v)
{
    double middle[2] = {(side - 1) / 2.0, (side - 1) / 2.0};
    int square = 0;
    for (int half = (side - 1) / 2; half > 1; half /= 2) {
        int child = 0;
        while (child < 3 && ((u - middle[0]) * square_signs[child][0] < 0 ||
                             (v - middle[1]) * square_signs[child][1] < 0))
            child++;
        middle[0] += square_signs[child][0] * half / 2.0;
        middle[1] += square_signs[child][1] * half / 2.0;
        square = 4 * square + child;
    }
    struct sample sample = find_triangle(u - middle[0], v - middle[1]);
    sample.triangle += 8 * square;
    return sample;
}

static void append(struct bytes *out, const struct sample *sample)
{
    unsigned char record[5];
    size_t size = 0;
    if (sample->triangle >= UINT8_MAX) {
        record[size++] = UINT8_MAX;
        record[size++] = (unsigned char)(sample->triangle - UINT8_MAX);
    } else {
        record[size++] = (unsigned char)sample->triangle;
    }
    for (int i = 0; i < 3; i++)
        record[size++] =
            (unsigned char)(portable_fmin(portable_fmax(sample->weights[i], 0), 1) * 255.9);
    bytes_append(out, record, size);
}

void displacement_samples(const struct displacement *displacement, int width, int height,
                          struct bytes *out)
{
    int side = displacement->map.side;
    for (int y = 0; y <= height; y++) {
        for (int x = 0; x <= width; x++) {
            double u = (double)x * (side - 1) / (width > 0 ? width : 1);
            double v = (double)y * (side - 1) / (height > 0 ? height : 1);
            struct sample sample = find_sample(side, u, v);
            append(out, &sample);
        }
    }
}
