import TestSupport
import Testing

/// An app stores nothing for an owner before the first `get`, so a `store` could come before it.
@Suite("store: credentials that a repository brings for an app's host")
struct HostileStoreToAppTests: HelperSuite {
    let helper = HelperFixture()
    private static let date = [("date", "Tue, 14 Nov 2023 22:13:20 GMT")]

    init() {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        for url in ["https://github.com", "https://ghe.example"] {
            doubles.configure("credential", url, ["githubAppId": "4711", "githubAppKey": "/etc/app.pem"])
        }
    }

    @Test(
        "ignores a store before the app's first token", arguments: [nil, "acme/private.git"],
        ["x-access-token", "mallory"])
    func plantedBefore(path: String?, user: String) throws {
        try helper.run(
            .store,
            "protocol=https\nhost=github.com\nusername=\(user)\npassword=evil" + (path.map { "\npath=\($0)" } ?? ""))
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test(
        "ignores an item that was stored before the app was configured", arguments: [nil, "acme/private.git"],
        ["github.com", "ghe.example"])
    func plantedEarlier(path: String?, host: String) throws {
        helper.brought("evil", host: host, path: path, user: "mallory")
        respond(.json(#"{"id":42,"account":{"login":"acme"}}"#, headers: Self.date))
        respond(.json(#"{"token":"ghs_new","expires_at":"2023-11-14T23:13:20Z"}"#, status: 201, headers: Self.date))
        let answer = try get(host: host, path: "acme/private.git")
        #expect(answer.contains("password=ghs_new"))
    }
}
