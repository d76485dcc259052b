// A directory over a migrated in-memory database, with a clock that tests can set and writes that they can break.
import { randomBytes } from 'node:crypto'
import { readStatements, type writeStatements } from '../../store/operations.ts'
import { runRead, runWrite } from '../../store/run-statement.ts'
import { createStore, type Store } from '../../store/store.ts'
import { openTestDatabase } from '../../store/testing/open-test-database.ts'
import { createDirectory } from '../create-directory.ts'
import { resolveTestModel } from './resolve-test-model.ts'

/** 21 November 2026, noon in UTC. */
const startOfTest = Date.parse('2026-11-21T12:00:00Z')

export async function openTestDirectory() {
  const { db, close } = await openTestDatabase()
  const time = { now: startOfTest }
  let brokenWrite: string | null = null
  let unansweredWrite: string | null = null
  let isAway = false
  let ids = 0
  const store: Store = createStore({
    read: (name, input) => (isAway ? Promise.reject(lost()) : runRead(db, name, input)),
    write: async (name, input) => {
      if (isAway) throw lost()
      if (name === brokenWrite) throw new Error('The disk is full.')
      const output = await runWrite(db, name, input)
      if (name !== unansweredWrite) return output
      unansweredWrite = null
      isAway = true
      throw lost()
    },
    check: async () => {
      if (isAway) throw lost()
    },
    close,
  })
  /** Another directory on the same database, as after a restart. */
  const load = () =>
    createDirectory({
      store,
      // Each read of the clock is a millisecond later, so that the order of creation is clear.
      clock: () => {
        time.now += 1
        return time.now
      },
      randomBytes,
      newId: () => {
        ids += 1
        return `id-${ids}`
      },
      resolveModel: resolveTestModel,
      defaultMaxParallelRequests: 10,
    })
  return {
    db,
    store,
    time,
    close,
    load,
    directory: await load(),
    /** Makes this statement fail from now on; null repairs it. */
    breakWrite: (name: keyof typeof writeStatements | null) => {
      brokenWrite = name
    },
    /** The next of these is carried out, but its reply and the connection to the database are lost. */
    loseAnswerOf: (name: keyof typeof writeStatements) => {
      unansweredWrite = name
    },
    /** From now on the database does not answer. */
    takeAway: () => {
      isAway = true
    },
    /** The database is back; resolves when the store has noticed. */
    bringBack: async () => {
      const noticed = new Promise<void>(resolve => store.health.onRecovery(resolve))
      isAway = false
      await noticed
    },
    /** Every audit row, oldest first, with its states parsed. */
    readAudit: async () => {
      const rows = await readStatements.listAudit(db, { limit: 10_000, beforeId: null, teamId: null })
      return rows.reverse().map(row => ({ ...row, before: parse(row.before), after: parse(row.after) }))
    },
  }
}

function lost(): Error {
  return new Error('Connection terminated unexpectedly')
}

function parse(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
