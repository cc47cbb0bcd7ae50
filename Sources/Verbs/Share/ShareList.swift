internal import CredentialCore
internal import Helper
package import Messages

/// The verb `share list`: the places that are shared at this moment.
package struct ShareList: Command {
    private let places: any SharePlaces

    /// A list of them.
    package init(_ places: any SharePlaces) { self.places = places }

    /// One report of all of them.
    package struct Report {
        /// Those that are open, by name.
        package let places: [FoundPlace]
    }

    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        tell(Report(places: places.all))
        return .done
    }
}
