import Foundation
import Glibc
import Testing

/// A private folder of a suite's test, removed with it.
final class TestFolder: Sendable {
    let path =
        FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/core-\(UUID().uuidString.prefix(8))"

    init() { #expect(mkdir(path, 0o700) == 0) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
