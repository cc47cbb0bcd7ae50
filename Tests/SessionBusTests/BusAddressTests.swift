import SessionBus
import Testing

@Suite("Where the bus listens")
struct BusAddressTests {
    @Test(
        "the forms that are read",
        arguments: [
            ("unix:path=/run/user/1000/bus", .path(Array("/run/user/1000/bus".utf8))),
            ("unix:path=/tmp/b,guid=0123", .path(Array("/tmp/b".utf8))),
            ("unix:abstract=/tmp/dbus-x,guid=0123", .abstract(Array("/tmp/dbus-x".utf8))),
        ] as [(String, BusAddress)])
    func known(text: String, address: BusAddress) throws {
        #expect(try BusAddress(text, runtimeDirectory: nil) == address)
    }

    @Test(
        "the forms that are left to libraries",
        arguments: [
            "tcp:host=localhost,port=1", "unix:path=/a;unix:path=/b", "unix:path=/a%20b", "unix:path=",
            "unix:tmpdir=/tmp",
            "unixexec:path=/bin/sh", "autolaunch:", "unix:guid=1,path=/a",
            "unix:path=/" + String(repeating: "x", count: 107),
            "unix:abstract=" + String(repeating: "x", count: 108),
        ])
    func unknown(text: String) {
        #expect(throws: FallbackReason.address) { try BusAddress(text, runtimeDirectory: "/run/user/1000") }
    }

    @Test("without the variable, the runtime directory says it", arguments: [nil, ""] as [String?])
    func runtimeDirectory(variable: String?) throws {
        let address = try BusAddress(variable, runtimeDirectory: "/run/user/1000")
        #expect(address == .path(Array("/run/user/1000/bus".utf8)))
        for directory in [nil, "", "relative", "/" + String(repeating: "x", count: 104)] {
            #expect(throws: FallbackReason.address) { try BusAddress(variable, runtimeDirectory: directory) }
        }
    }

    @Test("a path of 107 bytes is the longest")
    func longest() throws {
        let path = "/" + String(repeating: "x", count: 106)
        #expect(try BusAddress("unix:path=" + path, runtimeDirectory: nil) == .path(Array(path.utf8)))
    }
}
