import Foundation
import Testing

@testable import UserInterface

@Suite("Clipboard programs")
struct ClipboardTests {
    @Test("gives up on a hanging program after three seconds for the next one, and on all after a minute")
    func hanging() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "clipboard-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in ["xclip", "xsel", "tmux"] {
                let file = folder.appending(path: name)
                try "#!/bin/sh\nexec /bin/sleep 600\n".write(to: file, atomically: true, encoding: .utf8)
                chmod(file.path, 0o755)
            }
            setenv("PATH", folder.path, 1)
            let session = DesktopSession(
                userID: getuid(), runtimeFolderOwner: nil, hasWindowsInterop: false,
                environment: { ["DISPLAY": ":0", "TMUX": "/tmp/none,1,0"][$0] })
            var clipboard = Clipboard(copying: "ABCD-1234", in: session, now: 0)
            for (now, isByTmux) in [(2_999, false), (3_000, false), (5_999, false), (6_000, true), (65_999, true)] {
                #expect(clipboard.look(now: Int64(now)) == nil)
                #expect(clipboard.isByTmux == isByTmux, "after \(now) ms")
            }
            #expect(clipboard.look(now: 66_000) == false)
        }
    }
}
