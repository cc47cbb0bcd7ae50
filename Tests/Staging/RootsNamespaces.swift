import Glibc

/// Mount namespaces that root makes, in which a test is another user or on another machine.
package enum RootsNamespaces {
    /// Whether this process can make one: unshare(1) fails in a chroot(2) whose root is not a mount point.
    package static let areAvailable =
        geteuid() == 0 && (try? RunningProgram.run(["unshare", "--mount", "true"]).status) == 0

    /// The reason for a skip if they are unavailable.
    package static let need = geteuid() == 0 ? "needs a root folder that is a mount" : "needs root"
}
