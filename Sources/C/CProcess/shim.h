// Functions for variadic functions and macros of the C library, and for calls that Swift's Glibc module lacks.
#ifndef GITSPACE_CPROCESS_SHIM_H
#define GITSPACE_CPROCESS_SHIM_H

#include <dirent.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// GNU extensions, declared here because the module is compiled without _GNU_SOURCE; and getxattr, since <sys/xattr.h>
// would make types of <time.h> this module's.
extern int pipe2(int ends[2], int flags);
extern int renameat2(int from, const char *old, int to, const char *new, unsigned int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern ssize_t getxattr(const char *path, const char *name, void *value, size_t size);
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// The OAuth client IDs that a distributor builds in (`make GITHUB_CLIENT_ID=…` and the like), or empty texts.
#ifndef GITSPACE_GITHUB_CLIENT_ID
#define GITSPACE_GITHUB_CLIENT_ID ""
#endif
#ifndef GITSPACE_GITLAB_CLIENT_ID
#define GITSPACE_GITLAB_CLIENT_ID ""
#endif
#ifndef GITSPACE_CODEBERG_CLIENT_ID
#define GITSPACE_CODEBERG_CLIENT_ID ""
#endif

/// Forbids core dumps and ptrace, and makes the /proc entry root's: prctl(2), PR_SET_DUMPABLE.
static inline int gitspace_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Sends `signal` to this process when its parent ends: prctl(2), PR_SET_PDEATHSIG.
static inline int gitspace_end_with_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

/// Makes a pipe whose ends no child inherits: pipe2(2).
static inline int gitspace_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

/// Exchanges two files: renameat2(2), RENAME_EXCHANGE.
static inline int gitspace_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, 1 << 1);
}

/// Closes all descriptors from `first` on in a child: posix_spawn_file_actions_addclosefrom_np (glibc 2.34).
static inline int gitspace_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// Returns a descriptor that becomes readable when a process has ended, and that no child inherits: pidfd_open(2), in
/// glibc since 2.36 and Linux since 5.3; -1 where it is missing.
static inline int gitspace_process_descriptor(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/// Makes a file in memory: memfd_create(2).
static inline int gitspace_memory_file(const char *name) {
    return memfd_create(name, 0);
}

/// The name of the next entry of a directory, or a null pointer at the end: readdir(3), whose name Swift imports as a
/// tuple.
static inline const char *gitspace_next_entry(DIR *directory) {
    struct dirent *entry = readdir(directory);
    return entry ? entry->d_name : 0;
}

/// Returns a descriptor that becomes readable when one of `signals` is pending: signalfd(2).
static inline int gitspace_signal_descriptor(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Takes and returns a pending signal, or 0 if there is none.
static inline int gitspace_take_signal(int descriptor) {
    struct signalfd_siginfo information;
    return read(descriptor, &information, sizeof information) > 0 ? (int)information.ssi_signo : 0;
}

/// Accepts a connection as a descriptor that no child inherits and that does not block: accept4(2).
static inline int gitspace_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// The process at the other end of a connection when it connected: unix(7), SO_PEERCRED. The same structure as `struct
/// ucred`, which needs _GNU_SOURCE.
struct gitspace_peer {
    int process;
    unsigned int user;
    unsigned int group;
};

/// Returns 0 if the kernel knows the other end.
static inline int gitspace_peer_of(int connection, struct gitspace_peer *peer) {
    socklen_t length = sizeof *peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, peer, &length);
}

static inline const char *gitspace_github_client_id(void) {
    return GITSPACE_GITHUB_CLIENT_ID;
}

static inline const char *gitspace_codeberg_client_id(void) {
    return GITSPACE_CODEBERG_CLIENT_ID;
}

static inline const char *gitspace_gitlab_client_id(void) {
    return GITSPACE_GITLAB_CLIENT_ID;
}

#endif
