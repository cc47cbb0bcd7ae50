import Glibc

/// Mount namespaces of root, in which a test is another user, or on another machine.
package enum RootsNamespaces {
    /// Whether the tests can make one: unshare(1) cannot in a chroot(2) whose root is no mount.
    package static let areAvailable =
        geteuid() == 0 && (try? RunningProgram.run(["unshare", "--mount", "true"]).status) == 0

    /// Why a test is left out where they are not.
    package static let need = geteuid() == 0 ? "needs a root folder that is a mount" : "needs root"
}
