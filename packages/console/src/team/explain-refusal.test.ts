// A refusal by a per-minute limit shows its figures, the wait and a model that has room.
import { expect, test } from 'bun:test'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { explainRefusal } from './explain-refusal.ts'

const now = Date.parse('2026-11-21T15:42:00Z')
const refused = (level: string, more: object = {}) => ({
  code: 'rpm_exceeded',
  count: 1,
  model_served: 'pro',
  model_asked: 'pro',
  refusal: { level, limit: '20', used: '20', held: '0', reset: '2026-11-21T15:42:10.400Z' },
  ...more,
})
const models = [
  { id: 'pro', modality: 'chat' },
  { id: 'picture', modality: 'image' },
  { id: 'full', modality: 'chat' },
  { id: 'flash', modality: 'chat' },
]
const limit = (model: string, used: number): LimitInUse => ({
  level: 'team_model',
  key: null,
  model,
  kind: 'requests',
  limit: 300,
  used,
  held: 0,
  frees_at: null,
})

test('a refusal by a model’s limit names a similar model that has room', () => {
  expect(explainRefusal(refused('team_model'), [limit('full', 300), limit('flash', 10)], models, now)).toBe(
    'pro accepts 20 requests from your team in any 60 s. This was number 21. Wait 11 s, or use flash, which has room for 290.',
  )
  expect(explainRefusal(refused('key_model'), [limit('full', 300)], models, now)).toEndWith('or use flash.')
})

test('a refusal by a limit for all models names none and shows when to retry', () => {
  expect(explainRefusal(refused('team'), [], models, now + 60_000)).toBe(
    'Your team can send 20 requests in any 60 s. This was number 21. You can try again now.',
  )
})

test('a token refusal shows how many were left; others keep the server’s message', () => {
  const tokens = refused('key', {
    code: 'tpm_exceeded',
    refusal: { level: 'key', limit: '1000', used: '900', held: '0', reset: null },
  })
  expect(explainRefusal(tokens, [], [], now)).toBe(
    'Your key can send 1,000 tokens in any 60 s. 100 were left, and the call needed more. Send less at a time.',
  )
  expect(explainRefusal(refused('team', { code: 'budget_exceeded' }), [], [], now)).toBeNull()
  expect(explainRefusal(refused('team', { refusal: null }), [], [], now)).toBeNull()
})
