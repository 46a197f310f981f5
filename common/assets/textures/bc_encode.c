#include "common/assets/textures/bc_encode.h"

#include <math.h>
#include <string.h>

#include "common/core/bytes.h"
#include "common/core/portable_math.h"

enum {
    COLOURS = 4,    /* of a line */
    ITERATIONS = 3, /* of the order along an axis */
    POWERS = 8,     /* of the iteration for the principal axis */
    OPAQUE = 128,   /* the lowest alpha of an opaque pixel */
    CUT_OUT = 3,    /* index of transparent black in lines of three colours */
    REACH = 3,      /* of end points around one colour: steps */
    NARROW = 12,    /* range of colours, in bytes */
    MAX_STEPS = 64, /* of end points; each makes the error smaller */
};

static const int bits_of[3] = {5, 6, 5};

/* Lines of four colours have two between the end points, lines of three have one. */
struct line_kind {
    bool thirds;
    float share[COLOURS]; /* of the first end point, in the order along the line */
    int index[COLOURS];   /* their indices in a block */
};

static const struct line_kind four = {true, {1, 2 / 3.0F, 1 / 3.0F, 0}, {0, 2, 3, 1}};
static const struct line_kind three = {false, {1, 0.5F, 0.5F, 0}, {0, 2, 2, 1}};

/* The opaque pixels of a block. */
struct points {
    float at[BC_PIXELS][3];
    int byte[BC_PIXELS][3];
    int pixel[BC_PIXELS]; /* their places in the block */
    int count;
};

struct line {
    int end[2][3]; /* of 5, 6 and 5 bits */
    int error;     /* the sum of squared differences, in bytes */
    uint8_t index[BC_PIXELS];
    bool thirds;
};

static int expanded(int channel, int value)
{
    int bits = bits_of[channel];
    return value << (8 - bits) | value >> (2 * bits - 8);
}

static int quantised(int channel, float value)
{
    static const float steps[3] = {31 / 255.0F, 63 / 255.0F, 31 / 255.0F};
    float inside = value > 0 ? value < 255 ? value : 255 : 0;
    return (int)(inside * steps[channel] + 0.5F);
}

/* --- decoded colours --- */

static void palette_of(const struct line *line, int palette[COLOURS][3])
{
    for (int k = 0; k < 3; k++) {
        int a = expanded(k, line->end[0][k]), b = expanded(k, line->end[1][k]);
        palette[0][k] = a;
        palette[1][k] = b;
        palette[2][k] = line->thirds ? (2 * a + b) / 3 : (a + b) / 2;
        palette[3][k] = (a + 2 * b) / 3;
    }
}

