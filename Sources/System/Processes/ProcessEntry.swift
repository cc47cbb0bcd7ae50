internal import Glibc

/// What proc(5) says about a process.
package enum ProcessEntry {
    /// The program and its arguments; nil if the process is gone, or is a kernel thread.
    package static func arguments(of process: Int32) -> [[UInt8]]? {
        contents("/proc/\(process)/cmdline").map { $0.split(separator: 0).map(Array.init) }
    }

    /// The process ID of the parent.
    static func parent(of process: pid_t) -> pid_t? {
        field(4, of: process).flatMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    }

    /// When the process started, in a form that is only useful for comparison; nil if it has ended.
    static func start(of process: pid_t) -> [UInt8]? {
        // A process that has ended remains as a zombie until its parent has read its status.
        guard let state = field(3, of: process), state != Array("Z".utf8) else { return nil }
        return field(22, of: process)
    }

    /// A field of `/proc/PID/stat`, numbered as in the manual.
    ///
    /// The second field, the name, can contain anything, but ends at the last parenthesis.
    private static func field(_ number: Int, of process: pid_t) -> [UInt8]? {
        guard let status = contents("/proc/\(process)/stat"), let nameEnd = status.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = status[(nameEnd + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > number - 3 ? Array(fields[number - 3]) : nil
    }

    /// The beginning is enough: no git command and no status is that long.
    private static func contents(_ path: String) -> [UInt8]? { FileReader.beginning(of: path, atMost: 4_096) }
}
