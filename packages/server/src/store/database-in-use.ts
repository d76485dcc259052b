// Tells a start that the database has an owner already: it can wait for that process to end.

/** Its message says what to do. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}
