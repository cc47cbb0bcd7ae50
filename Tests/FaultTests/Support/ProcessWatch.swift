import Foundation
import Glibc
import Staging
import Synchronization

/// Reads arguments and environment of every process of a session, over and over, while something runs.
final class ProcessWatch: Sendable {
    /// What anybody with the right to look could have read.
    struct Sightings {
        /// Every text that was seen, once.
        var texts: Set<String> = []
        /// The programs, by the last part of their names.
        var programs: Set<String> = []
    }

    private let home: String
    private let sightings = Mutex(Sightings())
    private let isOver = Mutex(false)

    private init(of session: Session) { home = "HOME=" + session.home }

    /// Runs `body`, and looks at the processes as often as the machine allows.
    ///
    /// A thread does it, and not a task: other tests may keep all the threads that tasks have.
    static func during(_ session: Session, _ body: (ProcessWatch) async throws -> Void) async throws -> Sightings {
        let watch = ProcessWatch(of: session)
        Thread { while !watch.isOver.withLock({ $0 }) { watch.look() } }.start()
        defer { watch.isOver.withLock { $0 = true } }
        try await body(watch)
        return watch.sightings.withLock { $0 }
    }

    /// Waits until a program has been seen: on a busy machine, one may come and go between two looks.
    func sees(_ program: String) async throws {
        try await eventually("a look at \(program)") {
            sightings.withLock { $0.programs.contains(program) } ? true : nil
        }
    }

    private func look() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in names.compactMap({ pid_t($0) }) {
            let environment = Self.contents("environ", of: process)
            // Of a program that protects itself only root sees the environment; the git that runs it hides nothing.
            let belongs =
                environment.isEmpty ? Self.contents("environ", of: Self.parent(of: process)) : environment
            guard belongs.contains(home) else { continue }
            let arguments = Self.contents("cmdline", of: process)
            let program = URL(filePath: program(of: process)).lastPathComponent
            sightings.withLock {
                $0.texts.formUnion([environment, arguments])
                $0.programs.insert(program)
            }
        }
    }

    /// Who started a process; 0 if it is gone.
    private static func parent(of process: pid_t) -> pid_t {
        // proc(5), stat: behind the name in parentheses come the state and the parent.
        let fields = contents("stat", of: process).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 ? pid_t(fields[1]) ?? 0 : 0
    }

    private static func contents(_ file: String, of process: pid_t) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data(), as: UTF8.self)
    }
}
