import TestSupport
import Testing

@Suite("The verb doctor: keyring")
struct DoctorKeyringTests: HelperSuite {
    private let examination = Examination()
    var helper: HelperFixture { examination.helper }

    @Test("reports each missing part of a keyring at its own step, as a failure only if memory does not replace it")
    func keyring() {
        func results(
            bus: KeyringError? = nil, memory: KeyringError? = nil, provider: KeyringError? = nil,
            collection: KeyringError? = nil, isLocked: Bool = false, canPrompt: Bool = false
        ) -> [Diagnosis.Result] {
            let examination = Examination()
            let machine = examination.machine
            (machine.busFault, machine.memory.fault, machine.providerFault) = (bus, memory, provider)
            (machine.collectionFault, machine.isLocked, machine.canPrompt) = (collection, isLocked, canPrompt)
            examination.answer()
            let checks: [Diagnosis.Check] = [.bus, .provider, .collection, .roundTrip]
            let found = examination.diagnoses()
            return checks.flatMap { check in found.filter { $0.check == check }.results }
        }
        #expect(results(bus: .noBus) == [.warn, .skip, .skip, .skip])
        #expect(results(bus: .noBus, memory: .noProvider) == [.fail, .skip, .skip, .skip])
        #expect(results(provider: .noProvider) == [.ok, .warn, .skip, .skip])
        #expect(results(provider: .unresponsive(seconds: 5)) == [.ok, .fail, .skip, .skip])
        for fault in [KeyringError.noCollection, .notReady] {
            #expect(results(collection: fault) == [.ok, .ok, .warn, .skip])
        }
        #expect(results(isLocked: true) == [.ok, .ok, .fail, .skip])
        #expect(results(isLocked: true, canPrompt: true) == [.ok, .ok, .warn, .skip])
        #expect(results(collection: .noCollection, canPrompt: true) == [.ok, .ok, .warn, .skip])
        #expect(results(collection: .noSuchCollection("work")) == [.ok, .ok, .fail, .skip])
    }

    @Test("names a locked keyring beside an open one, and how to unlock it, and skips one that is not used")
    func beside() {
        let found = Examination.diagnoses(.collection) { $0.machine.lockedBeside = ["work", "home"] }
        #expect(found.results == [.warn, .warn])
        #expect(found.texts.first == "the keyring \"work\" is locked; accounts in it cannot be used")
        #expect(found.first?.hints.last == "  git credential-gitspace unlock")
        #expect(found.texts.last?.contains("home") == true)
        doubles.configure("credential", nil, "gitspaceStore", "cache")
        #expect(examination.found(.bus).results == [.skip] && doubles.keyring.calls.isEmpty)
    }

    @Test("names the Debian package that a keyring lacks")
    func packages() {
        let roundTrip = Examination.diagnoses(.roundTrip) { $0.doubles.keyring.saveFault = .noPlugin }
        #expect(roundTrip.results == [.fail])
        for name in ["libqca-ossl", "libqca-qt5-2-plugins", "  sudo apt install libqca-qt6-plugins"] {
            #expect(roundTrip.everything.contains(name))
        }
        let provider = Examination.diagnoses(.provider) { $0.machine.providerFault = .noProvider }
        #expect(provider.everything.contains("keepassxc-full"))
    }

    @Test("names a bus address that is left over from another session, and tries the others")
    func staleBus() {
        examination.machine.isBusAddressStale = true
        let found = examination.found()
        let bus = found.filter { $0.check == .bus }
        #expect(bus.results == [.warn])
        #expect(bus.everything.contains("DBUS_SESSION_BUS_ADDRESS names a session bus that no longer runs"))
        #expect(bus.everything.contains("unset DBUS_SESSION_BUS_ADDRESS"))
        #expect(found.filter { $0.check == .roundTrip }.results == [.ok])
    }

    @Test("suggests sharing another machine's sign-in if no keyring can run here")
    func shared() {
        enum Place { case container, ssh }
        func share(_ place: Place?, fault: KeyringError? = .noBus) -> [Diagnosis] {
            Examination.diagnoses(.share) {
                $0.machine.busFault = fault
                $0.doubles.isInContainer = place == .container
                $0.doubles.environment["SSH_CONNECTION"] = place == .ssh ? "x" : nil
            }
        }
        #expect(share(nil).isEmpty && share(.ssh, fault: nil).isEmpty)
        #expect(share(.ssh, fault: .locked).isEmpty)
        #expect(share(.container).results == [.warn])
        #expect(share(.container).everything.contains("git credential-gitspace share box"))
        #expect(share(.ssh).everything.contains("git credential-gitspace share ssh HOST"))
    }

    @Test("removes the probe item of an earlier run and its own after any failure, and nothing else")
    func probe() {
        let old = ItemAttributes(
            protocol: Array("gitspace-doctor".utf8), host: HostName(name: "doctor.invalid"), user: Array("1".utf8))
        doubles.keyring.put(Secret("gitspace-doctor"), under: old)
        #expect(examination.found(.roundTrip).results == [.ok] && doubles.keyring.items.isEmpty)
        examination.helper.brought("secret", host: "mail.example")
        doubles.keyring.saveFault = .denied
        #expect(examination.found(.roundTrip).results == [.fail])
        doubles.keyring.saveFault = nil
        // The calls are leftovers and save, and then the reading fails.
        doubles.keyring.faultAtCall = (doubles.keyring.calls.count + 3, .disconnected)
        #expect(examination.found(.roundTrip).results == [.fail])
        #expect(doubles.keyring.items.map(\.attributes.server) == [Array("mail.example".utf8)])
        #expect(doubles.journal.entries.last { $0.hasPrefix("signals") } == "signals pass")
    }

    // MARK: Memory in place of a keyring

    @Test("checks the account in memory if the keyring cannot be reached, and finds none if no keyring is provided")
    func inMemory() throws {
        let none = Examination.diagnoses(.account) { $0.machine.providerFault = .noProvider }
        #expect(none.texts == ["no account is signed in to github.com"])
        examination.machine.busFault = .noBus
        examination.answer()
        #expect(
            examination.diagnoses(.account).texts == ["cannot tell who is signed in to github.com without the keyring"])
        examination.machine.memory.put(
            StoredCredential(username: Array("mona".utf8), password: Secret("t")), for: "github.com")
        #expect(
            examination.found(.account, accounts: GitHubAnswers.user("mona")).texts == [
                "github.com accepts the token of mona"
            ])
    }
}
