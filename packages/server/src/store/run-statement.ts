// Runs a statement by name on a database. Shared by the SQLite workers and the PostgreSQL engine.
import type { Kysely } from 'kysely'
import { readStatements, writeStatements } from './operations.ts'
import type { Schema } from './schema/schema.ts'

type AnyStatement = (db: Kysely<Schema>, input: never) => Promise<unknown>

/** Throws for a name that is not that of a write. */
export function findWrite(name: string): AnyStatement {
  return findStatement(writeStatements, name)
}

function findStatement(statements: Record<string, AnyStatement>, name: string): AnyStatement {
  const statement = Object.hasOwn(statements, name) ? statements[name] : undefined
  if (statement === undefined) throw new Error(`The store has no statement "${name}".`)
  return statement
}

export function runRead(db: Kysely<Schema>, name: string, input: unknown): Promise<unknown> {
  return findStatement(readStatements, name)(db, input as never)
}

/** One transaction around the statement. */
export function runWrite(db: Kysely<Schema>, name: string, input: unknown): Promise<unknown> {
  const statement = findWrite(name)
  return db.transaction().execute(transaction => statement(transaction, input as never))
}
