import CredentialCore
import Share
import Testing

@Suite("share: what a gateway's connection is given")
struct GatewayResponderTests {
    /// Whatever has become of its process, which may say anything.
    @Test("no token for a push where the share is read-only, nor for a host beyond its list")
    func limits() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 28_800, lifetime: 28_800)
        let hosts = GatewayPolicy.Scope.hosts([HostName(name: "github.com")])
        func isGiven(_ host: Int, _ service: GitService, isReadOnly: Bool) -> Bool {
            let policy = GatewayPolicy(hosts, isReadOnly: isReadOnly)
            return fixture.ask(.wanted(host: host, service, isRejected: false), under: policy) != nil
        }
        #expect(isGiven(0, .receivePack, isReadOnly: false) && isGiven(0, .uploadPack, isReadOnly: true))
        #expect(!isGiven(0, .receivePack, isReadOnly: true))
        #expect(!isGiven(1, .uploadPack, isReadOnly: false))
    }
}
