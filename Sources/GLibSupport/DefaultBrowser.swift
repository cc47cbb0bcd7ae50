internal import CGLib
package import CredentialCore
internal import Glibc
internal import System

/// The desktop's way to open an address, through GIO: the default browser, or a sandbox's portal.
///
/// Runs in a separate process: GIO starts programs with our standard streams, and may wait for the bus. Neither may
/// happen to a process that talks with git.
package enum DefaultBrowser {
    /// In seconds, for a portal or the bus.
    private static let patience: UInt32 = 60

    /// Returns the exit status: 1 where the desktop knows no browser.
    ///
    /// Unlike xdg-open(1), GIO then starts nothing, not even a browser that needs the terminal.
    package static func open(_ page: HTTPSAddress) -> Int32 {
        precondition(GLibProcess.isPrepared)
        alarm(patience)
        // GIO shares the connection, which therefore stays open, and would launch a bus if there were none.
        if (try? SessionBusAddress(environment: { Environment[$0] })) == nil { GLibProcess.forbidBus() }
        if let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil), GLibProcess.refusal(of: bus) != nil { return 1 }
        let outcome = Outcome()
        // If a browser is started by a message on the bus, we must run until the message has been sent: hence not the
        // synchronous call (see its documentation).
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
