// What a process may give up for good: landlock(7), seccomp(2), prctl(2). The constants of newer kernels stand here, since
// the headers of the oldest system that we are built on know fewer.
#ifndef GITSPACE_CPROCESS_CONFINEMENT_H
#define GITSPACE_CPROCESS_CONFINEMENT_H

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// `struct landlock_ruleset_attr` of ABI 6.
struct gitspace_ruleset {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

/// The version of Landlock's ABI that the kernel has; negative if it has none, or it is switched off.
static inline long gitspace_landlock_version(void) {
    return syscall(444, (void *)0, (size_t)0, 1u);
}

/// A ruleset that takes every right away that this version knows; negative for a failure.
static inline int gitspace_landlock_ruleset(long version) {
    struct gitspace_ruleset rules = {0x1fff, 0, 0};
    if (version >= 2) rules.files |= 1 << 13;
    if (version >= 3) rules.files |= 1 << 14;
    if (version >= 5) rules.files |= 1 << 15;
    // Binding and connecting by TCP.
    if (version >= 4) rules.ports = 3;
    // Abstract Unix sockets and signals of processes outside.
    if (version >= 6) rules.scopes = 3;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    return (int)syscall(444, &rules, size, 0u);
}

/// Allows to read a file, or all files below a folder; 0 if it is there.
static inline int gitspace_landlock_read(int ruleset, const char *path, int is_folder) {
    int file = open(path, O_CLOEXEC | 010000000);
    if (file < 0) return -1;
    struct {
        uint64_t rights;
        int32_t file;
    } __attribute__((packed)) rule = {is_folder ? 1 << 2 | 1 << 3 : 1 << 2, file};
    int result = (int)syscall(445, ruleset, 1, &rule, 0u);
    close(file);
    return result;
}

/// Allows to connect to a TCP port (ABI 4).
static inline int gitspace_landlock_connect(int ruleset, uint16_t port) {
    struct {
        uint64_t rights;
        uint64_t port;
    } rule = {2, port};
    return (int)syscall(445, ruleset, 2, &rule, 0u);
}

/// From now on, for this thread and all that it starts; 0 for success.
static inline int gitspace_landlock_enforce(int ruleset) {
    return (int)syscall(446, ruleset, 0u);
}

/// What the faults of one process may cost the others: bytes, descriptors, seconds of a processor; it writes no file and
/// leaves no core. 0 for success.
static inline int gitspace_limit_resources(unsigned long memory, unsigned long files, unsigned long seconds) {
    struct rlimit of_memory = {memory, memory}, of_files = {files, files}, of_seconds = {seconds, seconds}, none = {0, 0};
    return setrlimit(RLIMIT_DATA, &of_memory) || setrlimit(RLIMIT_NOFILE, &of_files)
        || setrlimit(RLIMIT_CPU, &of_seconds) || setrlimit(RLIMIT_FSIZE, &none) || setrlimit(RLIMIT_CORE, &none)
        ? -1 : 0;
}

/// The first members of `struct dl_phdr_info`, which is a GNU extension, as is the function that fills it in.
struct gitspace_loaded {
    ElfW(Addr) address;
    const char *name;
    const ElfW(Phdr) *segments;
    ElfW(Half) count;
};

extern int dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *data);

