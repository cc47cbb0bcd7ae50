import Glibc
import System
import Testing

@Suite("Where the session bus listens")
struct SessionBusAddressTests {
    private func address(_ variable: String?, _ runtimeDirectory: String?, isSocket: Bool = true) -> SessionBusAddress?
    {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": variable, "XDG_RUNTIME_DIR": runtimeDirectory]
        return SessionBusAddress(environment: { environment[$0] ?? nil }, isOwnSocket: { _ in isSocket })
    }

    @Test("the variable wins, whatever it says", arguments: ["unix:path=/a;tcp:host=h", "tcp:host=localhost,port=1"])
    func variable(text: String) {
        #expect(address(text, "/run/user/1000")?.text == text)
    }

    @Test("a bus that would have to be started is none", arguments: ["autolaunch:", "unix:path=/a;autolaunch:"])
    func autolaunch(text: String) {
        #expect(address(text, "/run/user/1000") == nil)
    }

    @Test("without the variable, the runtime directory says it", arguments: [nil, ""] as [String?])
    func runtimeDirectory(variable: String?) {
        #expect(address(variable, "/run/user/1000")?.text == "unix:path=/run/user/1000/bus")
        #expect(address(variable, "/run/a b;%é")?.text == "unix:path=/run/a%20b%3b%25%c3%a9/bus")
        #expect(address(variable, "/run/user/1000", isSocket: false) == nil)
        #expect(address(variable, "relative") == nil)
    }

    @Test(
        "without either, it is where systemd puts it for us", arguments: [nil, ""] as [String?], [nil, ""] as [String?])
    func neither(variable: String?, directory: String?) {
        #expect(address(variable, directory)?.text == "unix:path=/run/user/\(geteuid())/bus")
        #expect(address(variable, directory, isSocket: false) == nil)
    }

    @Test("what is no socket of ours is no bus", arguments: ["/dev/null", "/tmp", "/nonexistent"])
    func notASocket(path: String) {
        #expect(!SessionBusAddress.isOwnSocket(path))
    }

    @Test(
        "the sockets that are spoken to without a library",
        arguments: [
            ("unix:path=/run/user/1000/bus", .path(Array("/run/user/1000/bus".utf8))),
            ("unix:path=/tmp/b,guid=0123", .path(Array("/tmp/b".utf8))),
            ("unix:abstract=/tmp/dbus-x,guid=0123", .abstract(Array("/tmp/dbus-x".utf8))),
            (
                "unix:path=" + String(repeating: "x", count: 107),
                .path(Array(repeating: UInt8(ascii: "x"), count: 107))
            ),
        ] as [(String, SessionBusAddress.Socket)])
    func socket(text: String, socket: SessionBusAddress.Socket) {
        #expect(SessionBusAddress(text).socket == socket)
    }

    @Test(
        "the forms that are left to libraries",
        arguments: [
            "tcp:host=localhost,port=1", "unix:path=/a;unix:path=/b", "unix:path=/a%20b", "unix:path=",
            "unix:tmpdir=/tmp",
            "unixexec:path=/bin/sh", "autolaunch:", "unix:guid=1,path=/a",
            "unix:path=" + String(repeating: "x", count: 108),
            "unix:abstract=" + String(repeating: "x", count: 108),
        ])
    func unknown(text: String) {
        #expect(SessionBusAddress(text).socket == nil)
    }
}
