import CredentialCore
import Testing

@testable import Share

@Suite("gateway: patterns of branches")
struct BranchPatternTests {
    private func matches(_ pattern: String, _ ref: String) -> Bool {
        BranchPattern(pattern)?.matches(Array(ref.utf8)[...]) == true
    }

    @Test(
        "matches a branch by its name, with a star for any text",
        arguments: [
            ("agent/*", "refs/heads/agent/fix"), ("agent/*", "refs/heads/agent/a/b/c"),
            ("refs/heads/agent/*", "refs/heads/agent/fix"), ("agent/*", "refs/heads/agent/한국어"),
            ("*", "refs/heads/main"), ("*", "refs/heads/a/b"), ("agent", "refs/heads/agent"),
            ("agent*", "refs/heads/agent"), ("agent*", "refs/heads/agentx/y"), ("*-agent", "refs/heads/fix-agent"),
            ("a*z", "refs/heads/az"), ("a*z", "refs/heads/a/b/z"), ("작업/*", "refs/heads/작업/하나"),
            ("agent/@", "refs/heads/agent/@"), ("agent/*", "refs/heads/agent/HEAD"), ("agent/*", "refs/heads/agent/-x"),
            ("heads/*", "refs/heads/heads/x"),
        ])
    func inside(pattern: String, ref: String) { #expect(matches(pattern, ref)) }

    @Test(
        "matches no other ref",
        arguments: [
            ("agent/*", "refs/heads/agent"), ("agent/*", "refs/heads/agent/"), ("agent/*", "refs/heads/agentx/y"),
            ("agent/*", "refs/heads/Agent/x"), ("agent/*", "refs/heads/agent/../main"),
            ("agent/*", "refs/heads/agent/.."), ("agent/*", "refs/heads/agent/./x"), ("agent/*", "refs/heads/agent//x"),
            ("agent/*", "refs/heads//agent/x"), ("agent/*", "refs/heads/agent/x\n"),
            ("agent/*", "refs/heads/agent/x\nrefs/heads/main"), ("agent/*", "refs/heads/agent/x\u{0}"),
            ("agent/*", "refs/heads/agent/x y"), ("agent/*", "agent/x"), ("agent/*", "heads/agent/x"),
            ("agent/*", "refs/tags/agent/x"), ("agent/*", "refs/remotes/agent/x"), ("agent/*", "refs/notes/agent/x"),
            ("agent/*", "refs/for/agent/x"), ("agent/*", "refs/heads/main"), ("agent/*", "refs/heads/x/agent/y"),
            ("agent/*", "refs/heads/refs/heads/agent/x"), ("agent/*", "HEAD"), ("agent/*", ""),
            ("agent/*", "refs/heads/"), ("agent/*", "/refs/heads/agent/x"), ("agent/*", "refs/heads/agent/x.lock"),
            ("agent/*", "refs/heads/agent/x.lock/y"), ("agent/*", "refs/heads/agent/.x"),
            ("agent/*", "refs/heads/agent/x."), ("agent/*", "refs/heads/agent/x..y"),
            ("agent/*", "refs/heads/agent/x@{1}"), ("agent/*", "refs/heads/agent/x~1"),
            ("agent/*", "refs/heads/agent/x^"), ("agent/*", "refs/heads/agent/x:y"), ("agent/*", "refs/heads/agent/x?"),
            ("agent/*", "refs/heads/agent/*"), ("agent/*", "refs/heads/agent/[x]"),
            ("agent/*", "refs/heads/agent/x\\y"), ("agent/*", "refs/heads/agent/x\u{7f}"),
            ("agent/*", "refs/heads/agent\u{ff0f}x"), ("agent/*", "refs/heads/\u{430}gent/x"),
            ("é*", "refs/heads/e\u{301}x"), ("agent", "refs/heads/agent/x"), ("agent", "refs/heads/agen"),
            ("a*a", "refs/heads/a"), ("ab*ba", "refs/heads/aba"), ("*", "refs/tags/v1"), ("*", "refs/heads/../tags/v1"),
            ("*", "refs/heads/a.lock"), ("*-agent", "refs/heads/agent-x"), ("a*z", "refs/heads/a/b/y"),
        ])
    func outside(pattern: String, ref: String) { #expect(BranchPattern(pattern) != nil && !matches(pattern, ref)) }

    @Test(
        "refuses a pattern that can match no branch",
        arguments: [
            "", "*/*", "**", "/x", "x/", "a//b", ".x", "x/.y", "x..y", "x.lock", "x/*.lock", "x y", "x\n", "x~", "x^",
            "x:y", "x?", "[x]", "x\\y", "x@{y", "x.", "refs/tags/*", "refs/*", "refs/heads", "refs/heads/",
            "refs/notes/x", "x\u{0}", "x\u{7f}", "x/../main", "./x", "+x", "a:b",
        ])
    func invalid(pattern: String) { #expect((BranchPattern(pattern) == nil) == (pattern != "+x")) }

    @Test("accepts a pattern as long as a branch may be, and refuses one byte more")
    func longest() {
        #expect(BranchPattern(String(repeating: "a", count: 255)) != nil)
        #expect(BranchPattern(String(repeating: "a", count: 256)) == nil)
    }

    @Test("has a short name for display")
    func shown() {
        #expect(BranchPattern("refs/heads/agent/*")?.displayName == "agent/*")
        #expect(BranchPattern("refs/heads/agent/*") == BranchPattern("agent/*"))
        #expect(BranchPattern("\u{202e}x")?.displayName == "\\xe2\\x80\\xaex")
    }
}
