// Starts the reports of spend, and the hourly proof of the totals by one of all processes.
import type { SpendProof } from '@fairgate/contracts/spend/spend-proof.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { unlessReported } from '../store/open-store.ts'
import { proveTotals } from '../store/prove-totals.ts'
import { openProvenPoints } from '../store/proven-points.ts'
import type { Store } from '../store/store.ts'
import { Clients } from '../world/clients.ts'
import type { World } from '../world/world.ts'
import { SpendReports, type SpendReportsDependencies } from './spend-reports.ts'

export type SpendParts = Omit<SpendReportsDependencies, 'read'> &
  Pick<World, 'stopwatch' | 'random'> & {
    readonly store: {
      readonly read: SpendReportsDependencies['read'] &
        SpendReading['exportRows'] &
        Pick<
          Store['read'],
          'sumChargeSlice' | 'readLedgerEnd' | 'readEventTotal' | 'readSpendCheck' | 'readFacts'
        >
      readonly write: Pick<Store['write'], 'claimSpendCheck' | 'noteSpendCheck' | 'replaceFacts'>
    }
    /** Resolves after so many milliseconds, or at once when the signal aborts. */
    readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
    readonly metrics: Pick<Metrics, 'watch'>
    readonly log: Pick<Log, 'warn' | 'error'>
  }

const hourMs = 3_600_000
/** Rows before a pause: they keep the database busy for about as long as the pause. */
const pauseMs = 10
const rowsToPause = 5000

/** The parts that the management door uses. */
export type SpendReading = {
  readonly reports: SpendReports
  /** `client`: aborts when the client has left. The proof then ends, unless others wait for the same proof. */
  readonly proveTotals: (asked: AskedProof, client?: AbortSignal) => Promise<SpendProof>
  readonly exportRows: Pick<Store['read'], 'readSpendRows' | 'listSpendingTeams'>
}

/** `teamId`: null for all teams. `isWhole`: from the first row on. */
type AskedProof = { readonly teamId: string | null; readonly isWhole: boolean }

type RunningProof = { readonly name: string; readonly proof: Promise<SpendProof>; readonly clients: Clients }

export function startSpend(parts: SpendParts) {
  const { store, clock, stopwatch, wait, random, metrics, log } = parts
  const stopping = new AbortController()
  let last: SpendProof | null = null
  metrics.watch({
    spendCheck: () => (last === null ? null : { wrongTotals: last.wrong_count, at: Date.parse(last.as_of) }),
  })

  const points = openProvenPoints(store)
  /** Two at once would read everything twice. */
  let running: RunningProof | null = null
  const prove = (asked: AskedProof, client?: AbortSignal): Promise<SpendProof> => {
    const name = JSON.stringify([asked.teamId, asked.isWhole])
    if (running?.name === name && !running.clients.haveLeft)
      return running.clients.wait(running.proof, client)
    const clients = new Clients()
    let rows = 0
    const pause = async (more: number) => {
      rows += more
      if (rows >= rowsToPause) {
        rows = 0
        await wait(pauseMs, stopping.signal)
      }
      clients.check()
      if (stopping.signal.aborted) throw new Error('The proof was stopped because the server is stopping.')
    }
    const own: RunningProof = {
      name,
      proof: proveTotals({ read: store.read, points, clock, stopwatch, pause }, asked),
      clients,
    }
    running = own
    const forget = () => {
      if (running === own) running = null
    }
    own.proof.then(forget, forget)
    return clients.wait(own.proof, client)
  }

  const report = unlessReported(error =>
    log.warn({ err: error }, 'Comparing the totals with the rows of the ledger failed; retrying in an hour.'),
  )
  const check = async () => {
    const now = clock()
    // Another process may have done it in this hour.
    if (await store.write.claimSpendCheck({ now, before: now - hourMs / 2 })) {
      const proof = await prove({ teamId: null, isWhole: false })
      last = proof
      await store.write.noteSpendCheck({ value: JSON.stringify(proof), now: clock() })
      warnOfWrong(proof, log)
      return
    }
    const noted = await store.read.readSpendCheck()
    if (noted !== null) last = JSON.parse(noted)
  }
  const run = async () => {
    // Spreads the queries of processes that start together.
    for (let waitMs = (0.02 + 0.08 * random()) * hourMs; ; waitMs = (0.9 + 0.2 * random()) * hourMs) {
      await wait(waitMs, stopping.signal)
      if (stopping.signal.aborted) return
      await check().catch(error => {
        if (!stopping.signal.aborted) report(error)
      })
    }
  }
  const ended = run()

  return {
    parts: {
      reports: new SpendReports({ ...parts, read: store.read }),
      proveTotals: prove,
      exportRows: store.read,
    } satisfies SpendReading,
    /** Totals that did not match the sums of their rows in the last proof. */
    countWrongTotals: () => last?.wrong_count ?? 0,
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

function warnOfWrong(
  { ok, wrong, wrong_count: count, as_of: asOf }: SpendProof,
  log: Pick<Log, 'error'>,
): void {
  if (ok) return
  log.error(
    { wrong_totals: count, first: wrong[0], as_of: asOf },
    'Totals of the ledger do not match the sums of its rows. Run "fairgate spend verify" to list the owners.',
  )
}
