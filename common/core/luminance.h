/* The brightness of linear red, green and blue of a screen (Rec. 709), in their unit. */
#ifndef CORE_LUMINANCE_H
#define CORE_LUMINANCE_H

static inline double luminance(double red, double green, double blue)
{
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

static inline double luminance_of(const float rgb[3])
{
    return luminance((double)rgb[0], (double)rgb[1], (double)rgb[2]);
}

#endif
