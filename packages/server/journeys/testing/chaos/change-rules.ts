// The organisers of a campaign: limits raised and lowered, keys made, blocked and deleted, budgets granted, boards locked, the catalog read again.
import type { RegeneratedKey } from '@fairgate/contracts/management/key-bodies.ts'
import type { Campaign } from './make-calls.ts'
import { addKey } from './teams.ts'

/** As long as many calls, but much shorter than a campaign. */
const graceMs = 10_000

/** Makes one change; after a broken connection it is unknown whether it was made. */
export async function changeRules(campaign: Campaign): Promise<void> {
  const { dice, account, server, teams } = campaign
  const manage = server.manage()
  const started = Date.now()
  const team = dice.pick(teams)
  /** The most frequent change, because teams would soon have no budget otherwise. */
  const grant = async () => {
    const raised = Math.round(team.maxBudget * 1.3e6) / 1e6
    await manage.post('/team/update', { team_id: team.id, max_budget: raised })
    team.maxBudget = raised
  }
  const changes: readonly (() => Promise<void>)[] = [
    async () => {
      const last = teams.at(-1)
      if (last === undefined) return
      const limit = dice.pick([20, 35, 50, 70])
      const askedAt = Date.now()
      // Applies from some moment between request and answer, so the higher limit may apply until the answer.
      account.limits.push({
        scope: `team:${last.id} rpm`,
        limit,
        askedAt,
        inForceAt: Number.POSITIVE_INFINITY,
      })
      await manage.post('/team/update', { team_id: last.id, rpm_limit: limit })
      account.limits.pop()
      account.limits.push({ scope: `team:${last.id} rpm`, limit, askedAt, inForceAt: Date.now() })
    },
    grant,
    grant,
    grant,
    async () => {
      if (team.keys.length < 6 && !team.isSmall) await addKey(manage, account, team, {})
    },
    async () => {
      const key = team.keys.length > 3 ? team.keys.at(-1) : undefined
      if (key === undefined || key.deniedSince !== null) return
      try {
        if (dice.chance(0.5)) await manage.post('/key/update', { key: key.secret, blocked: true })
        else await manage.post('/key/delete', { keys: [key.secret] })
        key.deniedSince = Date.now()
        await Bun.sleep(1000)
      } finally {
        // After a failure no one knows whether the change was made, so this key is not changed again.
        team.keys.splice(team.keys.indexOf(key), 1)
      }
    },
    async () => {
      // Others may be blocked or deleted meanwhile.
      const key = dice.pick(team.keys.slice(0, 3))
      if (key.renewal !== null) return
      // Until the answer it is unknown which secret works from when on, and after a broken connection it stays unknown.
      key.renewal = { secret: key.secret, worksUntil: 0, refusedFrom: Number.POSITIVE_INFINITY }
      const askedAt = Date.now()
      const path = `/key/${encodeURIComponent(key.secret)}/regenerate`
      const { key: secret } = await manage.post<RegeneratedKey>(path, { grace: `${graceMs / 1000}s` })
      key.renewal = { secret, worksUntil: askedAt + graceMs, refusedFrom: Date.now() + graceMs }
      account.count('keys with a new secret')
    },
    async () => {
      await manage.post('/team/lock', { team_id: team.id })
      team.lockedSince = Date.now()
      await Bun.sleep(dice.integer(100, 1500))
      team.lockedSince = null
      for (;;) {
        try {
          await server.manage().post('/team/unlock', { team_id: team.id })
          return
        } catch {
          await server.ready()
          await Bun.sleep(100)
        }
      }
    },
    async () => {
      await manage.post('/catalog/reload', {})
    },
  ]
  try {
    await dice.pick(changes)()
    account.count('changes of organisers')
  } catch (error) {
    // A client-side failure: the server closes an idle kept connection just as it is used again.
    const isStale = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
    if (!isStale && !server.wasInterrupted(started, Date.now()))
      account.violate('a change of an organiser', String(error))
  }
}
