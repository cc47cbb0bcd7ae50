// What the C library offers only as variadic functions, as macros, or outside of Swift's Glibc module.
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

// GNU extensions, declared here because the module is compiled without _GNU_SOURCE; and of <sys/xattr.h>, which would
// make types of <time.h> this module's.
extern int pipe2(int ends[2], int flags);
extern int renameat2(int from, const char *old, int to, const char *new, unsigned int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern ssize_t getxattr(const char *path, const char *name, void *value, size_t size);
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// The OAuth client IDs that a distributor builds in (`make GITHUB_CLIENT_ID=…` and the like); empty means none.
#ifndef GITSPACE_GITHUB_CLIENT_ID
#define GITSPACE_GITHUB_CLIENT_ID ""
#endif
#ifndef GITSPACE_GITLAB_CLIENT_ID
#define GITSPACE_GITLAB_CLIENT_ID ""
#endif
#ifndef GITSPACE_CODEBERG_CLIENT_ID
#define GITSPACE_CODEBERG_CLIENT_ID ""
#endif

/// No core dump, no ptrace, and a /proc entry that only root may read: prctl(2), PR_SET_DUMPABLE.
static inline int gitspace_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Ends with the process that has started us.
static inline int gitspace_end_with_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

/// A pipe whose ends no child inherits: pipe2(2).
static inline int gitspace_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

/// Lets two files change places: renameat2(2), RENAME_EXCHANGE.
static inline int gitspace_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, 1 << 1);
}

/// Closes, in a child, all descriptors from `first` on: posix_spawn_file_actions_addclosefrom_np (glibc 2.34).
static inline int gitspace_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// A descriptor that becomes readable when a process of ours has ended, and that no child inherits: pidfd_open(2), which
/// glibc has since 2.36 and Linux since 5.3; -1 where there is none.
static inline int gitspace_process_descriptor(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/// A file that exists in memory only: memfd_create(2).
static inline int gitspace_memory_file(const char *name) {
    return memfd_create(name, 0);
}

/// The name of the next entry of a directory; a null pointer at its end: readdir(3), whose name Swift sees as a tuple.
static inline const char *gitspace_next_entry(DIR *directory) {
    struct dirent *entry = readdir(directory);
    return entry ? entry->d_name : 0;
}

/// A descriptor that becomes readable when one of `signals` waits: signalfd(2).
static inline int gitspace_signal_descriptor(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Takes one waiting signal, and tells which; 0 if none waits.
static inline int gitspace_take_signal(int descriptor) {
    struct signalfd_siginfo information;
    return read(descriptor, &information, sizeof information) > 0 ? (int)information.ssi_signo : 0;
}

/// The next connection that waits at a listening socket, which no child inherits and on which nothing waits: accept4(2).
static inline int gitspace_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// The other end of a connection, as it was when it connected: unix(7), SO_PEERCRED. The structure is `struct ucred`,
/// which is declared only with _GNU_SOURCE.
struct gitspace_peer {
    int process;
    unsigned int user;
    unsigned int group;
};

/// Asks for it; 0 if the kernel knows.
static inline int gitspace_peer_of(int connection, struct gitspace_peer *peer) {
    socklen_t length = sizeof *peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, peer, &length);
}

/// The client ID of github.com that was built in, or an empty string.
static inline const char *gitspace_github_client_id(void) {
    return GITSPACE_GITHUB_CLIENT_ID;
}

/// The client ID of codeberg.org that was built in, or an empty string.
static inline const char *gitspace_codeberg_client_id(void) {
    return GITSPACE_CODEBERG_CLIENT_ID;
}

/// The client ID of gitlab.com that was built in, or an empty string.
static inline const char *gitspace_gitlab_client_id(void) {
    return GITSPACE_GITLAB_CLIENT_ID;
}

#endif
