import Testing

/// The parent of every suite that opens a database, whichever module it is in: such tests block
/// their threads, and two serialized suites beside each other would still overlap.
@Suite(.serialized)
package enum DatabaseTests {}
