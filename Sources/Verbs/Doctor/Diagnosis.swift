package import CredentialCore
package import Helper
package import Messages
package import Providers

/// One line of what `doctor` has found, as a fact.
package struct Diagnosis: Equatable {
    /// What was looked at, as programs read it.
    package enum Check: String {
        case user
        case interaction
        case locks
        case git
        case configuration
        case program
        case helpers
        case bus
        case provider
        case collection
        case roundTrip = "round_trip"
        case share
        case clientID = "client_id"
        case app
        case network
        case proxy
        case certificate
        case clock
        case issuer
        case account
    }

    /// How it is, as programs read it.
    package enum Result: String {
        case ok
        case fail
        case warn
        case skip
    }

    /// What was looked at.
    package let check: Check
    /// How it is.
    package let result: Result
    /// What was found.
    package let finding: Finding

    init(_ check: Check, _ result: Result, _ finding: Finding) {
        self.check = check
        self.result = result
        self.finding = finding
    }

    /// What was found, by what was looked at.
    package enum Finding: Equatable {
        case machine(Machine)
        case git(Git)
        case configuration(Configuration)
        case helpers(Helpers)
        case keyring(Keyring)
        /// A host, as shown to people.
        case host(DisplayText, Host)
    }

    /// Who runs us, where locks go, and the program.
    package enum Machine: Equatable {
        case rootForSomebodyElse(DisplayText)
        case signInForbidden(by: DisplayText)
        case locksAt(DisplayText)
        case noPlaceForLocks
        /// A program that git's configuration names by its path.
        case programAbsent(DisplayText)
        case programNotOnPath(DisplayText)
        case programBroken(DisplayText)
        case programOfAnotherVersion(DisplayText, ours: DisplayText)
        case program(DisplayText, version: DisplayText)
    }

    /// git's version, and what it does not know, with the minor version that does.
    package enum Git: Equatable {
        case noVersion
        /// It was not asked, because no git command works.
        case versionNotAsked
        case complete(version: DisplayText)
        case lacking([Lesson], version: DisplayText)
        /// The token goes with the first request, or not yet, or although nobody is signed in (`http.proactiveAuth`).
        case proactive(hosts: [DisplayText])
        case notProactive(hosts: [DisplayText])
        case proactiveForNobody(host: DisplayText)

        /// An attribute of the protocol, and the minor version of git 2 that introduced it.
        package struct Lesson: Equatable {
            /// As in gitcredentials(7) and git-credential(1).
            package let name: DisplayText
            /// 46 for git 2.46.
            package let minor: Int64
        }
    }

    /// git's configuration itself.
    package enum Configuration: Equatable {
        case unreadable(ConfigurationError)
        /// A line that must name a host, and does not.
        case withoutHost(key: DisplayText, file: DisplayText)
    }

    /// Which helpers git asks.
    package enum Helpers: Equatable {
        case configurationUnreadable
        case notAsked(host: DisplayText)
        /// The file is nil for a command line, an environment or the like.
        case askedAlone(host: DisplayText, file: DisplayText?)
        case other(OtherHelper)
        /// Another helper that stores tokens in plain text.
        case plainText(OtherHelper)
    }

    /// Access to the keyring, and whether it keeps what is saved.
    package enum Keyring: Equatable {
        case unused
        case busAnswers
        case offered(by: DisplayText?)
        case unlocked
        /// It will ask for its password when it is needed.
        case locked
        /// A step that was not tried, since the keyring is locked or an earlier one failed.
        case notWritten(isLocked: Bool)
        case providerNotAsked
        case collectionNotAsked
        case failed(KeyringError, by: KeyringProgram = .other(nil))
        case roundTrip
        case itemStays(DisplayText)
        case notKept(KeyringError, isGone: Bool)
        /// Another machine's sign-in could replace the keyring.
        case notShared(RemoteEnvironment)
    }

    /// A host: its client, the way to it, its clock, its accounts.
    package enum Host: Equatable {
        case appKnown(DisplayText)
        /// For whom the app is installed.
        case appInstalled([DisplayText])
        /// What the app may not do to the contents of the owner's repositories.
        case appMayNotRead(owner: DisplayText)
        case appMayNotPush(owner: DisplayText)
        case appFailed(InstallationFailure)
        case clientKnown
        case noClient
        /// There is none, but a token that was stored without one.
        case noClientNeeded
        case reachable
        case tookTooLong
        /// A network fault, or the server's own.
        case transport(TransportError)
        case trouble(status: Int)
        case clockNotCompared
        case clockUnknown
        case clockAgrees
        /// Seconds; negative if this machine's clock is behind.
        case clockAhead(Int64)
        /// The server that issues the host's tokens, or why there is none that could be asked.
        case issuer(DisplayText)
        case noServer(UserFacingError)
        case accountsNotAsked
        case onlyKeyringKnows
        case nobodySignedIn
        case keyringAsksForEach
        case keyring(KeyringError)
        case ended(DisplayText, SignInAgain)
        case endedRenewable(DisplayText)
        case accepted(DisplayText)
        case rejected(DisplayText, SignInAgain)
        case otherAccount(DisplayText, owner: DisplayText)
        case notTold(DisplayText)
    }
}