static int squared_distance(const int a[3], const int b[3])
{
    int sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* Chooses the nearest colour for each pixel, and sums the error. */
static void choose_indices(const struct points *points, struct line *line)
{
    int palette[COLOURS][3], colours = line->thirds ? COLOURS : COLOURS - 1;
    palette_of(line, palette);
    line->error = 0;
    for (int i = 0; i < points->count; i++) {
        int best = squared_distance(points->byte[i], palette[0]), index = 0;
        for (int c = 1; c < colours; c++) {
            int distance = squared_distance(points->byte[i], palette[c]);
            if (distance < best) {
                best = distance;
                index = c;
            }
        }
        line->error += best;
        line->index[i] = (uint8_t)index;
    }
}

/* Moves one channel of one end point by a step, or both end points together. */
static bool move(const struct points *points, struct line *best, int k, const int step[2])
{
    struct line line = *best;
    int max = (1 << bits_of[k]) - 1;
    for (int e = 0; e < 2; e++) {
        line.end[e][k] += step[e];
        if (line.end[e][k] < 0 || line.end[e][k] > max)
            return false;
    }
    choose_indices(points, &line);
    if (line.error >= best->error)
        return false;
    *best = line;
    return true;
}

static void improve(const struct points *points, struct line *line)
{
    static const int steps[][2] = {{1, 0},  {-1, 0}, {0, 1}, {0, -1},
                                   {1, -1}, {-1, 1}, {1, 1}, {-1, -1}};
    bool moved = true;
    for (int i = 0; i < MAX_STEPS && moved && line->error > 0; i++) {
        moved = false;
        for (int k = 0; k < 3; k++)
            for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
                moved |= move(points, line, k, steps[s]);
    }
}

/* --- the order along an axis --- */

static void mean_of(const struct points *points, float mean[3])
{
    for (int k = 0; k < 3; k++) {
        float sum = 0;
        for (int i = 0; i < points->count; i++)
            sum += points->at[i][k];
        mean[k] = sum / (float)points->count;
    }
}

/* The direction in which the colours differ more than in others, by powers of their covariance.
 * Returns false when they are equal. */
static bool principal_axis(const struct points *points, float axis[3])
{
    float mean[3], covariance[3][3] = {{0}};
    mean_of(points, mean);
    for (int i = 0; i < points->count; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                covariance[j][k] += (points->at[i][j] - mean[j]) * (points->at[i][k] - mean[k]);
    int widest = 0;
    for (int k = 1; k < 3; k++)
        if (covariance[k][k] > covariance[widest][widest])
            widest = k;
    memcpy(axis, covariance[widest], 3 * sizeof *axis);
    for (int n = 0; n < POWERS; n++) {
        float next[3], largest = 0;
        for (int j = 0; j < 3; j++) {
            next[j] = covariance[j][0] * axis[0] + covariance[j][1] * axis[1] +
                      covariance[j][2] * axis[2];
            largest = portable_fmaxf(largest, fabsf(next[j]));
        }
        if (!(largest > 0))
            return false;
        for (int j = 0; j < 3; j++)
            axis[j] = next[j] / largest;
    }
    return true;
}

/* Equal ones stay in the order of the pixels. Returns whether the order has changed. */
static bool sort_along(const struct points *points, const float axis[3], int order[BC_PIXELS])
{
    float key[BC_PIXELS];
    int sorted[BC_PIXELS] = {0};
    for (int i = 0; i < points->count; i++) {
        const float *at = points->at[i];
        float value = at[0] * axis[0] + at[1] * axis[1] + at[2] * axis[2];
        int to = i;
        for (; to > 0 && key[to - 1] > value; to--) {
            key[to] = key[to - 1];
            sorted[to] = sorted[to - 1];
        }
        key[to] = value;
        sorted[to] = i;
    }
    size_t size = (size_t)points->count * sizeof *order;
    bool changed = memcmp(order, sorted, size) != 0;
    memcpy(order, sorted, size);
    return changed;
}

/* --- end points of an order that is cut into clusters --- */

struct clusters {
    const struct line_kind *kind;
    float sums[BC_PIXELS + 1][3]; /* of the first pixels of the order */
    int count;
    float best; /* error, less the constant sum of squares */
    float end[2][3];
    bool found;
};

/* Weighted sums of the problem of least squares: pixel = share * first + (1 - share) * second. */
struct normal_sums {
    float aa, bb, ab, determinant;
    float ax[3], bx[3];
};

static bool sum_up(const struct clusters *clusters, const int cuts[COLOURS + 1],
                   struct normal_sums *sums)
{
    const float *share = clusters->kind->share, *all = clusters->sums[clusters->count];
    *sums = (struct normal_sums){0};
    for (int g = 0; g < COLOURS; g++) {
        float a = share[g], b = 1 - a, n = (float)(cuts[g + 1] - cuts[g]);
        sums->aa += n * a * a;
        sums->bb += n * b * b;
        sums->ab += n * a * b;
    }
    sums->determinant = sums->aa * sums->bb - sums->ab * sums->ab;
    if (!(sums->determinant > 1e-4F))
        return false;
    /* The sum over clusters, by parts: the share falls at each cut. */
    for (int k = 0; k < 3; k++) {
        for (int g = 0; g + 1 < COLOURS; g++)
            sums->ax[k] += (share[g] - share[g + 1]) * clusters->sums[cuts[g + 1]][k];
        sums->bx[k] = all[k] - sums->ax[k];
    }
    return true;
}

static float snapped(int channel, float value)
{
    return (float)expanded(channel, quantised(channel, value));
}

static void try_cuts(struct clusters *clusters, const int cuts[COLOURS + 1])
{
    struct normal_sums s;
    float error = 0, end[2][3];
    if (!sum_up(clusters, cuts, &s))
        return;
    float inverse = 1 / s.determinant;
    for (int k = 0; k < 3; k++) {
        float a = snapped(k, (s.ax[k] * s.bb - s.bx[k] * s.ab) * inverse);
        float b = snapped(k, (s.bx[k] * s.aa - s.ax[k] * s.ab) * inverse);
        error += a * a * s.aa + b * b * s.bb + 2 * (a * b * s.ab - a * s.ax[k] - b * s.bx[k]);
        end[0][k] = a;
        end[1][k] = b;
    }
    if (clusters->found && error >= clusters->best)
        return;
    clusters->found = true;
    clusters->best = error;
    memcpy(clusters->end, end, sizeof end);
}

static void try_all_cuts(const struct points *points, const int order[BC_PIXELS],
                         struct clusters *clusters)
{
    int n = clusters->count = points->count;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            clusters->sums[i + 1][k] = clusters->sums[i][k] + points->at[order[i]][k];
    for (int i = 0; i <= n; i++)
        for (int j = i; j <= n; j++)
            for (int k = j; k <= (clusters->kind->thirds ? n : j); k++)
                try_cuts(clusters, (int[]){0, i, j, k, n});
}

/* Fits a line of the kind; false when the pixels are of one colour. */
static bool fit_line(const struct points *points, const struct line_kind *kind, struct line *line)
{
    struct clusters clusters = {.kind = kind};
    float axis[3];
    int order[BC_PIXELS] = {0};
    if (!principal_axis(points, axis))
        return false;
    (void)sort_along(points, axis, order);
    for (int i = 0; i < ITERATIONS; i++) {
        try_all_cuts(points, order, &clusters);
        if (!clusters.found)
            return false;
        /* The order along the line may be another one than that along the axis. */
        for (int k = 0; k < 3; k++)
            axis[k] = clusters.end[1][k] - clusters.end[0][k];
        if (!sort_along(points, axis, order))
            break;
    }
    line->thirds = kind->thirds;
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++)
            line->end[e][k] = quantised(k, clusters.end[e][k]);
    choose_indices(points, line);
    improve(points, line);
    return true;
}

/* --- blocks of one colour --- */

/* The end points whose colour at a third is nearest; of equal ones those that are nearest to each
 * other, since decoders round differently. */
static void fit_channel(int channel, int value, struct line *line)
{
    int max = (1 << bits_of[channel]) - 1, best = INT32_MAX;
    int near = quantised(channel, (float)value), low = near > REACH ? near - REACH : 0;
    int high = near + REACH < max ? near + REACH : max;
    for (int a = low; a <= high; a++)
        for (int b = low; b <= high; b++) {
            int ea = expanded(channel, a), eb = expanded(channel, b);
            int mixed = line->thirds ? (2 * ea + eb) / 3 : (ea + eb) / 2;
            int error =
                256 * (mixed > value ? mixed - value : value - mixed) + (a > b ? a - b : b - a);
            if (error >= best)
                continue;
            best = error;
            line->end[0][channel] = a;
            line->end[1][channel] = b;
        }
}

static void fit_one_colour(const struct points *points, const struct line_kind *kind,
                           struct line *line)
{
    float mean[3];
    line->thirds = kind->thirds;
    if (points->count > 0)
        mean_of(points, mean);
    for (int k = 0; k < 3 && points->count > 0; k++)
        fit_channel(k, (int)(mean[k] + 0.5F), line);
    choose_indices(points, line);
}

/* Colours that are this near to each other are often nearest to the mixed colours of a line that
 * has their mean among them. */
static bool is_narrow(const struct points *points)
{
    int max = 0;
    for (int k = 0; k < 3; k++) {
        int low = 255, high = 0;
        for (int i = 0; i < points->count; i++) {
            low = points->byte[i][k] < low ? points->byte[i][k] : low;
            high = points->byte[i][k] > high ? points->byte[i][k] : high;
        }
        max = high - low > max ? high - low : max;
    }
    return max <= NARROW;
}

static struct line line_of(const struct points *points, const struct line_kind *kind)
{
    struct line line = {.error = 0}, other = {.error = 0};
    bool fitted = points->count > 0 && fit_line(points, kind, &line);
    if (fitted && (line.error == 0 || !is_narrow(points)))
        return line;
    fit_one_colour(points, kind, &other);
    if (!fitted)
        return other;
    improve(points, &other);
    return other.error < line.error ? other : line;
}

/* --- blocks --- */

static unsigned word_of(const int end[3])
{
    return (unsigned)end[0] << 11 | (unsigned)end[1] << 5 | (unsigned)end[2];
}

/* Writes a line. The larger end point comes first in blocks of four colours, and last in others;
 * `others` is the index of pixels that are not among the points. */
static void put_line(const struct points *points, const struct line *line, uint32_t others,
                     unsigned char out[BC1_BYTES])
{
    unsigned words[2] = {word_of(line->end[0]), word_of(line->end[1])};
    bool swapped = line->thirds ? words[0] < words[1] : words[0] > words[1];
    bool equal = words[0] == words[1];
    uint32_t indices = 0x55555555u * others;
    for (int i = 0; i < points->count; i++) {
        uint32_t index = line->index[i];
        if (equal) /* all colours are the same; the fourth may be read as transparent */
            index = 0;
        else if (swapped && (line->thirds || index < 2))
            index ^= 1;
        int at = 2 * points->pixel[i];
        indices = (indices & ~(3u << at)) | index << at;
    }
    store_u16(ORDER_LITTLE, out, (uint16_t)words[swapped]);
    store_u16(ORDER_LITTLE, out + 2, (uint16_t)words[!swapped]);
    store_u32(ORDER_LITTLE, out + 4, indices);
}

static struct points points_of(const uint8_t pixels[BC_PIXELS][4], bool cut_out)
{
    struct points points = {.count = 0};
    for (int i = 0; i < BC_PIXELS; i++) {
        if (cut_out && pixels[i][3] < OPAQUE)
            continue;
        for (int k = 0; k < 3; k++) {
            points.byte[points.count][k] = pixels[i][k];
            points.at[points.count][k] = pixels[i][k];
        }
        points.pixel[points.count++] = i;
    }
    return points;
}

void bc1_encode(const uint8_t pixels[BC_PIXELS][4], bool cut_out, unsigned char out[BC1_BYTES])
{
    struct points points = points_of(pixels, cut_out);
    struct line line = line_of(&points, points.count < BC_PIXELS ? &three : &four);
    if (points.count == BC_PIXELS && line.error > 0) {
        struct line other = line_of(&points, &three);
        if (other.error < line.error)
            line = other;
    }
    put_line(&points, &line, points.count < BC_PIXELS ? CUT_OUT : 0, out);
}

/* --- alpha of BC3 --- */

enum { ALPHAS = 8, NEAR = 6 /* end points are searched this far inside of the range */ };

struct alpha_line {
    int end[2];
    int error;
    uint64_t indices; /* 3 bits a pixel */
};

static void alpha_palette(const int end[2], int palette[ALPHAS])
{
    int steps = end[0] > end[1] ? 7 : 5;
    palette[0] = end[0];
    palette[1] = end[1];
    for (int k = 2; k <= steps; k++)
        palette[k] = ((steps + 1 - k) * end[0] + (k - 1) * end[1]) / steps;
    if (steps == 5) {
        palette[6] = 0;
        palette[7] = 255;
    }
}

static void try_alphas(const uint8_t pixels[BC_PIXELS][4], int first, int second,
                       struct alpha_line *best)
{
    struct alpha_line line = {.end = {first, second}};
    int palette[ALPHAS];
    alpha_palette(line.end, palette);
    for (int i = 0; i < BC_PIXELS; i++) {
        int index = 0, min = INT32_MAX;
        for (int c = 0; c < ALPHAS; c++) {
            int difference = pixels[i][3] - palette[c];
            if (difference * difference < min) {
                min = difference * difference;
                index = c;
            }
        }
        line.error += min;
        line.indices |= (uint64_t)index << 3 * i;
    }
    if (line.error < best->error)
        *best = line;
}

/* Searches from the range inwards. `descending`: eight alphas lie between the end points, else six,
 * and 0 and 255 are outside of the range. */
static void search_alphas(const uint8_t pixels[BC_PIXELS][4], bool descending,
                          struct alpha_line *best)
{
    int low = 255, high = 0;
    for (int i = 0; i < BC_PIXELS; i++) {
        int alpha = pixels[i][3];
        if (!descending && (alpha == 0 || alpha == 255))
            continue;
        low = alpha < low ? alpha : low;
        high = alpha > high ? alpha : high;
    }
    if (low > high)
        low = high = 0;
    for (int a = 0; a <= NEAR && low + a <= high; a++)
        for (int b = 0; b <= NEAR && low + a + b <= high && best->error > 0; b++) {
            if (!descending)
                try_alphas(pixels, low + a, high - b, best);
            else if (low + a < high - b)
                try_alphas(pixels, high - b, low + a, best);
        }
}

void bc3_encode(const uint8_t pixels[BC_PIXELS][4], unsigned char out[BC3_BYTES])
{
    struct alpha_line alpha = {.error = INT32_MAX};
    struct points points = points_of(pixels, false);
    struct line line = line_of(&points, &four);
    search_alphas(pixels, false, &alpha);
    search_alphas(pixels, true, &alpha);
    out[0] = (unsigned char)alpha.end[0];
    out[1] = (unsigned char)alpha.end[1];
    for (int i = 0; i < 6; i++)
        out[2 + i] = (unsigned char)(alpha.indices >> 8 * i);
    put_line(&points, &line, 0, out + 8);
}
