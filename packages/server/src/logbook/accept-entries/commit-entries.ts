// Group commit of entries: the requests that wait while one commit runs share the next one and its wait for the disk.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type {
  AppendEntriesInput,
  AppendOutcome,
  AppendRequest,
  EntryToAppend,
} from '../../store/statements/append-entries.ts'
import { isStoreFailure } from '../../store/store-unavailable.ts'

export type CommitEntriesDependencies = {
  /** One transaction; resolves when it is on disk. */
  readonly appendEntries: (input: AppendEntriesInput) => Promise<AppendOutcome[]>
  /** Told once per request that could not be stored. */
  readonly reportFailure: (error: unknown) => void
}

export type Committed = Omit<Extract<AppendOutcome, { locked: false }>, 'locked'>

export type CommitEntries = (teamId: string, entries: readonly EntryToAppend[]) => Promise<Committed>

type Waiting = {
  readonly request: AppendRequest
  readonly bytes: number
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: ApiError) => void
}

/** A group is small enough that the writer's other customers, the charges, do not wait long behind it. */
const maximumGroupEntries = 1000
const maximumGroupBytes = 4 * 1024 * 1024
/** More than this is refused at once, so that a flood cannot fill the memory. */
const maximumWaitingBytes = 128 * 1024 * 1024

/**
 * The returned function resolves when the entries are on disk. It throws ApiError `locked` (403; spec 3.3), or `unavailable`
 * (503) when none of them was stored; sending them again is then safe in any case.
 */
export function createCommitEntries(dependencies: CommitEntriesDependencies): CommitEntries {
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let isRunning = false

  const append = async (group: readonly Waiting[]) => {
    const outcomes = await dependencies.appendEntries({
      requests: group.map(({ request }) => request),
      now: null,
    })
    for (const [position, member] of group.entries()) settle(member, outcomes[position])
  }
  const refuse = (member: Waiting, error: unknown) => {
    dependencies.reportFailure(error)
    member.reject(unavailable(error))
  }
  const appendAlone = async (member: Waiting) => {
    try {
      await append([member])
    } catch (error) {
      refuse(member, error)
    }
  }
  const appendGroup = async (group: readonly Waiting[]) => {
    const [first] = group
    if (group.length === 1 && first !== undefined) return appendAlone(first)
    try {
      await append(group)
    } catch (error) {
      // The others of the group would meet it as well.
      if (isStoreFailure(error)) {
        for (const member of group) refuse(member, error)
        return
      }
      // Whatever spoiled the group must not harm a neighbour.
      await Promise.all(group.map(appendAlone))
    }
  }
  const run = async () => {
    isRunning = true
    while (waiting.length > 0) {
      const group = takeGroup(waiting)
      waiting = waiting.slice(group.length)
      waitingBytes -= sumBytes(group)
      await appendGroup(group)
    }
    isRunning = false
  }

  return (teamId, entries) =>
    new Promise((resolve, reject) => {
      const bytes = entries.reduce((sum, entry) => sum + entry.bodyBytes, 0)
      if (waitingBytes + bytes > maximumWaitingBytes) {
        reject(unavailable())
        return
      }
      waiting.push({ request: { teamId, entries }, bytes, resolve, reject })
      waitingBytes += bytes
      if (!isRunning) void run()
    })
}

/** Always at least one request, however large it is. */
function takeGroup(waiting: readonly Waiting[]): Waiting[] {
  const group: Waiting[] = []
  let entries = 0
  let bytes = 0
  for (const member of waiting) {
    entries += member.request.entries.length
    bytes += member.bytes
    if (group.length > 0 && (entries > maximumGroupEntries || bytes > maximumGroupBytes)) break
    group.push(member)
  }
  return group
}

function sumBytes(group: readonly Waiting[]): number {
  return group.reduce((sum, { bytes }) => sum + bytes, 0)
}

function settle(member: Waiting, outcome: AppendOutcome | undefined): void {
  if (outcome === undefined) member.reject(unavailable(new Error('The store gave no outcome.')))
  else if (outcome.locked) member.reject(new ApiError('locked'))
  else member.resolve({ stored: outcome.stored, duplicates: outcome.duplicates, head: outcome.head })
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError('unavailable', {
    message: 'The logbook cannot store entries now; none of these were stored. Send them again shortly.',
    headers: { 'retry-after': '5' },
    cause,
  })
}
