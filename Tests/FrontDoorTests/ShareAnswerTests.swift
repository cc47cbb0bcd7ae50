import CredentialCore
import Staging
import Testing

@testable import ShareClient

@Suite("What another machine may say")
struct ShareAnswerTests {
    private static let now: Int64 = 1_000_000

    /// What is taken from an answer: the lines for git, or why there are none.
    private func read(_ text: String, as username: String? = nil) -> String {
        do throws(ShareFailure) {
            let answer = try ShareAnswer(
                parsing: Array(text.utf8), askedAs: username.map { Array($0.utf8) }, at: Self.now)
            switch answer {
            case .nothing: return "nothing"
            case .quit: return "quit"
            case .credential(let credential):
                let password = credential.password.reveal { String(decoding: $0, as: UTF8.self) }
                let expiry = credential.passwordExpiryUTC.map { " until \($0)" } ?? ""
                return "\(String(decoding: credential.username, as: UTF8.self)) \(password)\(expiry)"
            }
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "a name, a password and its end are taken, and nothing else",
        arguments: [
            ("username=a\npassword=b\n", "a b"),
            ("password=b\nusername=a\npassword_expiry_utc=1000001\n", "a b until 1000001"),
            ("username=a\npassword=b\noauth_refresh_token=r\nhost=evil\nstate[]=x\nwhatever=1\n", "a b"),
            ("username=a\npassword=b\n\nusername=c\n", "a b"), ("", "nothing"), ("\n", "nothing"),
            ("host=x\n", "nothing"),
            ("quit=1\n", "quit"), ("quit=true\n", "quit"), ("username=a\npassword=b\nquit=1\n", "quit"),
            ("username=a\npassword=b\nquit=0\n", "a b"), ("username=\npassword=b\n", " b"),
            ("username=a\npassword=b=c\n", "a b=c"),
        ])
    func taken(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(
        "what is half, twice, or not a line is no answer",
        arguments: [
            "username=a\npassword=b", "username=a\n", "password=b\n", "username=a\npassword=\n", "nonsense\n",
            "username=a\npassword=b\npassword=b\n", "username=a\nusername=b\npassword=c\n",
            "username=a\r\npassword=b\r\n", "username=a\u{1b}[2J\npassword=b\n", "username=a\npassword=b\u{0}\n",
            "password_expiry_utc=2000000\n",
            "username=a\npassword=b\npassword_expiry_utc=2000000\npassword_expiry_utc=2000000\n",
        ])
    func unexpected(text: String) { #expect(read(text) == "unexpected") }

    @Test(
        "a token that has expired is not handed on, nor one whose end nobody can read",
        arguments: ["1000000", "999999", "0", "-5", "", "never", "99999999999999999999"])
    func expired(end: String) { #expect(read("username=a\npassword=b\npassword_expiry_utc=\(end)\n") == "expired") }

    @Test("another account than the one that was asked for is no answer")
    func account() {
        #expect(read("username=a\npassword=b\n", as: "a") == "a b")
        #expect(read("username=b\npassword=b\n", as: "a") == "unexpected")
        #expect(read("username=A\npassword=b\n", as: "a") == "unexpected")
    }

    @Test("a hundred thousand answers that nobody would give", arguments: [1, 2] as [UInt64])
    func generated(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let model = Array("username=a\npassword=b\npassword_expiry_utc=1000001\nquit=0\n".utf8)
        var taken = 0
        for _ in 0..<50_000 {
            var bytes = model
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert([0, 0x0a, 0x0d, 0x3d, 0xff].randomElement(using: &generator) ?? 0, at: place)
                }
            }
            guard case .credential(let credential) = try? ShareAnswer(parsing: bytes, askedAs: nil, at: Self.now) else {
                continue
            }
            taken += 1
            let isClean = credential.password.reveal { password in
                (credential.username + password).allSatisfy { $0 >= 0x20 && $0 != 0x7f }
            }
            #expect(isClean)
        }
        #expect(taken > 1_000)
    }
}
