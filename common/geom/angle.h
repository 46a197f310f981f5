/* Angles. */
#ifndef GEOM_ANGLE_H
#define GEOM_ANGLE_H

#define PI     3.14159265358979323846
#define DEGREE (PI / 180) /* in radians */

/* Sine and cosine of an angle between -pi/4 and pi/4, accurate to 1e-8, without a function call. */
static inline void small_sine_cosine(double angle, double *sine, double *cosine)
{
    double x = angle * angle;
    *sine = angle * (1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72))));
    *cosine = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56)));
}

#endif
