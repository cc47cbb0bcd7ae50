import Foundation
import Glibc
import Staging

/// Reads arguments and environment of every process of a session, over and over, while something runs.
enum ProcessWatch {
    /// What anybody with the right to look could have read.
    struct Sightings {
        /// Every text that was seen, once.
        var texts: Set<String> = []
        /// The programs, by the last part of their names.
        var programs: Set<String> = []
    }

    /// Runs `body`, and looks at the processes as often as the machine allows.
    static func during(_ session: Session, _ body: () async throws -> Void) async throws -> Sightings {
        let home = "HOME=" + session.home
        let watch = Task.detached {
            var sightings = Sightings()
            while !Task.isCancelled {
                look(for: home, &sightings)
                await Task.yield()
            }
            return sightings
        }
        defer { watch.cancel() }
        try await body()
        watch.cancel()
        return await watch.value
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

    /// proc(5), stat: behind the name in parentheses come the state and the parent. 0 if the process is gone.
    private static func parent(of process: pid_t) -> pid_t {
        let fields = contents("stat", of: process).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 ? pid_t(fields[1]) ?? 0 : 0
    }

    private static func contents(_ file: String, of process: pid_t) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data(), as: UTF8.self)
    }
}
