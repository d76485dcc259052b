// The store as the rest of the server sees it: named statements that return promises, whatever engine runs them.
import type { Kysely } from 'kysely'
import { readStatements, writeStatements } from './operations.ts'
import type { Schema } from './schema/schema.ts'

type Client<Statements> = {
  readonly [Name in keyof Statements]: Statements[Name] extends (
    db: Kysely<Schema>,
    ...input: infer Input
  ) => Promise<infer Output>
    ? (...input: Input) => Promise<Output>
    : never
}

export type Store = {
  readonly read: Client<typeof readStatements>
  /** Each call is one transaction; it resolves when the commit is on disk. */
  readonly write: Client<typeof writeStatements>
  readonly close: () => Promise<void>
}

type RunStatement = (name: string, input: unknown) => Promise<unknown>

/** Builds the typed clients from functions that run a statement by its name. */
export function createStore(engine: {
  read: RunStatement
  write: RunStatement
  close: () => Promise<void>
}): Store {
  return Object.freeze({
    read: buildClient<typeof readStatements>(Object.keys(readStatements), engine.read),
    write: buildClient<typeof writeStatements>(Object.keys(writeStatements), engine.write),
    close: engine.close,
  })
}

function buildClient<Statements>(names: readonly string[], run: RunStatement): Client<Statements> {
  const entries = names.map(name => [name, (input: unknown) => run(name, input)])
  // The one place where the types of the statements are carried over a channel that only knows names.
  return Object.freeze(Object.fromEntries(entries)) as Client<Statements>
}
