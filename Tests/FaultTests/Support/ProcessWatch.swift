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
            guard environment.contains(home) else { continue }
            sightings.texts.insert(environment)
            sightings.texts.insert(contents("cmdline", of: process))
            sightings.programs.insert(URL(filePath: program(of: process)).lastPathComponent)
        }
    }

    private static func contents(_ file: String, of process: pid_t) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data(), as: UTF8.self)
    }
}
