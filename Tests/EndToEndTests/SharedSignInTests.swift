import Foundation
import Glibc
import Staging
import Testing

/// One file in a container, and a socket of the machine around it.
@Suite("A sign-in that another machine shares", .enabled(if: EmptyRoot.isAvailable, "needs user namespaces"))
struct SharedSignInTests {
    private static let request = "protocol=https\nhost=github.com\n"
    private static let answer = "username=monalisa\npassword=ghu_shared\npassword_expiry_utc="

    /// A root, and a folder for it that is mounted where engines are told to mount it.
    private func place() throws -> (root: EmptyRoot, folder: String, mount: String) {
        let root = try EmptyRoot()
        let folder = try root.folder("box")
        return (root, folder, folder + ":/run/gitspace")
    }

    @Test(
        "alone in an empty root, the program hands on the token, as either user",
        arguments: [EmptyRoot.User.root, .same])
    func answers(user: EmptyRoot.User) async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(.answers, at: folder + "/socket")
        let end = try await root.run(["get"], as: user, mounts: [mount], input: Self.request)
        #expect(
            end.status == 0 && end.errors.isEmpty && end.output.hasPrefix(Self.answer), "\(end.errors)\(end.output)")
        #expect(end.output.split(separator: "\n").count == 3)
        #expect(share.requests == [["action=get", "timeout=900", "protocol=https", "host=github.com"]])
    }

    @Test("what a server, a repository or a person has written is not sent")
    func sent() async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(.answers, at: folder + "/socket")
        let lines = "protocol=HTTPS\nhost=GitHub.com\nusername=monalisa\npath=acme/x.git\n"
        let more = "password=typed\nwwwauth[]=Basic realm=\"x\"\ncapability[]=state\nstate[]=other:1\n"
        let end = try await root.run(["get"], mounts: [mount], input: lines + more)
        #expect(
            end.output.contains("state[]=gitspace:") && end.output.contains("password=ghu_shared\n"), "\(end.errors)")
        let base = ["timeout=900", "protocol=https", "host=github.com", "path=acme/x.git", "username=monalisa"]
        #expect(share.requests == [["action=get"] + base])
    }

    @Test("a password is told to be rejected by its digest alone, and storing is no affair of the other machine's")
    func password() async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(.answers, at: folder + "/socket")
        let pair = Self.request + "username=monalisa\npassword=ghu_shared\n"
        for (operation, more) in [("store", "password_expiry_utc=4000000000\n"), ("store", ""), ("erase", "")] {
            let end = try await root.run([operation], mounts: [mount], input: pair + more)
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(operation): \(end.errors)")
        }
        try await eventually("an erase") { share.requests.count > 1 ? true : nil }
        // The `store` that knows of no end is compared with what is handed out.
        #expect(share.requests.map(\.first) == ["action=get", "action=erase"])
        for request in share.requests {
            #expect(request.contains("username=monalisa") && request.last?.hasPrefix("state[]=gitspace:") == true)
            #expect(!request.contains { $0.contains("ghu_shared") || $0.hasPrefix("password") })
        }
    }

    @Test(
        "what is wrong with an answer, or with the other side, is one line, soon, and ends the search or does not",
        arguments: [
            (.endless, "username=monalisa\npassword=ghu_shared\n", nil),
            (.twice, "quit=1\n", "sent an unexpected response"), (.control, "quit=1\n", "sent an unexpected response"),
            (.half, "quit=1\n", "sent an unexpected response"), (.floods, "quit=1\n", "sent an unexpected response"),
            (.other, "quit=1\n", "sent an unexpected response"), (.expired, "quit=1\n", "has expired"),
            (.quit, "quit=1\n", "has not shared its token for github.com"),
            (.nothing, "", "no token for github.com is shared"), (.resets, "", "nobody listens at the shared socket"),
            (.gone, "", "nobody listens at the shared socket"), (.full, "", "nobody listens at the shared socket"),
        ] as [(ScriptedShare.Mode, String, String?)])
    func faults(mode: ScriptedShare.Mode, output: String, line: String?) async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(mode, at: folder + "/socket")
        let end = try await root.run(["get"], mounts: [mount], input: Self.request + "username=monalisa\n")
        #expect(end.output == output)
        #expect(end.errors.split(separator: "\n").count == (line == nil ? 0 : 1), "\(end.errors)")
        if let line { #expect(end.errors.contains(line), "\(end.errors)") }
        #expect(end.errors.isEmpty || end.errors.contains("git credential-gitspace share"))
        // A question that nobody answers takes forty seconds.
        #expect(end.duration < .seconds(35))
        // A socket that somebody else has put there is not ours to remove.
        #expect(FileManager.default.fileExists(atPath: folder + "/socket"))
        withExtendedLifetime(share) {}
    }

    @Test("other lines of the answer are not handed on")
    func lies() async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(.lies, at: folder + "/socket")
        let end = try await root.run(["get"], mounts: [mount], input: Self.request)
        #expect(end.output.hasPrefix(Self.answer) && end.output.split(separator: "\n").count == 3, "\(end.output)")
        withExtendedLifetime(share) {}
    }

    @Test(
        "whoever says nothing, or too slowly, is waited for forty seconds",
        arguments: [ScriptedShare.Mode.hangs, .dribbles])
    func late(mode: ScriptedShare.Mode) async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(mode, at: folder + "/socket")
        let end = try await root.run(["get"], mounts: [mount], input: Self.request)
        #expect(end.output == "quit=1\n" && end.errors.contains("did not answer in time"), "\(end.errors)")
        #expect(end.duration >= .seconds(40))
        withExtendedLifetime(share) {}
    }

    @Test("where nothing is shared, one line says so, and a verb has no half of its own")
    func nothing() async throws {
        let root = try EmptyRoot()
        let end = try await root.run(["get"], input: Self.request)
        #expect(end.status == 1 && end.output.isEmpty)
        #expect(
            end.errors == """
                gitspace: error: no keyring here, and no machine shares its sign-in with this one; on the machine with \
                the keyring, run: git credential-gitspace share

                """)
        let pair = Self.request + "username=monalisa\npassword=x\n"
        for operation in ["store", "erase"] {
            let end = try await root.run([operation], input: pair)
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end.errors)")
        }
        #expect(try await root.run(["status"]).errors.contains("git credential-gitspace share"))
    }

    @Test("over anything but https, nothing is asked", arguments: ["http", "ftp", "imap"])
    func plain(scheme: String) async throws {
        let (root, folder, mount) = try place()
        let share = try await ScriptedShare(.answers, at: folder + "/socket")
        for host in ["github.com", "git.example"] {
            let end = try await root.run(["get"], mounts: [mount], input: "protocol=\(scheme)\nhost=\(host)\n")
            #expect(end.output.isEmpty)
        }
        #expect(share.requests.isEmpty)
    }
}