/// Lets go of the pages of what nobody may write: those that are needed again come from the file. What the linker has
/// written and then protected is part of a segment that may be written.
static int gitspace_release_code_of(struct dl_phdr_info *loaded, size_t size, void *data) {
    const struct gitspace_loaded *object = (const struct gitspace_loaded *)loaded;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (ElfW(Half) i = 0; i < object->count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        // A last page that is not whole may be the next segment's.
        const uintptr_t first = (object->address + segment->p_vaddr) & ~(page - 1);
        const uintptr_t end = (object->address + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}

static inline void gitspace_release_code(void) {
    dl_iterate_phdr(gitspace_release_code_of, (void *)0);
}

/// No program that is started can have more rights.
static inline int gitspace_gain_nothing(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/// Ends with the process that has started us.
static inline int gitspace_end_with_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

#if defined(__x86_64__)
#define GITSPACE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define GITSPACE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/// Takes away what Landlock does not know: sockets of other kinds than the internet's (the session bus has a path), signals
/// to other processes, programs, namespaces, the kernel's own keys, and ways around this filter. 0 for success, also where
/// no filter is written for the architecture.
static inline int gitspace_filter_calls(int own) {
#ifdef GITSPACE_ARCHITECTURE
#define GITSPACE_FIELD(field) (uint32_t)offsetof(struct seccomp_data, field)
#define GITSPACE_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, GITSPACE_FIELD(field))
#define GITSPACE_ANSWER(answer) BPF_STMT(BPF_RET | BPF_K, (answer))
#define GITSPACE_REFUSED GITSPACE_ANSWER(SECCOMP_RET_ERRNO | EPERM)
// Refused, whatever its arguments.
#define GITSPACE_REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), GITSPACE_REFUSED
// Only for this process, whose number is the first argument.
#define GITSPACE_OWN(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), GITSPACE_LOAD(args[0]), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own, 0, 1), GITSPACE_ANSWER(SECCOMP_RET_ALLOW), GITSPACE_REFUSED
// Refused if that argument has any of the bits.
#define GITSPACE_REFUSE_BITS(call, number, bits) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), GITSPACE_LOAD(args[number]), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), GITSPACE_REFUSED, GITSPACE_ANSWER(SECCOMP_RET_ALLOW)
// Refused if the second argument is one of these.
#define GITSPACE_REFUSE_COMMANDS(call, first, second, third) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 6), GITSPACE_LOAD(args[1]), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (first), 2, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (second), 1, 0), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (third), 0, 1), GITSPACE_REFUSED, GITSPACE_ANSWER(SECCOMP_RET_ALLOW)
    struct sock_filter filter[] = {
        GITSPACE_LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, GITSPACE_ARCHITECTURE, 1, 0),
        GITSPACE_ANSWER(SECCOMP_RET_KILL_PROCESS),
        GITSPACE_LOAD(nr),
        // The numbers of x32 on x86-64.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1),
        GITSPACE_REFUSED,
        GITSPACE_REFUSE(SYS_execve),
        GITSPACE_REFUSE(SYS_execveat),
        GITSPACE_REFUSE(SYS_ptrace),
        GITSPACE_REFUSE(SYS_process_vm_readv),
        GITSPACE_REFUSE(SYS_process_vm_writev),
        GITSPACE_REFUSE(SYS_pidfd_open),
        GITSPACE_REFUSE(SYS_pidfd_send_signal),
        GITSPACE_REFUSE(SYS_pidfd_getfd),
        GITSPACE_REFUSE(SYS_tkill),
        GITSPACE_REFUSE(SYS_rt_sigqueueinfo),
        GITSPACE_REFUSE(SYS_rt_tgsigqueueinfo),
        GITSPACE_REFUSE(SYS_unshare),
        GITSPACE_REFUSE(SYS_setns),
        GITSPACE_REFUSE(SYS_mount),
        GITSPACE_REFUSE(SYS_keyctl),
        GITSPACE_REFUSE(SYS_add_key),
        GITSPACE_REFUSE(SYS_request_key),
        GITSPACE_REFUSE(SYS_bpf),
        GITSPACE_REFUSE(SYS_perf_event_open),
        GITSPACE_REFUSE(SYS_userfaultfd),
        GITSPACE_REFUSE(SYS_io_uring_setup),
        GITSPACE_REFUSE(SYS_listen),
        // Of the same user's other processes, these ask for no more than kill does.
        GITSPACE_REFUSE(SYS_setpriority),
        GITSPACE_REFUSE(SYS_sched_setaffinity),
        GITSPACE_REFUSE(SYS_sched_setattr),
        GITSPACE_REFUSE(SYS_sched_setparam),
        GITSPACE_REFUSE(SYS_sched_setscheduler),
        GITSPACE_REFUSE(SYS_ioprio_set),
        GITSPACE_REFUSE(SYS_shmget),
        GITSPACE_REFUSE(SYS_shmat),
        GITSPACE_REFUSE(SYS_msgget),
        GITSPACE_REFUSE(SYS_msgsnd),
        GITSPACE_REFUSE(SYS_msgrcv),
        GITSPACE_REFUSE(SYS_semget),
        GITSPACE_REFUSE(SYS_semop),
        GITSPACE_REFUSE(SYS_semtimedop),
        GITSPACE_REFUSE(SYS_mq_open),
        GITSPACE_OWN(SYS_kill),
        GITSPACE_OWN(SYS_tgkill),
        // The limits of this process alone, which may also call itself 0.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 5),
        GITSPACE_LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own, 0, 1),
        GITSPACE_ANSWER(SECCOMP_RET_ALLOW),
        GITSPACE_REFUSED,
        // Signals by way of a descriptor: F_SETOWN, F_SETOWN_EX, F_SETSIG, FIOSETOWN, SIOCSPGRP.
        GITSPACE_REFUSE_COMMANDS(SYS_fcntl, 8, 15, 10),
        GITSPACE_REFUSE_COMMANDS(SYS_ioctl, 0x8901, 0x8902, 0x8902),
        // Threads and nothing else; the C library takes clone where clone3, whose flags are in memory, does not exist.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        GITSPACE_ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
#ifdef SYS_fork
        GITSPACE_REFUSE(SYS_fork),
        GITSPACE_REFUSE(SYS_vfork),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 5),
        GITSPACE_LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x00010000, 0, 1),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x7e020000, 0, 1),
        GITSPACE_REFUSED,
        GITSPACE_ANSWER(SECCOMP_RET_ALLOW),
        // MSG_FASTOPEN connects without asking Landlock.
        GITSPACE_REFUSE_BITS(SYS_sendto, 3, 0x20000000),
        GITSPACE_REFUSE_BITS(SYS_sendmsg, 2, 0x20000000),
        GITSPACE_REFUSE_BITS(SYS_sendmmsg, 3, 0x20000000),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
        GITSPACE_ANSWER(SECCOMP_RET_ALLOW),
        GITSPACE_LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0),
        // The resolver asks the kernel for this machine's own addresses.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0),
        GITSPACE_ANSWER(SECCOMP_RET_ERRNO | EACCES),
        // Not MPTCP, which Landlock does not count as TCP: 0, TCP (6) or UDP (17).
        GITSPACE_LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 1, 0),
        GITSPACE_ANSWER(SECCOMP_RET_ERRNO | EACCES),
        GITSPACE_ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
    return 0;
#endif
}

#endif
