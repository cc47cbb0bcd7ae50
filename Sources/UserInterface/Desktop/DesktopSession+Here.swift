internal import Glibc
internal import System

extension DesktopSession {
    /// The session of this process.
    package static var here: DesktopSession {
        DesktopSession(
            userID: getuid(), runtimeFolderOwner: Environment["XDG_RUNTIME_DIR"].flatMap(owner),
            hasWindowsInterop: access("/proc/sys/fs/binfmt_misc/WSLInterop", F_OK) == 0,
            environment: { Environment[$0] })
    }

    private static func owner(of path: String) -> UInt32? {
        FileStatus(path)?.owner
    }
}
