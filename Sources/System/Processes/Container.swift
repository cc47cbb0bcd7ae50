/// Whether this process runs in a container.
package enum Container {
    /// What engines leave to be seen from inside: podman-run(1) names the first file, docker makes the second, and
    /// systemd writes the third for all that follow its Container Interface.
    private static let marks = ["/run/.containerenv", "/.dockerenv", "/run/systemd/container"]

    /// Only good for a hint: anyone inside could make or remove a mark.
    package static var isHere: Bool { marks.contains { FileStatus($0) != nil } }
}
