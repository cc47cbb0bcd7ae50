/// Returns the value of `body`, and converts its error.
@inlinable
package func rethrowing<Value: ~Copyable, Failure: Error, Words: Error>(
    as words: (Failure) -> Words, _ body: @autoclosure () throws(Failure) -> Value
) throws(Words) -> Value {
    do throws(Failure) { return try body() } catch { throw words(error) }
}
