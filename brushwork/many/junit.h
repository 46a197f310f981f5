/* The result of a run as JUnit XML, which pages of CI show: a case a map. */
#ifndef MANY_JUNIT_H
#define MANY_JUNIT_H

#include "brushwork/many/job.h"

/* Writes the file: a map that failed or leaks has a failure with all its errors, and one whose
 * process broke an error; those that were not started are skipped. Other messages are the output of
 * the case. Of a run without jobs that ended with `status` there is one case, the list of the
 * maps. Bytes that XML does not have become U+FFFD. */
NODISCARD enum status junit_write(const struct env *env, const struct job *jobs, enum status status,
                                  const char *path);

#endif
