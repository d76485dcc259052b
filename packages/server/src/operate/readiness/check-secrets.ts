// Checks the secrets: who on this machine can read them, and whether all processes of an installation have the same.
import { stat } from 'node:fs/promises'
import { messageOf } from '../../world/message-of.ts'
import { type Finding, type Found, fault, ok, warning } from './finding.ts'

export type SecretPlace = {
  readonly path: string
  /** In words: `the admin key`. */
  readonly holds: string
  readonly isFolder: boolean
  /** Made at the first start when it is not there. */
  readonly isMadeAtStart: boolean
}

export async function checkSecrets(places: readonly SecretPlace[]): Promise<Found> {
  const findings = (await Promise.all(places.map(checkPlace))).flat()
  const sound = findings.length === 0
  return sound ? ok(`${places.length} places with secrets, none open to others on this machine`) : findings
}

/** `unreadable`: webhooks whose secrets were encrypted with another join key. */
export function judgeWebhookSecrets(unreadable: number): Found {
  if (unreadable === 0) return []
  return fault(
    `${unreadable} ${unreadable === 1 ? 'webhook is' : 'webhooks are'} off: the secrets were encrypted with another join key`,
    'Remove them and add them again: fairgate api GET /webhooks shows which.',
  )
}

async function checkPlace({ path, holds, isFolder, isMadeAtStart }: SecretPlace): Promise<Found> {
  try {
    const { mode } = await stat(path)
    if ((mode & 0o007) !== 0)
      return fault(
        `everybody on this machine can use ${path}, which holds ${holds}`,
        `Run: chmod ${isFolder ? '700' : '600'} ${path}`,
      )
    return (mode & 0o020) === 0
      ? []
      : warning(`the group of ${path} can change it; it holds ${holds}`, `Run: chmod g-w ${path}`)
  } catch (error) {
    if (isMadeAtStart && error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    return fault(
      `${path}, which holds ${holds}, cannot be read (${messageOf(error)})`,
      'Put the file there, or correct the setting that names it.',
    )
  }
}

export type ProcessFacts = {
  /** Digests of the keys here, and of those that the database was first used with; null where there is none yet. */
  readonly joinKey: { readonly here: string | null; readonly inDatabase: string | null }
  readonly adminKey: { readonly here: string | null; readonly inDatabase: string | null }
  /** Where the join key here comes from. */
  readonly joinKeyPlace: string
  /** Processes that live; null where nobody knows. */
  readonly processes: number | null
}

export function checkProcesses({ joinKey, adminKey, joinKeyPlace, processes }: ProcessFacts): Found {
  const count =
    processes === null ? [] : ok(`${processes} ${processes === 1 ? 'process' : 'processes'} at work`)
  return [count, judgeJoinKey(joinKey, joinKeyPlace), judgeAdminKey(adminKey)].flat()
}

function judgeJoinKey({ here, inDatabase }: ProcessFacts['joinKey'], place: string): Finding {
  if (inDatabase === null) return ok('the database has no join key yet: the first start gives it one')
  if (here === null)
    return fault(
      `the database knows a join key, and there is none at ${place}`,
      'Copy the file join-key of the first machine there, or set FAIRGATE_JOIN_KEY. The start is refused otherwise.',
    )
  return here === inDatabase
    ? ok('the join key is the one of the database, so all processes match texts alike')
    : fault(
        `the join key of ${place} is not the one that this database was first used with`,
        'Put the join key of the first start there; processes on several machines need the same one.',
      )
}

function judgeAdminKey({ here, inDatabase }: ProcessFacts['adminKey']): Found {
  if (here === null || inDatabase === null || here === inDatabase) return []
  return warning(
    'the admin key is another one than that of the process which started last on this database',
    'Give all processes the same FAIRGATE_ADMIN_KEY, or the same data folder.',
  )
}
