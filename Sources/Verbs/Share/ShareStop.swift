internal import CredentialCore
package import Helper
package import Messages

/// The verb `share stop NAME [--refresh]`: stops sharing a place and, with `--refresh`, makes every copy of its token
/// invalid.
package struct ShareStop: Command {
    private let name: PlaceName
    private let refreshes: Bool
    private let places: any SharePlaces
    private let dependencies: Dependencies

    /// The end of sharing.
    ///
    /// - Parameters:
    ///   - name: the place.
    ///   - refreshes: whether the tokens that were handed out are to become invalid, which a refresh makes them.
    ///   - places: those of this machine.
    ///   - dependencies: everything else outside.
    package init(_ name: PlaceName, refreshes: Bool, places: any SharePlaces, with dependencies: Dependencies) {
        self.name = name
        self.refreshes = refreshes
        self.places = places
        self.dependencies = dependencies
    }

    /// What it reports.
    package enum Report {
        /// The place is no longer shared; copies of these tokens remain.
        case stopped(PlaceName, given: [ShareRecord.Account])
        /// It was not shared any more.
        case wasNotShared(PlaceName)
        /// A token was refreshed, and no copy of the old one is valid.
        case refreshed(RefreshNow.Report)
        /// No token of it was handed out.
        case nothingGiven(PlaceName)
        /// A token could not be refreshed.
        case notRefreshed(UserFacingError)
    }

    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let wasShared = try places.stop(name)
        let given = places.record(of: name)?.given ?? []
        guard wasShared || (refreshes && !given.isEmpty) else { throw .share(.notShared(name)) }
        tell(wasShared ? .stopped(name, given: refreshes ? [] : given) : .wasNotShared(name))
        guard refreshes else { return .done }
        if given.isEmpty { tell(.nothingGiven(name)) }
        var status = ExitStatus.done
        for account in given where !refresh(account, tell) { status = .failed }
        // If one of them was not refreshed, it can be tried again.
        if status == .done { places.forget(name) }
        return status
    }

    private func refresh(_ account: ShareRecord.Account, _ tell: (Report) -> Void) -> Bool {
        let lines = Array("protocol=https\nhost=".utf8) + account.host + Array("\nusername=".utf8) + account.username
        guard let request = try? Request(parsing: lines + [0x0a]) else { return true }
        do {
            return try RefreshNow(request, with: dependencies).run { tell(.refreshed($0)) } == .done
        } catch {
            tell(.notRefreshed(error))
            return false
        }
    }
}
