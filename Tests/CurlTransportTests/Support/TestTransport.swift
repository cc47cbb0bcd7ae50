import CurlTransport
import OAuth

extension TransportSettings {
    /// Trusts the test authority and, whatever the environment says, goes through no proxy.
    static var test: TransportSettings {
        TransportSettings(proxy: "", noProxy: "", caFile: TestCertificates.authority)
    }
}

/// Sends one GET and tells why it failed; nil if it did not.
func failure(
    of server: ScriptedServer, settings: TransportSettings = .test, timeouts: TransportTimeouts = TransportTimeouts()
) -> TransportError? {
    let transport = CurlTransport(settings: settings, timeouts: timeouts)
    do throws(TransportError) {
        _ = try transport.send(HTTPRequest(.get, server.address()))
        return nil
    } catch {
        return error
    }
}
