internal import CredentialCore
package import Helper
package import Providers

/// A browser that returns with the scripted queries, in which `STATE` stands for the page's state.
package final class ScriptedRedirect: RedirectReceiver {
    package var redirectURI: String { address.map { $0.uri(port: $0.port ?? 49_152) } ?? "" }
    /// Whether the kernel can tell who connects.
    package var hearsBrowser = true
    package var events: [RedirectEvent] = []
    package var descriptors: [Int32] { [] }
    package var queries: [String] = []
    /// The pages that the browser showed at the end.
    package private(set) var results: [RedirectResult] = []
    /// The number of queries that did not match.
    package private(set) var strays = 0
    /// The address to listen on, or `nil` if nobody asked for it.
    package var address: RedirectAddress?
    package var failure: SignInError?
    private var isWaiting = false
    private let ui: ScriptedUI
    private let journal: Journal

    package init(ui: ScriptedUI, journal: Journal) {
        self.ui = ui
        self.journal = journal
    }

    /// The page in the browser, as a request with its query.
    package var page: SentRequest? {
        guard let address = ui.prompts.last?.approval.address else { return nil }
        let query = address.path.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        return SentRequest(HTTPRequest(.post, address, body: .form(Secret(query))))
    }

    package func next(_ isExpected: (FormFields) -> Bool) -> RedirectEvent? {
        if !events.isEmpty { return events.removeFirst() }
        while !queries.isEmpty {
            let query = queries.removeFirst().replacing("STATE", with: page?["state"] ?? "")
            if let fields = FormFields(Array(query.utf8)), isExpected(fields) {
                isWaiting = true
                return .answer(fields)
            }
            strays += 1
        }
        return nil
    }

    package func show(_ result: RedirectResult) {
        guard isWaiting else { return }
        results.append(result)
        journal.note("browser")
    }
}
