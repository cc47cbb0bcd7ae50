import FrontDoor
import Glibc
import Staging
import TestSupport
import Testing

/// Runs Tests/Corpus/Requests against both programs: no token for another host, no question, no change.
///
/// `HostileRequestTests` has some of them for the program itself, and those that are too large to be read to the end.
@Suite("Corpus of requests")
struct RequestCorpusTests: HelperSuite {
    /// The tokens that the requests try to get, by their host.
    private static let tokens = ["github.com": "ghu_TheTokenOfGitHub", "kiosk.ghe.test": "ghu_TheTokenOfKiosk"]
    /// The limit in seconds of CPU time.
    private static let longest = 1.0
    let helper = HelperFixture()

    init() {
        // A sign-in would be possible on both hosts.
        for host in Self.tokens.keys { doubles.configure("credential", "https://\(host)", "oauthClientId", "Ov23li") }
        doubles.configure("credential", "https://kiosk.ghe.test", "provider", "github")
        for (host, user) in [("github.com", "monalisa"), ("kiosk.ghe.test", "octocat")] {
            helper.stored(
                expiresIn: nil, refreshToken: nil, clientID: "Ov23li", host: host, user: user,
                password: Self.tokens[host] ?? "")
        }
    }

    @Test("has the promised number of requests for each operation")
    func size() throws {
        let requests = try HostileRequest.all()
        #expect(requests.count >= 150)
        for operation in ["get", "store", "erase"] {
            #expect(requests.filter { $0.operations.contains(operation) }.count >= 150)
        }
    }

    /// `get` runs twice: if the front door answers, the full program is not tested.
    @Test(
        "returns no token for another host, with no request, question or change, and in little time",
        arguments: [("get", true), ("get", false), ("erase", true), ("store", true)])
    func corpus(word: String, hasFrontDoor: Bool) throws {
        let operation = try #require(Operation(rawValue: word))
        let before = doubles.keyring.items
        for request in try HostileRequest.all() where request.operations.contains(word) {
            let bytes = try request.bytes(for: word)
            if bytes.count <= HostileRequest.mostRead { try check(request, Secret(bytes), operation, hasFrontDoor) }
        }
        // A plain store keeps the password for the host that git names; our own items do not change.
        let after = doubles.keyring.items
        let ours = after.filter { item in
            // Compare bytes: Swift's own comparison would take the Kelvin sign for a `k`.
            Self.tokens.keys.contains { Array($0.utf8) == item.attributes.server }
                && item.attributes.protocol == Array("https".utf8) && item.attributes.port == nil
        }
        #expect(ours.map(\.path) == before.map(\.path) && ours.map(\.secret) == before.map(\.secret))
        if operation != .store { #expect(after.count == before.count) }
        #expect(requests.isEmpty && prompts.isEmpty)
        // No host has a token in the keyring that the request was not for.
        for (host, token) in Self.tokens { #expect(try get(host: host).contains("password=\(token)\n")) }
    }

    private func check(
        _ request: HostileRequest, _ text: Secret, _ operation: CredentialCore.Operation, _ hasFrontDoor: Bool
    ) throws {
        let what = Comment(rawValue: "\(request.name), \(operation.rawValue), front door \(hasFrontDoor)")
        doubles.ui.canBeReached = !request.wantsNoTerminal
        let begun = Self.processorSeconds
        let errors = doubles.errors.count
        let (answer, refusal) = answer(operation, text, hasFrontDoor)
        #expect(Self.processorSeconds - begun < Self.longest, what)
        let said = (Array(doubles.errors[errors...]) + (refusal.map { [$0] } ?? [])).flatMap { [$0.text] + $0.hints }
        if operation == .get, request.expectation == .answer {
            let token = Self.tokens[request.whose ?? ""] ?? ""
            #expect(answer.contains("\npassword=\(token)\n"), what)
            #expect(Self.tokens.values.filter { answer.contains($0) } == [token], what)
            #expect(said.isEmpty, what)
        } else {
            #expect(answer.isEmpty, what)
        }
        for line in said.map(\.english) {
            // Allow only printable ASCII: no part of a request is shown as it came.
            #expect(line.unicodeScalars.allSatisfy { (" "..."~").contains($0) }, "\(what): \(line)")
            #expect(!Self.tokens.values.contains { line.contains($0) }, what)
        }
    }

    /// Returns the text that git would read from the two programs, and why the request was refused.
    private func answer(_ operation: CredentialCore.Operation, _ text: Secret, _ hasFrontDoor: Bool) -> (
        String, UserFacingError?
    ) {
        let door = FrontDoor(
            environment: { _ in nil }, now: doubles.clock.now, search: { try? doubles.keyring.items(having: $0) },
            hasRefusedTokens: { false }, hasMemory: { false }, configuration: { doubles.configuration })
        if hasFrontDoor, let answer = door.answer(operation, text) { return (answer.text, nil) }
        do throws(RequestError) {
            let request = try Request(parsing: text)
            let answer = CredentialHelper(with: .forTests(doubles)).answer(operation, request)
            return (answer.encoded(for: request).text, nil)
        } catch .missing { return ("", nil) } catch { return ("", .requestRefused(error)) }
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
