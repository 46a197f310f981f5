#include "tests/support/suite.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/feedback.h"
#include "common/core/clock.h"
#include "common/core/memory.h"

enum { LINES = 1 << 20, MAX_TEXT = 511 };

/* A listener, and the text of its address. */
struct server {
    int socket;
    char address[64];
};

static struct server server_new(void)
{
    struct server server = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    assert_true(server.socket >= 0);
    assert_int_equal(bind(server.socket, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(server.socket, 4), 0);
    assert_int_equal(getsockname(server.socket, (struct sockaddr *)&at, &size), 0);
    snprintf(server.address, sizeof server.address, "127.0.0.1:%d", ntohs(at.sin_port));
    return server;
}

static struct feedback *open_to(const struct server *server)
{
    int error = 0;
    struct diag_writer_options options = {.program = "vbsp", .version = "1"};
    struct feedback *feedback = feedback_open(server->address, options, &error);
    assert_non_null(feedback);
    return feedback;
}

/* Says much more than the buffers of the connection hold. Returns the seconds that a run takes
 * which goes on after that. */
static double seconds_after_drop(void)
{
    static const char line[] = "a line of some length, so that the buffers are full at some time\n";
    struct server server = server_new();
    struct feedback *feedback = open_to(&server);
    int accepted = accept(server.socket, NULL, NULL);
    double start = clock_seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < LINES && !feedback_error(feedback); i++)
        feedback_said(feedback, line);
    assert_int_equal(feedback_error(feedback), ETIMEDOUT);
    double dropped = clock_seconds(CLOCK_MONOTONIC);
    assert_true(dropped - start < 10);
    for (int i = 0; i < 1000; i++)
        feedback_said(feedback, line);
    feedback_close(feedback, STATUS_FAILED);
    close(accepted);
    close(server.socket);
    return clock_seconds(CLOCK_MONOTONIC) - dropped;
}

/* A busy machine may stop the test for long, but not each time. */
static void test_slow_listener_is_dropped(void **state)
{
    (void)state;
    double seconds = 1;
    for (int i = 0; i < 5 && seconds >= 0.9; i++)
        seconds = seconds_after_drop();
    assert_true(seconds < 0.9);
}

static size_t read_all(int from, char *out, size_t room)
{
    size_t size = 0;
    for (ssize_t count; size < room && (count = read(from, out + size, room - size)) > 0;)
        size += (size_t)count;
    return size;
}

/* The payloads of the frames, one after the other, with a 0. */
static void join_frames(char *text, size_t size)
{
    size_t from = 0, to = 0;
    while (from < size) {
        const unsigned char *head = (const unsigned char *)text + from;
        size_t payload = head[0] + 256u * head[1];
        assert_true(payload <= 1000 && head[2] == 0 && head[3] == 0);
        memmove(text + to, text + from + 4, payload);
        to += payload;
        from += 4 + payload;
    }
    text[to] = 0;
}

/* No text of an element is too long, and no character is cut. */
static void test_long_lines_are_cut(void **state)
{
    (void)state;
    enum { REPEATS = 2000, SIZE = 2 * REPEATS };
    struct server server = server_new();
    struct feedback *feedback = open_to(&server);
    int accepted = accept(server.socket, NULL, NULL);
    char *line = memory_zalloc(1, SIZE + 1), *got = memory_zalloc(1, 4 * SIZE);
    for (int i = 0; i < REPEATS; i++)
        memcpy(line + 2 * i, "\xc3\xbc", 2);
    feedback_said(feedback, line);
    feedback_said(feedback, "end\n");
    feedback_flush(feedback);
    feedback_close(feedback, STATUS_OK);
    join_frames(got, read_all(accepted, got, 4 * SIZE - 1));
    size_t total = 0;
    const char *begin = got;
    while ((begin = strstr(begin, "<message level=\"1\">"))) {
        begin += strlen("<message level=\"1\">");
        size_t size = strcspn(begin, "<");
        assert_true(size <= MAX_TEXT);
        assert_int_equal(size % 2, 0);
        total += size;
    }
    assert_int_equal(total, SIZE + 4);
    memory_free(line);
    memory_free(got);
    close(accepted);
    close(server.socket);
}

/* A long phase tells how far it is once in each tenth, and a short one nothing. */
static void test_phases(void **state)
{
    (void)state;
    struct server server = server_new();
    struct feedback *feedback = open_to(&server);
    int accepted = accept(server.socket, NULL, NULL);
    static char got[4096];
    const struct timespec long_enough = {.tv_sec = 1, .tv_nsec = 50000000};
    feedback_progress(feedback, &(struct progress_event){PROGRESS_BEGIN, .name = "a", .total = 10});
    feedback_progress(feedback, &(struct progress_event){PROGRESS_STEP, .name = "a", .done = 3});
    feedback_beat(feedback);
    nanosleep(&long_enough, NULL);
    feedback_beat(feedback);
    feedback_beat(feedback);
    feedback_progress(feedback, &(struct progress_event){PROGRESS_END, .name = "a"});
    feedback_beat(feedback);
    feedback_close(feedback, STATUS_OK);
    join_frames(got, read_all(accepted, got, sizeof got - 1));
    const char *first = strstr(got, "30 % after 1 s\n");
    assert_non_null(first);
    assert_null(strchr(first + strlen("30 %"), '%'));

    close(accepted);
    close(server.socket);
}

static void test_addresses(void **state)
{
    (void)state;
    assert_true(feedback_is_address("127.0.0.1:39000"));
    assert_true(feedback_is_address("localhost:1"));
    assert_true(feedback_is_address("[::1]:65535"));
    assert_false(feedback_is_address("example.org:39000"));
    assert_false(feedback_is_address("127.0.0.1:65536"));
    assert_false(feedback_is_address("127.0.0.1"));
    assert_false(feedback_is_address("[]:1"));
}

SUITE(test_feedback_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_listener_is_dropped),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
