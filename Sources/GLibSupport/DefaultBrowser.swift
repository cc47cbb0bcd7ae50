internal import CGLib
package import CredentialCore
internal import Glibc
internal import System

/// Opens an address through GIO: in the default browser, or through a sandbox's portal.
///
/// A process that talks to git must not do this: GIO starts programs with our standard streams, and may wait for the
/// bus.
package enum DefaultBrowser {
    /// The time limit for a portal or the bus, in seconds.
    private static let patience: UInt32 = 60

    /// Returns the exit status, which is 1 if the desktop has no browser.
    ///
    /// Unlike xdg-open(1), GIO then starts nothing, not even a browser in the terminal.
    package static func open(_ page: HTTPSAddress) -> Int32 {
        // Prepares the process for GLib.
        _ = GLibProcess.bus
        alarm(patience)
        // Without a bus, GIO would start one. GIO reuses the connection whose other end is checked here, since it stays
        // open.
        if GLibProcess.sessionBus == nil { GLibProcess.forbidBus() }
        if let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil), GLibProcess.refusal(of: bus) != nil { return 1 }
        let outcome = Outcome()
        // The call is asynchronous, because a browser that is started over the bus starts only if this process runs
        // until the message has been sent (see the function's documentation).
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
