import Foundation
import Glibc
import Staging
import Synchronization

/// Reads arguments and environment of every process of a session, over and over, while something runs.
enum ProcessWatch {
    /// What anybody with the right to look could have read.
    struct Sightings {
        /// Every text that was seen, once.
        var texts: Set<String> = []
        /// The programs, by the last part of their names.
        var programs: Set<String> = []
    }

    /// When to stop looking, and then what was seen.
    private final class Progress: Sendable {
        let isOver = Mutex(false)
        let sightings = Mutex<Sightings?>(nil)
    }

    /// Runs `body`, and looks at the processes as often as the machine allows.
    ///
    /// A thread does it, and not a task: other tests may keep all the threads that tasks have.
    static func during(_ session: Session, _ body: () async throws -> Void) async throws -> Sightings {
        let home = "HOME=" + session.home
        let progress = Progress()
        Thread {
            var sightings = Sightings()
            while !progress.isOver.withLock({ $0 }) { look(for: home, &sightings) }
            progress.sightings.withLock { [sightings] in $0 = sightings }
        }.start()
        defer { progress.isOver.withLock { $0 = true } }
        try await body()
        progress.isOver.withLock { $0 = true }
        return try await eventually("the last look") { progress.sightings.withLock { $0 } }
    }

    private static func look(for home: String, _ sightings: inout Sightings) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in names.compactMap({ pid_t($0) }) {
            let environment = contents("environ", of: process)
            // Of a program that protects itself only root sees the environment; the git that runs it hides nothing.
            let belongs = environment.isEmpty ? contents("environ", of: parent(of: process)) : environment
            guard belongs.contains(home) else { continue }
            sightings.texts.insert(environment)
            sightings.texts.insert(contents("cmdline", of: process))
            sightings.programs.insert(URL(filePath: program(of: process)).lastPathComponent)
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
