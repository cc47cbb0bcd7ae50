import CredentialCore
import Glibc
import Staging
import System
import Testing

@Suite("Address of the session bus")
struct SessionBusAddressTests {
    private let temporary = TestFolder()

    private func address(
        _ variable: String?, _ runtimeDirectory: String?, isSocket: Bool = true
    ) throws -> SessionBusAddress? {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": variable, "XDG_RUNTIME_DIR": runtimeDirectory]
        return try SessionBusAddress(environment: { environment[$0] ?? nil }, isOwnSocket: { _ in isSocket })
    }

    @Test("prefers the variable, whatever its value")
    func variable() throws {
        #expect(try address("unix:path=/a", "/run/user/1000")?.text == "unix:path=/a")
        #expect(throws: BusRefusal.address("tcp:")) { try address("tcp:host=h,port=1", "/run/user/1000") }
    }

    @Test(
        "has no bus if it is switched off, whatever is in the runtime directory",
        arguments: ["disabled:", "/dev/null", "unix:path=/dev/null", "autolaunch:", "autolaunch:scope=*user"])
    func switchedOff(text: String) throws {
        #expect(try address(text, "/run/user/1000") == nil)
        #expect(throws: (any Error).self) { try address("unix:path=/a;tcp:;" + text, "/run/user/1000") }
    }

    @Test("uses the runtime directory without the variable, or systemd's path", arguments: [nil, ""] as [String?])
    func runtimeDirectory(variable: String?) throws {
        let usual = "/run/user/\(geteuid())"
        for (directory, path) in [
            ("/run/user/1000", "/run/user/1000"), ("/run/a b;%é", "/run/a%20b%3B%25%C3%A9"), (nil, usual), ("", usual),
        ] as [(String?, String)] {
            #expect(try address(variable, directory)?.text == "unix:path=\(path)/bus")
            #expect(try address(variable, directory, isSocket: false) == nil)
        }
        #expect(try address(variable, "relative") == nil)
    }

    @Test("replaces an address without a listener by the one that applies without the variable")
    func replacement() throws {
        func replacement(of variable: String?, isSocket: Bool = true) throws -> String? {
            let directory = ["XDG_RUNTIME_DIR": "/run/user/1000"]
            return try address(variable, "/run/user/1000")?.replacement(
                environment: { directory[$0] }, isOwnSocket: { _ in isSocket })?.text
        }
        #expect(try replacement(of: "unix:path=/a;unix:path=/b") == "unix:path=/run/user/1000/bus")
        #expect(try replacement(of: "unix:path=/a", isSocket: false) == nil)
        #expect(try replacement(of: "unix:path=/run/user/1000/bus,guid=0123") == nil)
        #expect(try replacement(of: nil) == nil)
    }

    @Test("reports no listener if a socket is gone or refuses, and one if nobody accepts")
    func listener() throws {
        let (gone, ended, silent) = (temporary.path + "/gone", temporary.path + "/ended", temporary.path + "/silent")
        close(try UnixAddress.bound(to: ended))
        let socket = try SilentSocket(at: silent)
        func listener(_ paths: String...) throws -> SessionBusAddress.Listener {
            try SessionBusAddress(parsing: paths.map { "unix:path=" + $0 }.joined(separator: ";")).listener
        }
        #expect(try listener(gone) == .nobody && listener(ended) == .nobody && listener(gone, ended) == .nobody)
        #expect(try listener(gone, silent) == .ours)
        // connect(2) returns EAGAIN once the queue is full.
        while try listener(silent) == .ours {}
        #expect(try listener(silent) == .unknown && listener(gone, silent) == .unknown)
        withExtendedLifetime(socket) {}
    }

    @Test("takes only our own socket as a bus", arguments: ["/dev/null", "/tmp", "/nonexistent"])
    func notASocket(path: String) { #expect(!SessionBusAddress.isOwnSocket(path)) }

    private static func path(_ text: String) -> SessionBusAddress.Socket { .path(Array(text.utf8)) }
    private static let longest = String(repeating: "x", count: 107)

    @Test(
        "reads Unix sockets, and writes them for libraries",
        arguments: [
            ("unix:path=/run/user/1000/bus", [path("/run/user/1000/bus")], "unix:path=/run/user/1000/bus"),
            ("unix:path=/tmp/b,guid=0123", [path("/tmp/b")], "unix:path=/tmp/b"),
            (
                "unix:abstract=/tmp/dbus-x,guid=0123", [.abstract(Array("/tmp/dbus-x".utf8))],
                "unix:abstract=/tmp/dbus-x"
            ),
            ("unix:path=/a%20b%2Cc;unix:path=/d;", [path("/a b,c"), path("/d")], "unix:path=/a%20b%2Cc;unix:path=/d"),
            ("unix:path=" + longest, [path(longest)], "unix:path=" + longest),
        ] as [(String, [SessionBusAddress.Socket], String)])
    func sockets(text: String, sockets: [SessionBusAddress.Socket], written: String) throws {
        let address = try SessionBusAddress(parsing: text)
        #expect(address.sockets == sockets && address.text == written)
    }

    @Test(
        "refuses and names any other transport, anywhere in a list",
        arguments: [
            ("tcp:host=localhost,port=1", "tcp:"), ("nonce-tcp:host=localhost,port=1,noncefile=/n", "nonce-tcp:"),
            ("unixexec:path=/bin/sh", "unixexec:"), ("autolaunch:", "autolaunch:"), ("launchd:env=X", "launchd:"),
            ("systemd:", "systemd:"), ("unix:tmpdir=/tmp", "unix:tmpdir="), ("unix:runtime=yes", "unix:runtime="),
            ("unix:guid=1,path=/a", "unix:guid="), ("unix:path=", "unix:path="), ("UNIX:path=/a", "UNIX:"),
            ("unix:path=/a,abstract=b", "unix:path="), ("unix:path=/a,guid=1,path=/b", "unix:path="),
            ("unix:path=/a%2", "unix:path="), ("unix:path=/a%zz", "unix:path="), ("unix:path=/a%00b", "unix:path="),
            ("unix:path=" + longest + "x", "unix:path="), ("unix:abstract=" + longest + "x", "unix:abstract="),
            ("rubbish", "rubbish"), (" unix:path=/a", " unix:"), (";unix:path=/a", ""),
        ])
    func refused(text: String, beginning: String) {
        let expected = BusRefusal.address(beginning)
        #expect(throws: expected) { try SessionBusAddress(parsing: text) }
        #expect(throws: expected) { try SessionBusAddress(parsing: "unix:path=/a;" + text) }
        #expect(throws: expected) { try SessionBusAddress(parsing: text + ";unix:path=/a") }
    }
}
