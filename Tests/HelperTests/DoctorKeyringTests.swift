import CredentialCore
import Helper
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb doctor: keyring")
struct DoctorKeyringTests {
    private let examination = Examination()
    private var doubles: Doubles { examination.doubles }

    @Test(
        "each way in which a keyring can be missing is told at its own step, as a failure only where memory does not serve"
    )
    func keyring() {
        func results(_ change: (ScriptedInspections) -> Void) -> [Diagnosis.Result] {
            let examination = Examination()
            change(examination.machine)
            examination.answer()
            let checks: [Diagnosis.Check] = [.bus, .provider, .collection, .roundTrip]
            let found = examination.diagnoses()
            return checks.flatMap { check in found.filter { $0.check == check }.results }
        }
        #expect(results { $0.busFault = .noBus } == [.warn, .skip, .skip, .skip])
        #expect(
            results {
                $0.busFault = .noBus
                $0.memory.fault = .noProvider
            } == [.fail, .skip, .skip, .skip])
        #expect(results { $0.providerFault = .noProvider } == [.ok, .warn, .skip, .skip])
        #expect(results { $0.providerFault = .unresponsive(seconds: 5) } == [.ok, .fail, .skip, .skip])
        for fault in [KeyringError.noCollection, .notReady] {
            #expect(results { $0.collectionFault = fault } == [.ok, .ok, .warn, .skip])
        }
        #expect(results { $0.isLocked = true } == [.ok, .ok, .fail, .skip])
        #expect(
            results {
                $0.isLocked = true
                $0.canPrompt = true
            } == [.ok, .ok, .warn, .skip])
        #expect(
            results {
                $0.collectionFault = .noCollection
                $0.canPrompt = true
            } == [.ok, .ok, .warn, .skip])
        #expect(results { $0.collectionFault = .noSuchCollection("work") } == [.ok, .ok, .fail, .skip])
    }

    @Test("a keyring that is locked beside an open one is named, with what unlocks it")
    func beside() {
        examination.machine.lockedBeside = ["work", "home"]
        examination.answer()
        let found = examination.diagnoses(.collection)
        #expect(found.results == [.warn, .warn])
        #expect(found.texts.first == "the keyring \"work\" is locked; accounts in it cannot be used")
        #expect(found.first?.hints.last == "  git credential-gitspace unlock")
        #expect(found.texts.last?.contains("home") == true)
    }

    @Test("what a keyring lacks is named by its Debian package")
    func packages() {
        let lacking = Examination()
        lacking.doubles.keyring.saveFault = .noPlugin
        lacking.answer()
        let roundTrip = lacking.diagnoses(.roundTrip)
        #expect(roundTrip.results == [.fail])
        for name in ["libqca-ossl", "libqca-qt5-2-plugins", "  sudo apt install libqca-qt6-plugins"] {
            #expect(roundTrip.everything.contains(name))
        }
        examination.machine.providerFault = .noProvider
        examination.answer()
        #expect(examination.diagnoses(.provider).everything.contains("keepassxc-full"))
    }

    @Test("an address of the bus that is left over from another session is named, and the rest is tried")
    func staleBus() {
        examination.machine.isBusAddressStale = true
        examination.answer()
        let found = examination.diagnoses()
        let bus = found.filter { $0.check == .bus }
        #expect(bus.results == [.warn])
        #expect(bus.everything.contains("DBUS_SESSION_BUS_ADDRESS names a session bus that no longer runs"))
        #expect(bus.everything.contains("unset DBUS_SESSION_BUS_ADDRESS"))
        #expect(found.filter { $0.check == .roundTrip }.results == [.ok])
    }

    @Test("where a keyring cannot be, the way to another machine's sign-in is shown")
    func shared() {
        func share(_ remote: RemoteEnvironment?, fault: KeyringError? = .noBus) -> [Diagnosis] {
            let examination = Examination()
            examination.machine.busFault = fault
            examination.machine.remote = remote
            examination.answer()
            return examination.diagnoses(.share)
        }
        #expect(share(nil).isEmpty && share(.ssh, fault: nil).isEmpty)
        #expect(share(.ssh, fault: .locked).isEmpty)
        #expect(share(.container).results == [.warn])
        #expect(share(.container).everything.contains("git credential-gitspace share box"))
        #expect(share(.ssh).everything.contains("git credential-gitspace share ssh HOST"))
    }

    @Test("a keyring that is not used is left alone")
    func unused() {
        doubles.configure("credential", nil, "gitspaceStore", "cache")
        examination.answer()
        #expect(examination.diagnoses(.bus).results == [.skip])
        #expect(doubles.keyring.calls.isEmpty)
    }

    @Test("the probe item goes whatever fails, and nothing else does")
    func probe() {
        examination.helper.brought("secret", host: "mail.example")
        doubles.keyring.saveFault = .denied
        examination.answer()
        #expect(examination.diagnoses(.roundTrip).results == [.fail])
        doubles.keyring.saveFault = nil
        // leftovers, save, and then the reading fails.
        doubles.keyring.faultAtCall = (doubles.keyring.calls.count + 3, .disconnected)
        examination.answer()
        #expect(examination.diagnoses(.roundTrip).results == [.fail])
        #expect(doubles.keyring.items.map(\.attributes.server) == [Array("mail.example".utf8)])
        #expect(doubles.journal.entries.last { $0.hasPrefix("signals") } == "signals pass")
    }

    @Test("what an earlier run left behind is removed")
    func leftovers() {
        let old = ItemAttributes(
            protocol: Array("gitspace-doctor".utf8), host: HostName(name: "doctor.invalid"), user: Array("1".utf8))
        doubles.keyring.put(Secret("gitspace-doctor"), under: old)
        examination.answer()
        #expect(examination.diagnoses(.roundTrip).results == [.ok])
        #expect(doubles.keyring.items.isEmpty)
    }
}
