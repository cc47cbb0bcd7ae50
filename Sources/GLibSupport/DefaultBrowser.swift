internal import CGLib
package import CredentialCore
internal import Glibc

/// What the desktop opens https addresses with, through GIO: the person's default browser, or the portal of a sandbox.
///
/// In a process of its own. GIO starts programs with our standard streams, and may wait for the bus: neither may happen
/// to a process that talks with git.
package enum DefaultBrowser {
    /// No portal and no bus may keep the process for longer, in seconds.
    private static let patience: UInt32 = 60

    /// Opens a page, and waits until that is done.
    ///
    /// - Returns: the exit status. It is 1 where the desktop knows no browser: unlike xdg-open(1), GIO then starts
    ///   nothing, and no browser that wants the terminal.
    package static func open(_ page: HTTPSAddress) -> Int32 {
        precondition(GLibProcess.isPrepared)
        alarm(patience)
        let outcome = Outcome()
        // A browser that is started by a message on the bus needs us until the message has gone out: hence not the
        // synchronous call (its documentation).
        g_app_info_launch_default_for_uri_async(
            page.text, nil, nil,
            { _, result, data in
                guard let data else { return }
                let outcome = Unmanaged<Outcome>.fromOpaque(data).takeUnretainedValue()
                outcome.status = g_app_info_launch_default_for_uri_finish(result, nil) != 0 ? 0 : 1
            }, Unmanaged.passUnretained(outcome).toOpaque())
        while outcome.status == nil { g_main_context_iteration(nil, 1) }
        return outcome.status ?? 1
    }

    /// What GIO says in the end.
    private final class Outcome {
        var status: Int32?
    }
}
