#include "tests/support/suite.h"

#include <string.h>

#include "common/parallel/cpu_count.h"

static struct cpu_seat seat(const char *machine, int first, int count, int quota)
{
    struct cpu_seat seat = {.quota = quota};
    strcpy(seat.machine, machine);
    for (int i = first; i < first + count; i++)
        seat.cpus[i / 8] |= (unsigned char)(1u << i % 8);
    return seat;
}

/* mpirun binds two ranks to a CPU each, and more of them to a socket each. */
static void ranks_have_what_they_are_bound_to(void **state)
{
    (void)state;
    const struct cpu_seat cores[] = {seat("a", 0, 1, 0), seat("a", 1, 1, 0)};
    const struct cpu_seat sockets[] = {seat("a", 0, 8, 0), seat("a", 8, 8, 0), seat("a", 0, 8, 0)};
    assert_int_equal(cpu_share(cores, 2, 0), 1);
    assert_int_equal(cpu_share(cores, 2, 1), 1);
    assert_int_equal(cpu_share(sockets, 3, 0), 4);
    assert_int_equal(cpu_share(sockets, 3, 1), 8);
    assert_int_equal(cpu_share(sockets, 3, 2), 4);
}

static void ranks_of_one_machine_share_it(void **state)
{
    (void)state;
    struct cpu_seat seats[8];
    for (int i = 0; i < 8; i++)
        seats[i] = seat(i < 3 ? "a" : "b", 0, 12, 0);
    assert_int_equal(cpu_share(seats, 8, 0), 4);
    assert_int_equal(cpu_share(seats, 8, 7), 2);
    assert_int_equal(cpu_share(seats, 1, 0), 12);
    for (int i = 0; i < 8; i++)
        seats[i] = seat("a", 0, 2, 0);
    assert_int_equal(cpu_share(seats, 8, 5), 1); /* more ranks than CPUs */
}

static void a_container_has_its_quota(void **state)
{
    (void)state;
    const struct cpu_seat seats[] = {seat("a", 0, 16, 4), seat("a", 0, 16, 4)};
    assert_int_equal(cpu_share(seats, 2, 0), 2);
    assert_int_equal(cpu_share(seats, 1, 0), 4);
}

static void this_process_has_all_that_it_may_use(void **state)
{
    (void)state;
    struct cpu_seat mine;
    cpu_seat_of_process(&mine);
    assert_int_equal(cpu_share(&mine, 1, 0), cpu_count());
}

SUITE(test_cpu_share)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_have_what_they_are_bound_to),
        cmocka_unit_test(ranks_of_one_machine_share_it),
        cmocka_unit_test(a_container_has_its_quota),
        cmocka_unit_test(this_process_has_all_that_it_may_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
