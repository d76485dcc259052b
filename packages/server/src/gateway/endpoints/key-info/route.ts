// GET /key/info: the key record of the calling key (spec 2.1, 4.1).
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import type { Catalog } from '../../../catalog/types.ts'
import { buildKeyRecord } from '../../../directory/key-record.ts'
import { defineRoute } from '../../../http/route.ts'
import { periodOf } from '../../../ledger/budget-period.ts'
import { toUsdNumber } from '../../../ledger/money.ts'
import type { Limits } from '../../../limits/port.ts'
import type { createInfoCall } from '../../info-call.ts'
import type { Caller } from '../../stages/1-authenticate.ts'

export type KeyInfoDependencies = {
  readonly infoCall: ReturnType<typeof createInfoCall>
  readonly limits: Pick<Limits, 'spendOf'>
  readonly catalog: Catalog
  readonly clock: () => number
}

export function keyInfoRoute({ infoCall, limits, catalog, clock }: KeyInfoDependencies) {
  const describe = ({ key }: Caller) => {
    const { keyHash } = key
    const period = periodOf(key.budgetDuration, key.budgetAnchor, clock())
    const modelSpend: Record<string, number> = {}
    for (const { id } of catalog.models) {
      const { spent } = limits.spendOf({ kind: 'key_model', keyHash, modelId: id }, period.start)
      if (spent > 0) modelSpend[id] = toUsdNumber(spent)
    }
    return buildKeyRecord(key, {
      spend: limits.spendOf({ kind: 'key', keyHash }, period.start).spent,
      modelSpend,
      budgetResetAt: period.end,
    })
  }
  return defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/key/info',
    tag: 'Key and team',
    summary: 'The record of the calling key',
    description: 'Answers also while the team is over its budget or a limit.',
    replies: { 200: keyInfoSchema },
    errors: [
      'invalid_api_key',
      'key_blocked',
      'key_expired',
      'team_blocked',
      'route_not_allowed',
      'parallel_exceeded',
    ],
    handle: (caller, context) => infoCall(caller, context.callId, () => describe(caller)),
  })
}
