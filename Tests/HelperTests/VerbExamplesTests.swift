import TestSupport
import Testing

@Suite("Examples in -h")
struct VerbExamplesTests {
    @Test("each verb has two or three of its own, which it can parse")
    func examples() throws {
        for verb in verbs {
            let (name, examples) = try parsedExamples(of: verb)
            #expect((2...3).contains(examples.count), "\(name)")
            #expect(examples.filter { $0.first != name }.count <= (name == "share list" ? 1 : 0), "\(name)")
            // Each is one line that can be pasted, at any width of the terminal.
            let lines = ParserWords.lines(help(of: verb), columns: 30)
            let whole = help(of: verb).split(separator: "\n").filter { $0.hasPrefix("  git credential-gitspace ") }
            #expect(whole.count >= 2 && whole.allSatisfy { lines.contains(String($0)) }, "\(lines)")
        }
    }
}
