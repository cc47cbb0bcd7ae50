package import CredentialCore
package import Helper
package import Messages

/// The verb `share NAME`: lets a place have the sign-in of this machine, until it is stopped.
package struct Share: Command {
    private let resolver: PlaceResolver
    private let start: Start
    private let outside: Outside

    /// What is to be shared, and how.
    package struct Start {
        /// What the place is called, here and in git's configuration.
        package let name: PlaceName
        /// What was typed; nil if systemd starts it.
        package let typed: ShareSettings?
        /// How long, in milliseconds; nil until it is stopped.
        package let lifetime: Int64?
        /// The SSH destination to share with; nil for a directory.
        package let destination: String?
        /// How long without a request, in milliseconds, if systemd starts it.
        package let idle: Int64

        /// After this long without a request, systemd gets the socket back.
        ///
        /// Not at once: systemd does not allow twenty starts in two seconds (systemd.socket(5), TriggerLimitBurst), and
        /// a place that asks in a loop would lose its socket.
        package static let usualIdle: Int64 = 600_000

        package init(
            _ name: PlaceName, typed: ShareSettings?, lifetime: Int64? = nil, destination: String? = nil,
            idle: Int64 = Self.usualIdle
        ) {
            self.idle = idle
            self.name = name
            self.typed = typed
            self.lifetime = lifetime
            self.destination = destination
        }
    }

    /// Everything outside.
    package struct Outside {
        /// Opens places, and finds those that are open.
        package let places: any SharePlaces
        /// Asks the person, and knows whether the screen is locked.
        package let screen: any ShareScreen
        /// Decides when a share ends, and whether a token expires soon.
        package let clock: any Clock
        /// Makes what a request depends on.
        package let dependencies: () -> Dependencies
        /// Forwards a place's socket to another machine.
        package let connect: (String, any OpenPlace) throws(UserFacingError) -> any ShareHold

        package init(
            places: any SharePlaces, screen: any ShareScreen, clock: any Clock,
            dependencies: @escaping () -> Dependencies,
            connect: @escaping (String, any OpenPlace) throws(UserFacingError) -> any ShareHold
        ) {
            self.places = places
            self.screen = screen
            self.clock = clock
            self.dependencies = dependencies
            self.connect = connect
        }
    }

    /// Shares.
    package init(_ start: Start, resolver: PlaceResolver, _ outside: Outside) {
        self.start = start
        self.resolver = resolver
        self.outside = outside
    }

    /// What it reports.
    package enum Report: Equatable {
        /// Shared now, in that directory; how to mount it.
        case listening(SharedPlace, directory: String, confinesContainers: Bool)
        /// Shared now, on that machine.
        case connected(SharedPlace, destination: DisplayText, directory: String)
        /// systemd has started us.
        case activated(SharedPlace)
        /// Something has happened.
        case event(ShareEvent)
        /// It has ended.
        case ended(ShareEnd, PlaceName)
    }

    package func run(_ tell: @escaping (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let kind = start.destination.map { SharedPlace.Kind.ssh(destination: $0) } ?? .directory
        let place = try resolver.place(start.name, kind, typed: start.typed)
        let isActivated = start.typed == nil
        let open = try outside.places.open(place.name, isActivated: isActivated)
        defer { open.close() }
        var hold: (any ShareHold)?
        if let destination = start.destination { hold = try outside.connect(destination, open) }
        defer { hold?.end() }
        tell(beginning(place, open, hold, isActivated))
        let end = serve(place, open, hold, tell)
        tell(.ended(end, place.name))
        return end == .disconnected ? .failed : .done
    }

    private func beginning(
        _ place: SharedPlace, _ open: any OpenPlace, _ hold: (any ShareHold)?, _ isActivated: Bool
    ) -> Report {
        if isActivated { return .activated(place) }
        if let destination = start.destination, let hold {
            return .connected(place, destination: DisplayText(own: destination), directory: hold.directory)
        }
        return .listening(place, directory: open.directory, confinesContainers: outside.places.confinesContainers)
    }

    private func serve(
        _ place: SharedPlace, _ open: any OpenPlace, _ hold: (any ShareHold)?, _ tell: @escaping (Report) -> Void
    ) -> ShareEnd {
        var record = ShareRecord()
        record.kind = place.kind
        record.confirmation = place.confirmation
        record.hosts = place.hosts.map(\.name)
        let now = outside.clock.now
        record.since = now
        record.end = start.lifetime.map { now + $0 / 1_000 }
        // Tokens that an earlier, ended process handed out still exist.
        record.given = open.lastRecord?.given ?? []
        open.write(record)
        var log = ShareLog()
        let responder = ShareResponder(
            for: place, screen: outside.screen, clock: outside.clock, dependencies: outside.dependencies
        ) { event, account in
            if let account {
                record.note(account, now: outside.clock.now)
                open.write(record)
            }
            if log.isNew(event, at: outside.clock.uptimeMilliseconds) { tell(.event(event)) }
        }
        let end = start.lifetime.map { outside.clock.uptimeMilliseconds + $0 }
        return open.serve(
            until: end, idle: start.typed == nil ? start.idle : nil, holding: hold, responder)
    }
}

/// What was logged lately: a place that asks in a loop must not fill the log.
struct ShareLog {
    /// Milliseconds before the same event is logged again.
    private static let interval: Int64 = 60_000

    private var told: [(event: ShareEvent, time: Int64)] = []

    /// Whether an event is worth logging.
    mutating func isNew(_ event: ShareEvent, at now: Int64) -> Bool {
        told.removeAll { now - $0.time >= Self.interval }
        let isKnown = told.contains { $0.event.isSame(as: event) }
        if !isKnown { told.append((event, now)) }
        return !isKnown
    }
}

extension ShareEvent {
    /// Whether both are equal, apart from the process.
    fileprivate func isSame(as other: ShareEvent) -> Bool {
        switch (self, other) {
        case (.given(let host, let name, let peer), .given(let otherHost, let otherName, let otherPeer)):
            host == otherHost && name == otherName && peer.user == otherPeer.user
        case (.refused(let why, let host, let peer), .refused(let otherWhy, let otherHost, let otherPeer)):
            why == otherWhy && host == otherHost && peer.user == otherPeer.user
        default: self == other
        }
    }
}
