// Recomputes a team's chain from its stored rows, which finds any row that was changed, removed, moved or added afterwards.
import { createHash } from 'node:crypto'
import { commitRecord, saltBytes } from '../../evidence/commit-record.ts'
import { chainEntry, emptyChain } from '../../store/statements/entry-chain.ts'
import type { EvidenceRow } from '../../store/statements/list-entries.ts'
import type { Store } from '../../store/store.ts'
import { validateEntry } from '../accept-entries/validate-entry.ts'
import { buildEventKey, buildToolKey } from '../filter-keys.ts'
import { RecorderNumbers, type RecorderReport } from './recorder-numbers.ts'

export type Head = { readonly seq: number; readonly chain: string }

export type ChainProblem =
  /** A number is missing: its row was removed. */
  | 'missing'
  /** The row's bytes, number, time, identity or place are not those that were chained. */
  | 'altered'
  /** The columns that pages are filtered and ordered by do not agree with the entry. */
  | 'columns_altered'
  /** The commitment is not that of the entry, or it was removed. */
  | 'commitment_altered'
  /** The rows end before the head: the newest were removed. */
  | 'cut'
  /** The rows are consistent but do not lead to the head, or there are rows beyond it. */
  | 'head_differs'

export type ChainReport = ChainVerdict & {
  /** Reports on the clones found in the entries that were read. */
  readonly recorders: readonly RecorderReport[]
}

type ChainVerdict =
  | { readonly ok: true; readonly checked: number; readonly head: Head }
  /** `seq`: the first faulty number; `checked`: the number of intact rows before it. */
  | { readonly ok: false; readonly checked: number; readonly seq: number; readonly problem: ChainProblem }

export type VerifyTeamChainDependencies = {
  /** Rows after a number, ordered by number; empty at the end. */
  readonly readPage: (afterSeq: number) => Promise<readonly EvidenceRow[]>
  /** The board's head. Read before the rows, and again if entries came in meanwhile. */
  readonly readHead: () => Promise<Head>
}

export async function verifyTeamChain(dependencies: VerifyTeamChainDependencies): Promise<ChainReport> {
  const numbers = new RecorderNumbers()
  const verdict = await readChain(dependencies, numbers)
  return { ...verdict, recorders: numbers.report() }
}

async function readChain(
  { readPage, readHead }: VerifyTeamChainDependencies,
  numbers: RecorderNumbers,
): Promise<ChainVerdict> {
  const headBefore = await readHead()
  let last: Head = { seq: 0, chain: emptyChain }
  // An empty board has the empty chain as its head and nothing to read.
  let chainAtHead = headBefore.seq === 0 ? emptyChain : null
  for (;;) {
    const rows = await readPage(last.seq)
    if (rows.length === 0) break
    for (const row of rows) {
      const entry = parse(row.body)
      const problem = findProblem(row, entry, last)
      if (problem !== null) return { ok: false, checked: last.seq, seq: last.seq + 1, problem }
      numbers.see(entry)
      last = { seq: row.seq, chain: row.chain }
      if (last.seq === headBefore.seq) chainAtHead = last.chain
    }
  }
  if (last.seq < headBefore.seq) {
    return { ok: false, checked: last.seq, seq: last.seq + 1, problem: 'cut' }
  }
  if (chainAtHead !== headBefore.chain) return differs(headBefore.seq)
  if (last.seq > headBefore.seq) {
    const headAfter = await readHead()
    const isBeyond = last.seq > headAfter.seq
    if (isBeyond || (last.seq === headAfter.seq && last.chain !== headAfter.chain)) return differs(last.seq)
  }
  return { ok: true, checked: last.seq, head: last }
}

function differs(seq: number): ChainVerdict {
  return { ok: false, checked: seq, seq, problem: 'head_differs' }
}

function findProblem(row: EvidenceRow, entry: unknown, previous: Head): ChainProblem | null {
  if (row.seq !== previous.seq + 1) return 'missing'
  const { seq, receivedMicros, identity } = row
  if (!/^[0-9a-f]{64}$/.test(identity) || !isCount(receivedMicros)) return 'altered'
  const digest = createHash('sha256').update(row.body).digest()
  const link = { seq, receivedMicros, identity, bodyHash: digest.toString('hex') }
  if (chainEntry(previous.chain, link) !== row.chain) return 'altered'
  const columns = deriveColumns(entry)
  const isTrue =
    columns !== null &&
    Buffer.byteLength(row.body) === row.bodyBytes &&
    columns.tsMicros === row.tsMicros &&
    columns.toolKey === row.toolKey &&
    columns.eventKey === row.eventKey
  if (!isTrue) return 'columns_altered'
  return isCommitmentTrue(row, digest) ? null : 'commitment_altered'
}

function isCommitmentTrue({ salt, commitment, identity }: EvidenceRow, digest: Uint8Array): boolean {
  if (commitment === null || salt?.length !== saltBytes) return false
  return Buffer.compare(commitRecord(salt, Buffer.from(identity, 'hex'), digest), commitment) === 0
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** The filter and order columns of a stored entry; null if it is not an entry. */
function deriveColumns(stored: unknown): Pick<EvidenceRow, 'tsMicros' | 'toolKey' | 'eventKey'> | null {
  const judgement = validateEntry(stored)
  if (!judgement.ok) return null
  const { entry, timestamp } = judgement
  return {
    tsMicros: timestamp.microseconds,
    toolKey: buildToolKey(entry.tool),
    eventKey: buildEventKey(entry.event),
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const rowsPerPage = 500

export function createTeamVerifier(
  read: Pick<Store['read'], 'readBoard' | 'readEntriesAfter'>,
): (teamId: string) => Promise<ChainReport> {
  return teamId =>
    verifyTeamChain({
      readPage: afterSeq => read.readEntriesAfter({ teamId, afterSeq, limit: rowsPerPage }),
      readHead: async () => {
        const board = await read.readBoard({ teamId })
        return board === undefined
          ? { seq: 0, chain: emptyChain }
          : { seq: board.headSeq, chain: board.headChain }
      },
    })
}
