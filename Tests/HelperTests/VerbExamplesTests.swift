import TestSupport
import Testing
import Verbs

@Suite("The examples of -h")
struct VerbExamplesTests {
    @Test("each verb has two or three, of itself, and understands them")
    func examples() throws {
        for verb in verbs {
            let (name, examples) = try parsedExamples(of: verb)
            #expect((2...3).contains(examples.count), "\(name)")
            #expect(examples.filter { $0.first != name }.count <= (name == "share list" ? 1 : 0), "\(name)")
        }
    }
}
