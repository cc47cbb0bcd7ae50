// Functions by which a process gives up rights for good: landlock(7), prctl(2), capabilities(7), and libseccomp for
// seccomp(2). The constants are numbers, since the headers of the oldest supported system lack those of newer kernels.
#ifndef GITSPACE_CLIBSECCOMP_SHIM_H
#define GITSPACE_CLIBSECCOMP_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/// `struct landlock_ruleset_attr` of ABI 6.
struct gitspace_ruleset {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

/// The kernel's version of Landlock's ABI; negative if Landlock is missing or switched off.
static inline long gitspace_landlock_version(void) {
    return syscall(444, (void *)0, (size_t)0, 1u);
}

/// Makes a ruleset that removes every right that this version knows; negative for a failure.
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

/// Allows reading a file, or all files below a folder; returns 0 for success.
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

/// Allows connecting to a TCP port (ABI 4).
static inline int gitspace_landlock_connect(int ruleset, uint16_t port) {
    struct {
        uint64_t rights;
        uint64_t port;
    } rule = {2, port};
    return (int)syscall(445, ruleset, 2, &rule, 0u);
}

/// Enforces a ruleset on this thread and everything that it starts; returns 0 for success.
static inline int gitspace_landlock_enforce(int ruleset) {
    return (int)syscall(446, ruleset, 0u);
}

/// Limits the bytes of the address space, the descriptors, and the seconds of processor time, and forbids writing files
/// and core dumps; returns 0 for success.
static inline int gitspace_limit_resources(unsigned long memory, unsigned long files, unsigned long seconds) {
    struct rlimit of_memory = {memory, memory}, of_files = {files, files}, of_seconds = {seconds, seconds}, none = {0, 0};
    return setrlimit(RLIMIT_AS, &of_memory) || setrlimit(RLIMIT_NOFILE, &of_files)
        || setrlimit(RLIMIT_CPU, &of_seconds) || setrlimit(RLIMIT_FSIZE, &none) || setrlimit(RLIMIT_CORE, &none)
        ? -1 : 0;
}

/// Keeps started programs from gaining rights (PR_SET_NO_NEW_PRIVS).
static inline int gitspace_gain_nothing(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/// Gives up every capability, even as root; returns 0 for success. EPERM is no failure: a process without capabilities
/// may not lower the bounding set.
static inline int gitspace_drop_capabilities(void) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) return -1;
    }
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    return (int)syscall(SYS_capset, &header, none);
}

#if defined(__x86_64__)
#define GITSPACE_ARGUMENT(context, number) ((context)->uc_mcontext.gregs[(const int[]){8, 9, 12, 2}[number]])
#define GITSPACE_RESULT(context) ((context)->uc_mcontext.gregs[13])
#elif defined(__aarch64__)
#define GITSPACE_ARGUMENT(context, number) ((context)->uc_mcontext.regs[number])
#define GITSPACE_RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

#ifdef GITSPACE_RESULT
/// Examines a file by opening it, so that Landlock decides about it; returns 0 or the negative error.
static long gitspace_examine(int folder, const char *path, int flags, struct stat *status) {
    int file = (int)syscall(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0);
    if (file < 0) return -errno;
    long result = status != 0 && syscall(SYS_fstat, file, status) != 0 ? -errno : 0;
    syscall(SYS_close, file);
    return result;
}

/// Answers a call that examines a file by its path, instead of the kernel. stat(2) and access(2) are not subject to
/// Landlock, and glibc before 2.39 uses one of them for fstat(3). The C library and OpenSSL need the answers about
/// readable files.
static void gitspace_answer_call(int signal, siginfo_t *information, void *registers) {
    (void)signal;
    ucontext_t *context = (ucontext_t *)registers;
    const long first = GITSPACE_ARGUMENT(context, 0), second = GITSPACE_ARGUMENT(context, 1);
    const long third = GITSPACE_ARGUMENT(context, 2), fourth = GITSPACE_ARGUMENT(context, 3);
    const int before = errno;
    long result = -EPERM;
    switch (information->si_syscall) {
    case SYS_newfstatat:
        // AT_EMPTY_PATH: the descriptor itself.
        if ((fourth & 0x1000) && *(const char *)second == 0) {
            result = syscall(SYS_fstat, (int)first, (struct stat *)third) != 0 ? -errno : 0;
        } else {
            result = gitspace_examine(
                (int)first, (const char *)second, fourth & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0, (struct stat *)third);
        }
        break;
    case SYS_faccessat:
        result = third & (W_OK | X_OK) ? -EACCES : gitspace_examine((int)first, (const char *)second, 0, 0);
        break;
#ifdef SYS_stat
    case SYS_stat:
        result = gitspace_examine(AT_FDCWD, (const char *)first, 0, (struct stat *)second);
        break;
    case SYS_lstat:
        result = gitspace_examine(AT_FDCWD, (const char *)first, O_NOFOLLOW, (struct stat *)second);
        break;
    case SYS_access:
        result = second & (W_OK | X_OK) ? -EACCES : gitspace_examine(AT_FDCWD, (const char *)first, 0, 0);
        break;
#endif
    }
    errno = before;
    GITSPACE_RESULT(context) = result;
}
#endif

/// Answers calls that a filter traps; returns 0 for success, and -1 also on an architecture whose registers are unknown
/// here.
static inline int gitspace_answer_calls(void) {
#ifdef GITSPACE_RESULT
    struct sigaction action = {0};
    action.sa_sigaction = gitspace_answer_call;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGSYS, &action, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

#endif
