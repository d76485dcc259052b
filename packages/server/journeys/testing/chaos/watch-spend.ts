// Checks every team again and again: spend plus holds never exceed the budget.
import type { Campaign } from './make-calls.ts'

/** A whole nano-dollar, for figures that are shown in dollars. */
const grain = 1e-9

export async function watchSpend({ account, server, teams }: Campaign): Promise<void> {
  const started = Date.now()
  try {
    for (const team of teams) {
      // A budget that is granted meanwhile only grows: the later figure is the larger one.
      const { team_info } = await server.manage().teamInfo(team.id)
      const { spend, held, max_budget } = team_info
      account.count('looks at money')
      const budget = max_budget ?? Number.POSITIVE_INFINITY
      if (spend > budget + grain)
        account.violate('spend above the budget', `${team.id}: ${spend} of ${budget}`)
      if (spend + held > budget + grain)
        account.violate('spend and held above the budget', `${team.id}: ${spend} + ${held} of ${budget}`)
      for (const key of team.keys) {
        const response = await fetch(`${server.current().gatewayUrl}/key/info`, {
          headers: { authorization: `Bearer ${key.renewal?.secret ?? key.secret}` },
        })
        if (response.status !== 200) continue
        const { info } = (await response.json()) as {
          readonly info: {
            readonly spend: number
            readonly max_budget: number | null
            readonly model_spend: Readonly<Record<string, number>>
            readonly model_max_budget: Readonly<
              Record<string, number | { readonly max_budget?: number; readonly budget_limit?: number }>
            >
          }
        }
        if (info.max_budget !== null && info.spend > info.max_budget + grain)
          account.violate(
            'spend above the budget of a key',
            `${team.id}: ${info.spend} of ${info.max_budget}`,
          )
        for (const [model, limit] of Object.entries(info.model_max_budget)) {
          const most =
            typeof limit === 'number'
              ? limit
              : (limit.max_budget ?? limit.budget_limit ?? Number.POSITIVE_INFINITY)
          const spent = info.model_spend[model] ?? 0
          if (spent > most + grain)
            account.violate(
              'spend above the budget of a key and model',
              `${team.id} ${model}: ${spent} of ${most}`,
            )
        }
      }
    }
    const { residentMegabytes } = await server.figures()
    account.figures['most memory, MiB'] = Math.max(
      account.figures['most memory, MiB'] ?? 0,
      residentMegabytes,
    )
  } catch (error) {
    if (!server.wasInterrupted(started, Date.now())) account.violate('a look at money', String(error))
  }
}
