internal import Glibc

/// proc(5).
package enum ProcessEntry {
    /// Includes the program; `nil` if the process is gone or a kernel thread.
    package static func arguments(of process: Int32) -> [[UInt8]]? {
        contents("/proc/\(process)/cmdline").map { $0.split(separator: 0).map(Array.init) }
    }

    static func parent(of process: pid_t) -> pid_t? { number(4, of: process) }
    static func group(of process: pid_t) -> pid_t? { number(5, of: process) }
    static func session(of process: pid_t) -> pid_t? { number(6, of: process) }

    private static func number(_ field: Int, of process: pid_t) -> pid_t? {
        self.field(field, of: process).flatMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    }

    /// The number of the controlling terminal, or `nil` if there is none.
    static func terminal(of process: pid_t) -> String? {
        field(7, of: process).flatMap { $0 == Array("0".utf8) ? nil : String(decoding: $0, as: UTF8.self) }
    }

    /// The displayable name; for a script its own, not its interpreter's.
    ///
    /// The kernel knows the file that was run, even a script, until the process renames itself, as Node.js does; it
    /// keeps 15 bytes (proc(5), comm). They are used only if an argument's file name begins with them.
    static func name(of process: pid_t) -> String? {
        guard let arguments = arguments(of: process) else { return nil }
        let names = arguments.prefix(2).compactMap { $0.split(separator: UInt8(ascii: "/")).last.map(Array.init) }
        let kernels = contents("/proc/\(process)/comm")?.dropLast() ?? []
        let isOfScript = names.count > 1 && (kernels.count == 15 ? names[1].starts(with: kernels) : names[1] == kernels)
        guard let name = isOfScript ? names[1] : names.first else { return nil }
        let isPlain = name.allSatisfy { (0x21...0x7e).contains($0) } && name.count <= longestName
        return isPlain ? String(decoding: name, as: UTF8.self) : nil
    }

    private static let longestName = 40

    /// pid_namespaces(7); empty if unknown.
    static var namespace: [UInt8] { Array(((try? Path.target(ofLink: "/proc/self/ns/pid")) ?? "").utf8) }

    /// The start time, useful only for comparison, or `nil` if the process has ended.
    static func start(of process: pid_t) -> [UInt8]? {
        // A process that has ended remains as a zombie until its parent has read its status.
        guard let state = field(3, of: process), state != Array("Z".utf8) else { return nil }
        return field(22, of: process)
    }

    /// A field of `/proc/PID/stat`, numbered as in the manual; the name can contain anything, even parentheses.
    private static func field(_ number: Int, of process: pid_t) -> [UInt8]? {
        guard let status = contents("/proc/\(process)/stat"), let nameEnd = status.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = status[(nameEnd + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > number - 3 ? Array(fields[number - 3]) : nil
    }

    /// Reads the beginning, which is enough: no git command and no status is that long.
    private static func contents(_ path: String) -> [UInt8]? { FileReader.beginning(of: path, atMost: 4_096) }
}

/// A process identified by its ID and its start time, because IDs are reused.
package struct WatchedProcess {
    private let number: pid_t
    private let start: [UInt8]

    init?(_ number: pid_t) {
        guard let start = ProcessEntry.start(of: number) else { return nil }
        self.number = number
        self.start = start
    }

    package var hasEnded: Bool { ProcessEntry.start(of: number) != start }
}

package enum Container {
    /// Files of podman (podman-run(1)), of docker, and of systemd's Container Interface.
    private static let marks = ["/run/.containerenv", "/.dockerenv", "/run/systemd/container"]

    /// Only a hint, since anyone inside could make or remove a mark.
    package static var isHere: Bool { marks.contains { FileStatus($0) != nil } }
}
