import Foundation
import Testing

/// A list in Tests/Support of what people read in each state that decides it.
package enum WordList {
    /// Compares words with a list, and writes the list first if GITSPACE_TEST_WRITE=1.
    package static func compare(_ words: String, with name: String) throws {
        let file = URL(filePath: BuiltFiles.script(name))
        if ProcessInfo.processInfo.environment["GITSPACE_TEST_WRITE"] != nil {
            try words.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        for (now, then) in zip(words.split(separator: "\n"), expected.split(separator: "\n")) where now != then {
            Issue.record("\(now), and not \(then)")
            return
        }
        #expect(words == expected)
    }
}
