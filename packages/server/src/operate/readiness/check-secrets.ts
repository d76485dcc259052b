// Checks the secrets: who on this machine can read them, and whether all processes of an installation have the same ones.
import { stat } from 'node:fs/promises'
import { messageOf } from '../../world/message-of.ts'
import { type Finding, type Found, fault, ok, warning } from './finding.ts'

export type SecretPlace = {
  readonly path: string
  /** A description, such as `the admin key`. */
  readonly holds: string
  readonly isFolder: boolean
  /** True if the first start creates it. */
  readonly isMadeAtStart: boolean
}

export async function checkSecrets(places: readonly SecretPlace[]): Promise<Found> {
  const findings = (await Promise.all(places.map(checkPlace))).flat()
  const sound = findings.length === 0
  return sound
    ? ok(`${places.length} places with secrets, none readable by other users on this machine`)
    : findings
}

/** `unreadable`: number of webhooks with secrets that were encrypted with another join key. */
export function judgeWebhookSecrets(unreadable: number): Found {
  if (unreadable === 0) return []
  return fault(
    `${unreadable} ${unreadable === 1 ? 'webhook is' : 'webhooks are'} off: the secrets were encrypted with another join key`,
    'Remove them and add them again. To list them: fairgate api GET /webhooks',
  )
}

async function checkPlace({ path, holds, isFolder, isMadeAtStart }: SecretPlace): Promise<Found> {
  try {
    const { mode } = await stat(path)
    if ((mode & 0o007) !== 0)
      return fault(
        `every user on this machine can access ${path}, which holds ${holds}`,
        `Run: chmod ${isFolder ? '700' : '600'} ${path}`,
      )
    return (mode & 0o020) === 0
      ? []
      : warning(`the group of ${path} can change it; it holds ${holds}`, `Run: chmod g-w ${path}`)
  } catch (error) {
    if (isMadeAtStart && error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    return fault(
      `${path}, which holds ${holds}, cannot be read (${messageOf(error)})`,
      'Put the file there, or correct the setting that points to it.',
    )
  }
}

export type ProcessFacts = {
  /** Digests of the keys here, and of the keys that the database was first used with; null if there are none yet. */
  readonly joinKey: { readonly here: string | null; readonly inDatabase: string | null }
  readonly adminKey: { readonly here: string | null; readonly inDatabase: string | null }
  /** Where the join key here comes from. */
  readonly joinKeyPlace: string
  /** Number of living processes; null if unknown. */
  readonly processes: number | null
}

export function checkProcesses({ joinKey, adminKey, joinKeyPlace, processes }: ProcessFacts): Found {
  const count =
    processes === null ? [] : ok(`${processes} ${processes === 1 ? 'process' : 'processes'} running`)
  return [count, judgeJoinKey(joinKey, joinKeyPlace), judgeAdminKey(adminKey)].flat()
}

function judgeJoinKey({ here, inDatabase }: ProcessFacts['joinKey'], place: string): Finding {
  if (inDatabase === null) return ok('the database has no join key yet: the first start sets one')
  if (here === null)
    return fault(
      `the database has a join key, but there is none at ${place}`,
      'Copy the file join-key from the first machine to that place, or set FAIRGATE_JOIN_KEY. Otherwise the server will not start.',
    )
  return here === inDatabase
    ? ok('the join key matches the database, so all processes match texts alike')
    : fault(
        `the join key of ${place} is not the one that this database was first used with`,
        "Put the first start's join key there; processes on multiple machines need the same one.",
      )
}

function judgeAdminKey({ here, inDatabase }: ProcessFacts['adminKey']): Found {
  if (here === null || inDatabase === null || here === inDatabase) return []
  return warning(
    'the admin key differs from that of the process which started last on this database',
    'Give all processes the same FAIRGATE_ADMIN_KEY, or the same data folder.',
  )
}
