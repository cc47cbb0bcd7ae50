import Staging
import Synchronization

/// Reads arguments and environment of a session's processes repeatedly while something runs.
final class ProcessWatch: Sendable {
    /// The texts that a user with sufficient rights could have read.
    struct Sightings {
        var texts: Set<String> = []
        /// The programs' names, without folders.
        var programs: Set<String> = []
    }

    private let home: String
    private let sightings = Mutex(Sightings())
    private let isOver = Mutex(false)

    private init(of session: Session) { home = "HOME=" + session.home }

    /// Runs `body`, and reads the processes as often as the machine allows.
    ///
    /// A thread is used instead of a task: other tests may occupy all threads for tasks.
    static func during(_ session: Session, _ body: (ProcessWatch) async throws -> Void) async throws -> Sightings {
        let watch = ProcessWatch(of: session)
        Thread { while !watch.isOver.withLock({ $0 }) { watch.look() } }.start()
        defer { watch.isOver.withLock { $0 = true } }
        try await body(watch)
        return watch.sightings.withLock { $0 }
    }

    /// Waits until a program has been seen: on a busy machine, it may run between two looks.
    func sees(_ program: String) async throws {
        try await eventually("a look at \(program)") { sightings.withLock { $0.programs.contains(program) } }
    }

    private func look() {
        for process in allProcesses() {
            let environment = Self.contents("environ", of: process)
            // Only root can read a protected program's environment; that of the git which runs it is readable.
            let belongs = environment.isEmpty ? Self.contents("environ", of: Self.parent(of: process)) : environment
            guard belongs.contains(home) else { continue }
            let arguments = Self.contents("cmdline", of: process)
            let program = URL(filePath: program(of: process)).lastPathComponent
            sightings.withLock {
                $0.texts.formUnion([environment, arguments])
                $0.programs.insert(program)
            }
        }
    }

    /// The parent of a process; 0 if it has ended.
    private static func parent(of process: pid_t) -> pid_t {
        let fields = statusFields(of: process)
        return fields.count > 1 ? pid_t(fields[1]) ?? 0 : 0
    }

    private static func contents(_ file: String, of process: pid_t) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data(), as: UTF8.self)
    }
}
