import Providers
import Testing

@Suite("Published keys")
struct JSONWebKeySetTests {
    private func keys(_ json: String) -> [JSONWebKey]? { JSONWebKeySet(parsing: Array(json.utf8))?.keys }

    /// Reads one key with these members.
    private func key(_ members: String) -> [JSONWebKey]? { keys(#"{"keys":[{\#(members)}]}"#) }

    private static let modulus =
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3"
        + "oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgd"
        + "AZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCu"
        + "r-kEgU8awapJzKnqDKgw"
    private static let x = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"
    private static let y = "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"

    @Test("takes the signing key of RFC 7517, A.1, and leaves out the one for encryption")
    func publicKeys() {
        let set = keys(
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)","use":"enc","kid":"1"},"#
                + #"{"kty":"RSA","n":"\#(Self.modulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}]}"#)
        #expect(set?.count == 1 && set?.first?.id == Array("2011-04-29".utf8))
        #expect(set?.first?.fits(.rs256) == true && set?.first?.fits(.rs512) == false)
        guard case .rsa(let modulus, let exponent)? = set?.first?.numbers else {
            Issue.record("no key of RSA")
            return
        }
        #expect(modulus.count == 256 && modulus.first == 0xd2 && exponent == [1, 0, 1])
    }

    @Test("reads a key with and without the members that limit its use")
    func uses() {
        let plain = #""kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)""#
        for more in ["", #","use":"sig""#, #","key_ops":["verify"]"#, #","key_ops":["sign","verify"],"alg":"ES256""#] {
            #expect(key(plain + more)?.first?.fits(.es256) == true)
        }
        for more in [
            #","use":"SIG""#, #","use":["sig"]"#, #","key_ops":[]"#, #","key_ops":"verify""#, #","alg":"RS256""#,
            #","alg":"ES384""#, #","alg":null"#, #","kid":1"#, #","d":"AA""#, #","d":null"#,
        ] { #expect(key(plain + more) == [], "\(more)") }
    }

    @Test("uses a key without an algorithm for each algorithm that its numbers fit")
    func algorithms() {
        func fitting(_ members: String) -> [SignatureAlgorithm]? {
            key(members)?.first.map { key in SignatureAlgorithm.allCases.filter(key.fits) }
        }
        func number(_ count: Int) -> String {
            String(decoding: Base64URL.encode([UInt8](repeating: 1, count: count)), as: UTF8.self)
        }
        #expect(
            fitting(#""kty":"RSA","n":"\#(Self.modulus)","e":"AQAB""#) == [
                .rs256, .rs384, .rs512, .ps256, .ps384, .ps512,
            ])
        for (curve, size, algorithm) in [("P-256", 32, .es256), ("P-384", 48, .es384), ("P-521", 66, .es512)]
            as [(String, Int, SignatureAlgorithm)]
        {
            let point = #""kty":"EC","crv":"\#(curve)","x":"\#(number(size))","y":"\#(number(size))""#
            #expect(fitting(point) == [algorithm])
            #expect(fitting(point.replacing(number(size), with: number(size - 1))) == nil)
        }
        #expect(fitting(#""kty":"OKP","crv":"Ed25519","x":"\#(number(32))""#) == [.edDSA])
        for other in [#""crv":"Ed448","x":"\#(number(57))""#, #""crv":"X25519","x":"\#(number(32))""#] {
            #expect(fitting(#""kty":"OKP",\#(other)"#) == nil)
        }
    }

    @Test("ignores zeros before a modulus (RFC 7518, 6.3.1.1)")
    func leadingZeros() {
        let padded = String(
            decoding: Base64URL.encode([0, 0] + (Base64URL.decode(Self.modulus.utf8) ?? [])), as: UTF8.self)
        let plain = key(#""kty":"RSA","n":"\#(Self.modulus)","e":"AQAB""#)
        #expect(plain?.count == 1 && plain == key(#""kty":"RSA","n":"\#(padded)","e":"AAEAAQ""#))
    }

    @Test(
        "takes RSA keys of 2,048 to 8,192 bits",
        arguments: [(255, 0), (256, 1), (512, 1), (1_024, 1), (1_025, 0), (2_000, 0)])
    func sizes(bytes: Int, count: Int) {
        let modulus = String(decoding: Base64URL.encode([UInt8](repeating: 0xff, count: bytes)), as: UTF8.self)
        #expect(key(#""kty":"RSA","n":"\#(modulus)","e":"AQAB""#)?.count == count)
    }

    @Test(
        "refuses text that is no set of keys",
        arguments: [
            "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#,
            #"{"keys":[{"kty":"RSA","kty":"EC"}]}"#,
            "<html>", #"{"keys":["# + [String](repeating: "{}", count: 257).joined(separator: ",") + "]}",
        ])
    func noSets(json: String) { #expect(keys(json) == nil) }

    @Test("leaves out entries that are no keys, and symmetric keys (RFC 7517, A.3), and takes the others")
    func company() {
        let key = #"{"kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)"}"#
        let symmetric =
            #"{"kty":"oct","alg":"A128KW","k":"GawgguFyGrWKav7AX4VKUg"},{"kty":"oct","k":"c2VjcmV0","kid":"1"}"#
        #expect(keys(#"{"keys":[1,null,"k",[],{},{"kty":7},\#(symmetric),\#(key)],"issuer":"x"}"#)?.count == 1)
        #expect(keys(#"{"keys":["# + [String](repeating: key, count: 256).joined(separator: ",") + "]}")?.count == 256)
    }
}
