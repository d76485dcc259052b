// Checks what all processes of an installation must have in common: the join key, for the matching of calls with entries.
import { type Finding, fault, ok, warning } from './finding.ts'

export type ProcessFacts = {
  /** Digests of the keys here, and of those that the database was first used with; null where there is none yet. */
  readonly joinKey: { readonly here: string | null; readonly inDatabase: string | null }
  readonly adminKey: { readonly here: string | null; readonly inDatabase: string | null }
  /** Where the join key here comes from. */
  readonly joinKeyPlace: string
  /** Processes that live; null where nobody knows. */
  readonly processes: number | null
}

export function checkProcesses({ joinKey, adminKey, joinKeyPlace, processes }: ProcessFacts): Finding[] {
  const count =
    processes === null ? [] : [ok(`${processes} ${processes === 1 ? 'process' : 'processes'} at work`)]
  return [...count, judgeJoinKey(joinKey, joinKeyPlace), ...judgeAdminKey(adminKey)]
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

function judgeAdminKey({ here, inDatabase }: ProcessFacts['adminKey']): Finding[] {
  if (here === null || inDatabase === null || here === inDatabase) return []
  return [
    warning(
      'the admin key is another one than that of the process which started last on this database',
      'Give all processes the same FAIRGATE_ADMIN_KEY, or the same data folder.',
    ),
  ]
}
