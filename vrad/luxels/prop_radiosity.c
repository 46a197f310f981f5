#include "vrad/luxels/prop_radiosity.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/parallel/parallel.h"
#include "vrad/scene/prop_charts.h"

enum { CHUNK = 256 };

static void reflect(const struct prop_radiosity *props, size_t luxel, const float bounced[3],
                    float *leaving)
{
    for (size_t k = 0; k < 3; k++)
        leaving[3 * luxel + k] = (props->direct[3 * luxel + k] + bounced[k]) *
                                 props->charts->luxels[luxel].reflectivity[k];
}

void prop_radiosity_start(struct prop_radiosity *props)
{
    static const float none[3] = {0, 0, 0};
    props->done = 0;
    for (size_t i = 0; i < props->count; i++)
        reflect(props, i, none, props->leaving);
}

struct job {
    const struct prop_radiosity *props;
    seen_light_look *look;
    const void *context;
    float *leaving;
};

static void bounce_to(const struct job *job, size_t luxel)
{
    const struct prop_radiosity *props = job->props;
    const uint32_t *seen = props->seen + luxel * (size_t)props->rays;
    float bounced[3];
    seen_light_mean(job->look, job->context, seen, (size_t)props->rays, bounced);
    reflect(props, luxel, bounced, job->leaving);
}

static void bounce_chunk(void *context, size_t chunk, int thread)
{
    const struct job *job = context;
    (void)thread;
    size_t end = (chunk + 1) * CHUNK;
    for (size_t i = chunk * CHUNK; i < end && i < job->props->count; i++)
        bounce_to(job, i);
}

void prop_radiosity_bounce(struct prop_radiosity *props, int threads, seen_light_look *look,
                           const void *context)
{
    if (props->done >= props->bounces)
        return;
    struct job job = {props, look, context,
                      memory_alloc((3 * props->count + 1) * sizeof *job.leaving)};
    parallel_for(threads, (props->count + CHUNK - 1) / CHUNK, bounce_chunk, &job);
    memcpy(props->leaving, job.leaving, 3 * props->count * sizeof *props->leaving);
    memory_free(job.leaving);
    props->done++;
}

void prop_radiosity_free(struct prop_radiosity *props)
{
    if (!props)
        return;
    memory_free(props->seen);
    memory_free(props->sky);
    memory_free(props->covered);
    memory_free(props->direct);
    memory_free(props->leaving);
    memory_free(props);
}
