import Foundation
import Glibc
import Staging
import Testing

/// Where sockets are found, and whose.
@Suite("Shared sockets", .enabled(if: EmptyRoot.isAvailable, "needs user namespaces"))
struct SharedSocketTests {
    private static let request = "protocol=https\nhost=github.com\n"

    @Test(
        "of the sockets that ssh has forwarded, the newest that answers does, and dead ones are removed",
        arguments: ["runtime", "home"])
    func forwarded(place: String) async throws {
        let root = try EmptyRoot()
        let top = try root.folder("top")
        let folder = try root.folder(place == "runtime" ? "top/gitspace" : "top/.cache/gitspace")
        let older = try await ScriptedShare(.answers, at: folder + "/older.sock", password: "ghu_older")
        let newer = try await ScriptedShare(.answers, at: folder + "/newer.sock", password: "ghu_newer")
        let silent = try await ScriptedShare(.nothing, at: folder + "/silent.sock")
        let dead = try await ScriptedShare(.gone, at: folder + "/dead.sock")
        let other = try await ScriptedShare(.gone, at: folder + "/dead.socket")
        for (name, age) in [("dead", 0), ("silent", 1), ("newer", 2), ("older", 3)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(-60 * age))],
                ofItemAtPath: "\(folder)/\(name).sock")
        }
        let end = try await root.run(
            ["get"], mounts: [top + ":/top:rw"],
            environment: place == "runtime" ? ["XDG_RUNTIME_DIR": "/top"] : ["HOME": "/top"], input: Self.request)
        #expect(end.output.contains("password=ghu_newer\n") && end.errors.isEmpty, "\(end.errors)")
        #expect(silent.requests.count == 1 && newer.requests.count == 1 && older.requests.isEmpty)
        let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(left == ["older.sock", "newer.sock", "silent.sock", "dead.socket"])
        withExtendedLifetime((dead, other)) {}
    }

    @Test("what is mounted comes before what is forwarded, and what is named before all")
    func order() async throws {
        let root = try EmptyRoot()
        let (box, top) = (try root.folder("box"), try root.folder("top"))
        let mounted = try await ScriptedShare(.answers, at: box + "/socket", password: "ghu_mounted")
        let plain = try await ScriptedShare(.answers, at: top + "/gitspace.sock", password: "ghu_plain")
        let named = try await ScriptedShare(.answers, at: top + "/named", password: "ghu_named")
        var environment = ["XDG_RUNTIME_DIR": "/top", "GITSPACE_SHARE": "/top/named"]
        func get() async throws -> String {
            let mounts = [box + ":/run/gitspace", top + ":/top"]
            return try await root.run(["get"], mounts: mounts, environment: environment, input: Self.request).output
        }
        #expect(try await get().contains("ghu_named"))
        environment["GITSPACE_SHARE"] = ""
        #expect(try await get().contains("ghu_mounted"))
        try await mounted.stop()
        #expect(try await get().contains("ghu_plain"))
        environment["GITSPACE_SHARE"] = "/top/nothing-here"
        #expect(try await get().contains("ghu_plain"))
        withExtendedLifetime((plain, named)) {}
    }

    @Test("in a folder that others may write to, nothing is looked for", arguments: [0o770, 0o707])
    func openFolder(permissions: Int) async throws {
        let root = try EmptyRoot()
        let top = try root.folder("top")
        let folder = try root.folder("top/gitspace", permissions: permissions)
        let share = try await ScriptedShare(.answers, at: folder + "/a.sock")
        let end = try await root.run(
            ["get"], mounts: [top + ":/top"], environment: ["XDG_RUNTIME_DIR": "/top"], input: Self.request)
        #expect(end.output.isEmpty && share.requests.isEmpty)
    }

    @Test("what is no socket is not asked, and changes nothing")
    func notASocket() async throws {
        let root = try EmptyRoot()
        let box = try root.folder("box")
        for make in ["mkfifo", "mkdir", "touch", "ln -s /nowhere"] {
            try RunningProgram.run(["sh", "-c", "rm -rf \(box)/socket; \(make) \(box)/socket"])
            let end = try await root.run(["get"], mounts: [box + ":/run/gitspace"], input: Self.request)
            #expect(end.output.isEmpty && end.errors.contains("no keyring here"))
            // A question that nobody answers takes forty seconds.
            #expect(end.duration < .seconds(35))
        }
    }

    @Test(
        "a user without a number is believed where root has mounted, and nowhere else",
        .enabled(if: geteuid() == 0, "needs root"))
    func unmapped() async throws {
        let root = try EmptyRoot()
        let (box, top) = (try root.folder("box", permissions: 0o755), try root.folder("top", permissions: 0o755))
        // The tests' root has no number in the namespace of another user, who may nevertheless connect.
        let mounted = try await ScriptedShare(.answers, at: box + "/socket")
        let plain = try await ScriptedShare(.answers, at: top + "/gitspace.sock")
        for socket in [box + "/socket", top + "/gitspace.sock"] { chmod(socket, 0o666) }
        let prefix = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"]
        let environment = ["XDG_RUNTIME_DIR": "/top"]
        let first = try await root.run(
            ["get"], as: .same, mounts: [box + ":/run/gitspace", top + ":/top"], environment: environment,
            input: Self.request, prefix: prefix)
        #expect(first.output.contains("ghu_shared"), "\(first.errors)")
        let second = try await root.run(
            ["get"], as: .same, mounts: [top + ":/top"], environment: environment, input: Self.request, prefix: prefix)
        #expect(second.output.isEmpty && second.errors.contains("no keyring here"), "\(second.errors)")
        #expect(mounted.requests.count == 1 && plain.requests.isEmpty)
    }
}
