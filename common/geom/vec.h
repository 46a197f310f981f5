/* Vectors and boxes in double precision. */
#ifndef GEOM_VEC_H
#define GEOM_VEC_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct vec3 {
    union {
        struct {
            double x, y, z;
        };
        double e[3];
    };
};

static inline struct vec3 vec3(double x, double y, double z)
{
    struct vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

/* Converts a point of a file. */
static inline struct vec3 vec3_from_floats(const float v[3])
{
    return vec3((double)v[0], (double)v[1], (double)v[2]);
}

static inline void vec3_to_floats(struct vec3 v, float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)v.e[k];
}

static inline bool floats_are_finite(const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static inline struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct vec3 vec3_scale(struct vec3 a, double s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

/* a + b * s */
static inline struct vec3 vec3_mad(struct vec3 a, struct vec3 b, double s)
{
    return vec3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline struct vec3 vec3_neg(struct vec3 a)
{
    return vec3(-a.x, -a.y, -a.z);
}

static inline double vec3_dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double vec3_length(struct vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

static inline double vec3_distance(struct vec3 a, struct vec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

/* Returns the unit vector; zero stays zero. */
static inline struct vec3 vec3_normalize(struct vec3 a)
{
    double length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : a;
}

static inline struct vec3 vec3_lerp(struct vec3 a, struct vec3 b, double t)
{
    return vec3_mad(a, vec3_sub(b, a), t);
}

static inline bool vec3_is_finite(struct vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Returns the axis with the largest component; the first of equals. */
static inline int vec3_major_axis(struct vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    if (x >= y && x >= z)
        return 0;
    return y >= z ? 1 : 2;
}

struct bounds {
    struct vec3 mins, maxs;
};

static inline struct bounds bounds_empty(void)
{
    struct bounds b = {vec3(DBL_MAX, DBL_MAX, DBL_MAX), vec3(-DBL_MAX, -DBL_MAX, -DBL_MAX)};
    return b;
}

static inline bool bounds_is_empty(const struct bounds *b)
{
    return b->mins.x > b->maxs.x;
}

static inline void bounds_add_point(struct bounds *b, struct vec3 p)
{
    for (int i = 0; i < 3; i++) {
        b->mins.e[i] = p.e[i] < b->mins.e[i] ? p.e[i] : b->mins.e[i];
        b->maxs.e[i] = p.e[i] > b->maxs.e[i] ? p.e[i] : b->maxs.e[i];
    }
}

static inline void bounds_add(struct bounds *b, const struct bounds *other)
{
    for (int i = 0; i < 3; i++) {
        if (other->mins.e[i] < b->mins.e[i])
            b->mins.e[i] = other->mins.e[i];
        if (other->maxs.e[i] > b->maxs.e[i])
            b->maxs.e[i] = other->maxs.e[i];
    }
}

/* Returns true when the boxes are within `gap` of each other on every axis. */
static inline bool bounds_touch(const struct bounds *a, const struct bounds *b, double gap)
{
    for (int i = 0; i < 3; i++)
        if (a->mins.e[i] > b->maxs.e[i] + gap || b->mins.e[i] > a->maxs.e[i] + gap)
            return false;
    return true;
}

static inline bool bounds_contains(const struct bounds *b, struct vec3 p)
{
    for (int i = 0; i < 3; i++)
        if (p.e[i] < b->mins.e[i] || p.e[i] > b->maxs.e[i])
            return false;
    return true;
}

static inline struct vec3 bounds_center(const struct bounds *b)
{
    return vec3_scale(vec3_add(b->mins, b->maxs), 0.5);
}

#endif
