import CredentialCore
import Helper
import TestSupport
import Testing

@testable import Share

/// The sentences of the log, which the state of an exchange decides.
@Suite("share: words of the log")
struct ShareLogWordsTests {
    private let fixture = ShareFixture(gateway: GatewayPolicy(.hosts([HostName(name: "github.com")])))

    private func exchange(_ branches: String..., step: GatewayIntention.Step = .transfer) throws -> GatewayIntention {
        try .transfer(branches, step: step)
    }

    @Test(
        "a fetch: how much of it was passed on",
        arguments: [
            (.answered, "ssh-box: fetched acme/app"), (.hostGone, "ssh-box: fetched a part of acme/app, or all of it"),
            (.clientGone(hasBegun: true), "ssh-box: fetched a part of acme/app, or all of it"),
            (nil, "ssh-box: fetched a part of acme/app, or all of it"), (.clientGone(hasBegun: false), nil),
            (.unauthorized, nil),
        ] as [(GatewayOutcome?, String?)])
    func fetch(outcome: GatewayOutcome?, line: String?) throws {
        #expect(fixture.lines(of: .ended(try exchange(), outcome)) == [line].compactMap(\.self))
        #expect(fixture.lines(of: .ended(try exchange(step: .discovery), outcome)).isEmpty)
    }

    @Test(
        "a push without a report: why nobody knows whether the server took it",
        arguments: [
            (nil, "its process has ended before"), (.hostGone, "the server has closed the connection"),
            (.clientGone(hasBegun: true), "the place has closed its connection"),
            (.unreported, "the server does not say"), (.clientGone(hasBegun: false), nil),
        ] as [(GatewayOutcome?, String?)])
    func uncertain(outcome: GatewayOutcome?, why: String?) throws {
        let beginning = "ssh-box: uncertain whether the server took a push to x, gone on acme/app: "
        let lines = fixture.lines(of: .ended(try exchange("x", "gone"), outcome))
        #expect(lines == [why].compactMap(\.self).map { beginning + $0 })
    }

    @Test("a push with a report: each ref by what the server says of it")
    func reported() throws {
        let result = PushResult([.accepted, .accepted, .rejected, .unknown])
        #expect(
            fixture.lines(of: .ended(try exchange("x", "gone", "no", "y"), .reported(result))) == [
                "ssh-box: pushed x to acme/app (new, bbbbbbb)", "ssh-box: deleted gone on acme/app",
                "ssh-box: the server rejected a push to no on acme/app",
                "ssh-box: uncertain whether the server took a push to y on acme/app: the server does not say",
            ])
    }

    @Test(
        "a failure: what the server says",
        arguments: [
            (.tokenRejected, "the server rejected the token"), (.readForbidden, "the account may not read it"),
            (.pushForbidden, "the account may not push to it"),
            (.missing, "the server has no such repository that the account can see"),
            (.moved, "the server has moved it"),
            (.unreachable, "the server cannot be reached; see why with \"git credential-gitspace doctor\""),
            (.malformed, "the server sent an unexpected response"),
        ] as [(GatewayOutcome.Fault, String)])
    func failed(fault: GatewayOutcome.Fault, words: String) throws {
        for exchange in [try exchange(), try exchange("x")] {
            #expect(fixture.lines(of: .ended(exchange, .failed(fault))) == ["ssh-box: acme/app failed: \(words)"])
        }
    }

    @Test(
        "a refusal: whose reason it is",
        arguments: [
            (.otherAccount, "it asked for another account"), (.notSignedIn, "no account is signed in"),
            (.doesNotExpire, "the credentials do not expire; --long-lived allows it"),
            (.notAPassword, "git in the container cannot send this kind of token"),
            (.expired, "the token has expired and could not be refreshed"),
            (.rejected, "the server rejected the token, and it could not be refreshed"), (.denied, "you denied it"),
            (.unanswered, "you did not answer"),
            (.silenced, "you denied it or did not answer less than 10 minutes ago"), (.locked, "the screen is locked"),
            (.nobodyToAsk, "there is no notification service to ask you"), (.elapsed, "the time of the share is over"),
            (.notShared, "it is not shared"), (.readOnly, "the share is read-only"),
            (.branches, "it is no branch that may be pushed"),
            (.signed, "signed pushes are not passed on where branches are limited"),
            (.options, "its push options ask for more than a pull request, or are malformed"),
            (.pullRequests, "push options need --pull-requests"),
            (.configuration, "git's configuration cannot be read"),
        ] as [(ShareRefusal, String)])
    func refused(refusal: ShareRefusal, words: String) throws {
        #expect(fixture.lines(of: .refusedRequest(try exchange(), refusal)) == ["ssh-box: refused acme/app: \(words)"])
        let push = "ssh-box: refused a push to x on acme/app: \(words)"
        #expect(fixture.lines(of: .refusedRequest(try exchange("x"), refusal)) == [push])
    }
}
