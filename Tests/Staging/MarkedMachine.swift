import Foundation
import Glibc

/// This machine with the marks of another: files that engines leave in a container, or those of SELinux.
package enum MarkedMachine {
    /// A command prefix that shows the marks to the command after it, in a mount namespace, which needs root.
    ///
    /// The marks are paths of files, such as `/.dockerenv`; none may exist on this machine.
    package static func command(_ marks: String..., in session: Session) throws -> [String] {
        let manager = FileManager.default
        let folders = try manager.contentsOfDirectory(atPath: "/").map { "/" + $0 }.filter { path in
            var isFolder: ObjCBool = false
            let isThere = manager.fileExists(atPath: path, isDirectory: &isFolder)
            return isThere && isFolder.boolValue && !["/proc", "/run", "/sys"].contains(path)
        }
        let own = String(session.home.dropLast("/home".count))
        let binds = (folders + [own]).map { "\($0):\($0)" } + marks.map { "/dev/null:\($0)" }
        return [BuiltFiles.script("in-namespace.sh"), "--root"] + binds.flatMap { ["--bind", $0] } + ["--"]
    }
}

/// Mount namespaces that root makes, in which a test is another user or on another machine.
package enum RootsNamespaces {
    /// Whether this process can make one: unshare(1) fails in a chroot(2) whose root is not a mount point.
    package static let areAvailable =
        geteuid() == 0 && (try? RunningProgram.run(["unshare", "--mount", "true"]).status) == 0

    /// The reason for a skip if they are unavailable.
    package static let need = geteuid() == 0 ? "needs a root folder that is a mount" : "needs root"
}

/// The environment of cron(8), systemd's timers and `env -i`: a person's programs outside their session.
package enum CronEnvironment {
    private static let script = BuiltFiles.script("as-cron.sh")
    /// Whether this machine lets the tests have their own /run; otherwise they would see that of the person.
    package static let isAvailable = (try? RunningProgram.run([script, "-", "true"]).status) == 0

    /// The command line that runs another command in that environment.
    package static func command(withBusOf session: Session?, _ command: [String]) -> [String] {
        [script, session.map(bus) ?? "-", "env"] + command
    }

    package static func bus(of session: Session) -> String { (session.environment["XDG_RUNTIME_DIR"] ?? "") + "/bus" }
}
