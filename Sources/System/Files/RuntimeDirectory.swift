internal import Glibc

/// `XDG_RUNTIME_DIR` (XDG Base Directory Specification).
package enum RuntimeDirectory {
    /// Where pam_systemd(8) creates it, and whatever starts processes without that module does not name it.
    package static var usual: String { "/run/user/\(geteuid())" }

    /// Whether or not it exists; nil for one that is named and not absolute, which counts as none.
    package static func path(environment: (String) -> String?) -> String? {
        guard let named = environment("XDG_RUNTIME_DIR"), !named.isEmpty else { return usual }
        return Path.isAbsolute(named) ? named : nil
    }
}
