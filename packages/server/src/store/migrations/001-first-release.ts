// Creates the whole schema in an empty database. Until the first release it is edited in place; later changes get their own files.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { calls } from './first-release/calls.ts'
import { directory } from './first-release/directory.ts'
import { judging } from './first-release/judging.ts'
import { ledger } from './first-release/ledger.ts'
import { limits } from './first-release/limits.ts'
import { logbook } from './first-release/logbook.ts'
import { notices } from './first-release/notices.ts'
import { operation } from './first-release/operation.ts'
import { people } from './first-release/people.ts'
import { spend } from './first-release/spend.ts'
import { submissions } from './first-release/submissions.ts'
import { wordsOf } from './first-release/words.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const words = wordsOf(dialectOf(db))
  const statements = [
    ...directory(words),
    ...people,
    ...ledger(words),
    ...calls(words),
    ...spend(words),
    ...limits(words),
    ...logbook(words),
    ...notices,
    ...submissions(words),
    ...operation(words),
    ...judging(words),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
