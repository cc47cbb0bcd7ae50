internal import CGLib
package import CredentialCore
internal import Glibc
internal import System

/// Opens an address through GIO: in the default browser, or through a sandbox's portal.
///
/// Must run in a separate process: GIO starts programs with our standard streams, and may wait for the bus. Neither is
/// acceptable in a process that talks to git.
package enum DefaultBrowser {
    /// The time limit for a portal or the bus, in seconds.
    private static let patience: UInt32 = 60

    /// Opens a page; returns the exit status, which is 1 if the desktop has no browser.
    ///
    /// Unlike xdg-open(1), GIO then starts nothing, not even a browser in the terminal.
    package static func open(_ page: HTTPSAddress) -> Int32 {
        precondition(GLibProcess.isPrepared)
        alarm(patience)
        // GIO's shared connection stays open; without a bus, GIO would launch one.
        if GLibProcess.sessionBus == nil { GLibProcess.forbidBus() }
        if let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil), GLibProcess.refusal(of: bus) != nil { return 1 }
        let outcome = Outcome()
        // A browser that is started by a message on the bus starts only if this process runs until the message has been
        // sent: therefore the call is asynchronous (see its documentation).
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

    private final class Outcome {
        var status: Int32?
    }
}
