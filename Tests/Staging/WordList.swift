import Foundation
import Testing

/// A list in Tests/Support of what people read in each state that decides it.
package enum WordList {
    /// Compares words with a list, or writes the list if GITSPACE_TEST_WRITE=1.
    package static func compare(_ words: String, with name: String) throws {
        let file = URL(filePath: BuiltFiles.script(name))
        if ProcessInfo.processInfo.environment["GITSPACE_TEST_WRITE"] == "1" {
            try words.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("\(name) was written, and not compared")
            return
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        for (now, then) in zip(words.split(separator: "\n"), expected.split(separator: "\n")) where now != then {
            Issue.record("\(now), and not \(then)")
            return
        }
        #expect(words == expected)
    }
}
