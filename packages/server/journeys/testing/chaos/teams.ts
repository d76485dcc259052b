// Ten teams with different kinds of limits: budgets on every level, windows on every level, few slots, periods.
import type { Management } from '../management.ts'
import type { Account } from './account.ts'

export type ChaosKey = {
  /** The first secret; it identifies the key in the account, whichever secret a call uses. */
  readonly secret: string
  /** Set once the key has a new secret. */
  renewal: KeyRenewal | null
  readonly maxParallel: number | null
  readonly maxBudget: number | null
  /** Set once an organiser got the answer that the key is blocked or deleted. */
  deniedSince: number | null
}

/** The old secret works from before the request at least until `worksUntil`, and no longer from `refusedFrom` on. */
export type KeyRenewal = {
  readonly secret: string
  readonly worksUntil: number
  readonly refusedFrom: number
}

export type ChaosTeam = {
  readonly id: string
  readonly keys: ChaosKey[]
  readonly token: string
  maxBudget: number
  /** Only chat, because expensive endpoints would spend such a budget at once. */
  readonly isSmall: boolean
  /** Between the reply to a lock and the request to unlock. */
  lockedSince: number | null
}

type Fields = {
  readonly team: {
    readonly max_budget: number
    readonly rpm_limit?: number
    readonly tpm_limit?: number
    readonly model_rpm_limit?: Readonly<Record<string, number>>
    readonly model_tpm_limit?: Readonly<Record<string, number>>
    readonly budget_duration?: string
  }
  readonly keys?: {
    readonly max_budget?: number
    readonly rpm_limit?: number
    readonly tpm_limit?: number
    readonly model_rpm_limit?: Readonly<Record<string, number>>
    readonly model_max_budget?: Readonly<Record<string, number>>
    readonly max_parallel_requests?: number
    readonly budget_duration?: string
  }
}

const flash = 'mm-2.5-flash'

const plans: readonly Fields[] = [
  { team: { max_budget: 3 } },
  { team: { max_budget: 2, rpm_limit: 40 } },
  { team: { max_budget: 2, tpm_limit: 12_000 } },
  { team: { max_budget: 2, model_rpm_limit: { [flash]: 30 } } },
  { team: { max_budget: 2 }, keys: { max_parallel_requests: 2 } },
  { team: { max_budget: 0.02 } },
  { team: { max_budget: 1 }, keys: { max_budget: 0.15, model_max_budget: { [flash]: 0.01 } } },
  { team: { max_budget: 1, budget_duration: '1d' }, keys: { max_budget: 0.4, budget_duration: '2h' } },
  {
    team: { max_budget: 1, rpm_limit: 60, tpm_limit: 40_000, model_tpm_limit: { [flash]: 20_000 } },
    keys: { rpm_limit: 25, tpm_limit: 30_000, model_rpm_limit: { [flash]: 12 }, max_parallel_requests: 4 },
  },
  { team: { max_budget: 2, rpm_limit: 50 }, keys: { rpm_limit: 30 } },
]

export async function openTeams(manage: Management, account: Account): Promise<ChaosTeam[]> {
  return Promise.all(
    plans.map(async ({ team, keys: keyFields = {} }, index) => {
      const id = `chaos-${index}`
      await manage.post('/team/new', { team_id: id, ...team })
      noteLimits(account, `team:${id}`, team)
      const opened: ChaosTeam = {
        id,
        keys: [],
        token: (await manage.token(id)).token,
        maxBudget: team.max_budget,
        isSmall: team.max_budget < 0.1 || (keyFields.max_budget ?? 1) < 0.2,
        lockedSince: null,
      }
      for (let count = 0; count < 3; count += 1) await addKey(manage, account, opened, keyFields)
      return opened
    }),
  )
}

export async function addKey(
  manage: Management,
  account: Account,
  team: ChaosTeam,
  fields: Fields['keys'] = {},
): Promise<void> {
  const secret = await manage.key(team.id, fields)
  noteLimits(account, `key:${secret}`, fields)
  team.keys.push({
    secret,
    renewal: null,
    maxParallel: fields.max_parallel_requests ?? null,
    maxBudget: fields.max_budget ?? null,
    deniedSince: null,
  })
}

function noteLimits(
  account: Account,
  owner: string,
  fields: NonNullable<Fields['keys']> | Fields['team'],
): void {
  const note = (scope: string, limit: number | undefined) => {
    if (limit !== undefined) account.limits.push({ scope, limit, askedAt: 0, inForceAt: 0 })
  }
  note(`${owner} rpm`, fields.rpm_limit)
  note(`${owner} tpm`, fields.tpm_limit)
  for (const [model, limit] of Object.entries(fields.model_rpm_limit ?? {}))
    note(`${owner} ${model} rpm`, limit)
  if ('model_tpm_limit' in fields)
    for (const [model, limit] of Object.entries(fields.model_tpm_limit ?? {}))
      note(`${owner} ${model} tpm`, limit)
}
