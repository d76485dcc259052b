// Full limits come first, and small changes do not move rows.
import { expect, test } from 'bun:test'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { orderLimits } from './order-limits.ts'

const limit = (level: LimitInUse['level'], used: number): LimitInUse => ({
  level,
  key: null,
  model: null,
  kind: 'requests',
  limit: 100,
  used,
  held: 0,
  frees_at: null,
})

test('the fullest limit comes first; among equally full ones, the team’s own', () => {
  const ordered = orderLimits([limit('key', 0), limit('team', 3), limit('service_model', 95)])
  expect(ordered.map(({ level }) => level)).toEqual(['service_model', 'team', 'key'])
})
