/* The feedback of an editor (-connect): what a run says, sent over TCP to the build window of
 * NetRadiant, which shows messages, leaks and faults in the map.
 *
 * A frame is the size of its payload (4 bytes, little-endian) and at most 1000 bytes of XML
 * (common/diag/diag_feedback.c), sent by one call. Lines are gathered for a second; diagnostics go
 * at once. A listener that is absent, slow or gone never holds the run: all waits together have a
 * limit, then the connection is dropped. */
#ifndef CLI_FEEDBACK_H
#define CLI_FEEDBACK_H

#include <stdbool.h>

#include "common/core/status.h"
#include "common/diag/diag_writer.h"
#include "common/diag/progress.h"

/* Returns true for "127.0.0.1:39000", "[::1]:39000" and "localhost:39000". Other names are not
 * looked up: that could take longer than the run. */
bool feedback_is_address(const char *text);

struct feedback;

/* Connects; `options` are those of the writer, without what feedback sets. Returns NULL, with an
 * errno, when nobody listens. */
struct feedback *feedback_open(const char *address, struct diag_writer_options options, int *error);
/* The writer of the diagnostics, which sends. Lives until feedback_close. */
struct diag_writer *feedback_writer(const struct feedback *feedback);

/* None of these is called concurrently with another. A NULL feedback is allowed and silent. */

/* Adds a line, with its line end. */
void feedback_said(struct feedback *feedback, const char *line);
/* Keeps how far a phase is, for feedback_beat. */
void feedback_progress(struct feedback *feedback, const struct progress_event *event);
/* Sends what was gathered: before a diagnostic. */
void feedback_flush(struct feedback *feedback);
/* To be called about once a second: how far a long phase is, and what was gathered. */
void feedback_beat(struct feedback *feedback);

/* Returns the errno for which the connection was dropped, or 0. */
int feedback_error(const struct feedback *feedback);

/* Closes the connection; after a run that failed, when the listener had a second to read. */
void feedback_close(struct feedback *feedback, enum status status);

#endif
