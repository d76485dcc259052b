// What each reply of a logbook means for the entries that were sent.
import { expect, test } from 'bun:test'
import type { LogbookReply } from './call-logbook.ts'
import { type Judgement, judgeReply } from './judge-reply.ts'

const reply = (status: number, body: unknown = undefined, more: object = {}): LogbookReply => ({
  kind: 'reply',
  status,
  body,
  isEmpty: false,
  teamId: null,
  location: null,
  retryAfterMs: null,
  ...more,
})
const error = { error: { message: 'no', type: 'x', param: null, code: 'odd' } }
const stop = (reason: string, message: string, retryAfterMs: number | null = null) =>
  ({ kind: 'stop', reason, message, retryAfterMs }) as Judgement
const accepted = (more: object = {}) =>
  ({ kind: 'accepted', rejected: [], duplicates: 0, teamId: null, ...more }) as Judgement
const senseless = stop('not a logbook', 'the reply makes no sense')
const rejection = { index: 1, code: 'field_too_long', message: 'no' }

test.each<[string, LogbookReply, Judgement]>([
  ['no connection', { kind: 'unreachable', message: 'refused' }, stop('unreachable', 'refused')],
  ['no answer in time', { kind: 'timeout', message: 'late' }, stop('timeout', 'late')],
  ['202', reply(202, { received: 2, duplicates: 1, rejected: [] }), accepted({ duplicates: 1 })],
  ['202 that names the team', reply(202, {}, { teamId: 'red' }), accepted({ teamId: 'red' })],
  ['202 with a rejection', reply(202, { rejected: [rejection] }), accepted({ rejected: [rejection] })],
  ['202 without a body', reply(202, undefined, { isEmpty: true }), accepted()],
  ['nonsense', reply(202), senseless],
  ['a list', reply(202, []), senseless],
  ['a wrong count', reply(202, { received: 99 }), senseless],
  ['a rejection of no entry of ours', reply(202, { rejected: [{ ...rejection, index: 2 }] }), senseless],
  ['a rejection without a reason', reply(202, { rejected: [{ index: 0 }] }), senseless],
  ['more duplicates than entries', reply(202, { duplicates: 3 }), senseless],
  ['401', reply(401, error), stop('unauthorized', 'the logbook does not know the log token')],
  ['403', reply(403, error), stop('locked', "the team's board is locked")],
  ['404', reply(404, error), stop('not a logbook', 'the address of the logbook answered 404')],
  ['a sign-in page', reply(200), stop('not a logbook', 'the address of the logbook answered 200')],
  ['400', reply(400, error), { kind: 'refused', code: 'odd', message: 'no' }],
  [
    '413 without a body',
    reply(413),
    { kind: 'refused', code: 'refused', message: 'the logbook answered 413' },
  ],
  ['422', reply(422, error), { kind: 'refused', code: 'odd', message: 'no' }],
  ['429', reply(429, error, { retryAfterMs: 5000 }), stop('busy', 'the logbook asks to wait', 5000)],
  ['408', reply(408), stop('unavailable', 'the logbook answered 408')],
  ['500', reply(500, error), stop('unavailable', 'the logbook answered 500')],
  ['503', reply(503, error, { retryAfterMs: 1000 }), stop('unavailable', 'the logbook answered 503', 1000)],
  ['a redirect', reply(307), stop('redirected', 'the address of the logbook leads elsewhere')],
])('%s', (_, answer, judgement) => {
  expect(judgeReply(answer, 2)).toEqual(judgement)
})
