/* for syscall numbers */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "common/io/self_confine.h"

/* Sanitizers look into the process from another one when it ends. */
#if defined __has_feature
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined __SANITIZE_ADDRESS__ || HAS(address_sanitizer) || HAS(leak_sanitizer)
#define SANITIZED
#endif

#if defined SANITIZED
#elif defined __x86_64__
#define MACHINE      AUDIT_ARCH_X86_64
#define FOREIGN_BASE 0x40000000 /* calls of x32, which have numbers of their own */
#elif defined __aarch64__
#define MACHINE      AUDIT_ARCH_AARCH64
#define FOREIGN_BASE 0x40000000
#endif

#ifndef MACHINE

int seccomp_confine(void)
{
    return ENOTSUP;
}

#else

#define FAIL        (SECCOMP_RET_ERRNO | EPERM)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(act) BPF_STMT(BPF_RET | BPF_K, (act))
#define REFUSE(nr)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), RETURN(FAIL)

int seccomp_confine(void)
{
    struct sock_filter steps[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        RETURN(FAIL),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_BASE, 0, 1),
        RETURN(FAIL),
        /* programs */
        REFUSE(SYS_execve),
        REFUSE(SYS_execveat),
        /* the network, and other processes over sockets */
        REFUSE(SYS_socket),
        REFUSE(SYS_socketpair),
        REFUSE(SYS_connect),
        REFUSE(SYS_bind),
        REFUSE(SYS_listen),
        /* calls that run elsewhere, past this filter */
        REFUSE(425), /* io_uring_setup */
        REFUSE(426), /* io_uring_enter */
        REFUSE(427), /* io_uring_register */
        /* other processes */
        REFUSE(SYS_ptrace),
        REFUSE(SYS_process_vm_readv),
        REFUSE(SYS_process_vm_writev),
        REFUSE(434), /* pidfd_open */
        REFUSE(438), /* pidfd_getfd */
        /* files past the paths */
        REFUSE(SYS_name_to_handle_at),
        REFUSE(SYS_open_by_handle_at),
        REFUSE(SYS_mount),
        REFUSE(SYS_umount2),
        REFUSE(SYS_pivot_root),
        REFUSE(SYS_chroot),
        REFUSE(SYS_setns),
        REFUSE(SYS_unshare),
        REFUSE(SYS_mknodat),
        /* the system */
        REFUSE(SYS_init_module),
        REFUSE(SYS_finit_module),
        REFUSE(SYS_delete_module),
        REFUSE(SYS_kexec_load),
        REFUSE(SYS_bpf),
        REFUSE(SYS_perf_event_open),
        REFUSE(SYS_userfaultfd),
        REFUSE(SYS_keyctl),
        REFUSE(SYS_add_key),
        REFUSE(SYS_request_key),
        REFUSE(SYS_personality),
        REFUSE(SYS_reboot),
        REFUSE(SYS_swapon),
        REFUSE(SYS_swapoff),
        REFUSE(SYS_clock_settime),
        REFUSE(SYS_settimeofday),
        RETURN(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return errno;
    return 0;
}

#endif
