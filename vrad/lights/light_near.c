#include "vrad/lights/light_near.h"

/* In reaches of the shape, from its middle to a corner: up to the first its shape alone counts,
 * from the second on only its middle. */
#define ALL_SHAPE 1.5
#define ALL_POINT 2.5

/* As far as the source stands before its surface, or less: from there nothing is seen of it. */
#define IN_PLANE (1.0 / 32)

/* Edges that are seen under a smaller sine than this run through the point. */
#define LEAST_SINE 1e-9

#define PI 3.14159265358979324

static double reach_of(const struct light *light)
{
    return fmax(vec3_length(vec3_add(light->side[0], light->side[1])),
                vec3_length(vec3_sub(light->side[0], light->side[1])));
}

bool light_is_near(const struct light *light, double distance)
{
    /* The longest way to a corner is no longer than both sides; most lights end here. */
    double most =
        ALL_POINT * (fabs(light->side[0].x) + fabs(light->side[0].y) + fabs(light->side[0].z) +
                     fabs(light->side[1].x) + fabs(light->side[1].y) + fabs(light->side[1].z));
    return distance < most && distance < ALL_POINT * reach_of(light);
}

/* Half the sum over the edges of the angle each is seen under, along the normal of the plane
 * through it and the point. Its length is PI times the form factor. */
static struct vec3 irradiance(const struct light *light, struct vec3 point)
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    struct vec3 way[4], sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_mad(light->origin, light->side[0], corner[i][0]);
        way[i] = vec3_normalize(vec3_sub(vec3_mad(at, light->side[1], corner[i][1]), point));
    }
    for (int i = 0; i < 4; i++) {
        struct vec3 cross = vec3_cross(way[i], way[(i + 1) % 4]);
        double sine = vec3_length(cross), cosine = vec3_dot(way[i], way[(i + 1) % 4]);
        if (sine > LEAST_SINE)
            sum = vec3_mad(sum, cross, atan2(sine, cosine) / (2 * sine));
    }
    return vec3_dot(sum, light->normal) > 0 ? vec3_neg(sum) : sum;
}

double light_near(const struct light *light, struct vec3 point, struct vec3 *direction,
                  double *distance)
{
    struct vec3 way = vec3_sub(light->origin, point);
    double away = vec3_length(way), height = -vec3_dot(way, light->normal);
    *distance = away;
    *direction = vec3_normalize(way);
    if (height <= IN_PLANE)
        return 0;
    double reach = reach_of(light),
           area = 4 * vec3_length(vec3_cross(light->side[0], light->side[1]));
    double t = fmin(fmax((ALL_POINT - away / reach) / (ALL_POINT - ALL_SHAPE), 0), 1);
    double shape = t * t * (3 - 2 * t);
    double plain = height / away * light_falloff(light, away);
    struct vec3 sum = vec3_scale(irradiance(light, point), light->near_share * shape / area);
    sum = vec3_mad(sum, *direction, (1 - shape) * plain);
    double share = vec3_length(sum);
    if (!(share > 0))
        return 0;
    *direction = vec3_scale(sum, 1 / share);
    *distance = height / fmax(-vec3_dot(*direction, light->normal), 1e-6);
    return share;
}
