/// The value of `body`; what it throws becomes an error of the one who asks.
@inlinable
package func rethrowing<Value: ~Copyable, Failure: Error, Words: Error>(
    as words: (Failure) -> Words, _ body: @autoclosure () throws(Failure) -> Value
) throws(Words) -> Value {
    do throws(Failure) { return try body() } catch { throw words(error) }
}
