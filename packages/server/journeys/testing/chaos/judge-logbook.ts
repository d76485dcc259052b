// Compares the logbook with the recorders' answers: every acknowledged entry once, none that was not sent, an unbroken chain.
import { readAllEntries } from '../logbook-client.ts'
import type { Management } from '../management.ts'
import type { Account } from './account.ts'
import type { ChaosTeam } from './teams.ts'

export async function judgeLogbook(
  logbookUrl: string,
  manage: Management,
  teams: readonly ChaosTeam[],
  account: Account,
): Promise<void> {
  for (const { id, token } of teams) {
    const times = new Map<string, number>()
    for (const { prompt } of await readAllEntries(logbookUrl, token))
      times.set(prompt, (times.get(prompt) ?? 0) + 1)
    account.count('entries stored', times.size)
    for (const { team, mark, isAcknowledged } of account.entries) {
      if (team !== id) continue
      const found = times.get(mark) ?? 0
      if (found > 1 || (isAcknowledged && found !== 1))
        account.violate('an entry', `${id}, ${mark}: there ${found} times, acknowledged ${isAcknowledged}`)
      times.delete(mark)
    }
    if (times.size > 0)
      account.violate('entries that nobody sent', `${id}: ${[...times.keys()].slice(0, 3).join(', ')}`)
    const verdict = await manage.verifyLog(id)
    if (!verdict.ok) account.violate('a chain', `${id}: ${JSON.stringify(verdict)}`)
  }
}
