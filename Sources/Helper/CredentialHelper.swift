package import CredentialProtocol
internal import Hosts
internal import Keyring
internal import OAuth

/// The helper as git sees it: an operation and a request in, an answer out.
///
/// Read this file first.
///
/// ① A request is bytes; `Request` has checked them. ② `Whose` says whether the host is one where we sign in. ③ The
/// keyring is asked. ④ A token that is about to end is refreshed. ⑤ Where there is none, a person signs in. ⑥ What is
/// new is saved. ⑦ The answer goes to git.
package struct CredentialHelper {
    private let world: World

    /// A helper in a world.
    package init(in world: World) { self.world = world }

    /// Does what git asks.
    ///
    /// - Parameters:
    ///   - operation: the last argument on the command line.
    ///   - request: what stood on standard input.
    /// - Returns: the answer; `Answer.nothing` for everything but `get`.
    package func answer(_ operation: Operation, _ request: Request) -> Answer {
        let place: Place
        do {
            place = try Place(of: request, in: world)
            world.trace { "\(operation.rawValue) for \(ServerText.shown(place.host.text))" }
        } catch {
            world.complain(Complaint(error))
            return .nothing
        }
        switch operation {
        case .get:
            let answer = Get(place, request, in: world).answer()
            world.trace { "answering with \(answer.outline)" }
            return answer
        case .store: Store(place, request, in: world).run()
        case .erase: Erase(place, request, in: world).run()
        case .capability: break
        }
        return .nothing
    }
}
