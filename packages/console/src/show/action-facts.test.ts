// Undoing an action must not touch teams that it did not change.
import { expect, test } from 'bun:test'
import { findUndo, isReversed } from './action-facts.ts'

const change = (subject: string) => ({ what: 'board.locked', subject, from: false, to: true, count: 1 })
const post = (path: string, body: Readonly<Record<string, unknown>> = {}) => ({
  method: 'POST' as const,
  path,
  body,
})

test.each([
  [
    '/teams/lock',
    { teams: 'all' },
    [change('red'), change('red'), change('blue')],
    post('/teams/unlock', { teams: ['red', 'blue'] }),
  ],
  ['/teams/block', { teams: ['red', 'blue'] }, [change('blue')], post('/teams/unblock', { teams: ['blue'] })],
  [
    '/teams/grant',
    { teams: 'all', amount_nano: 5, reason: 'x' },
    [change('red')],
    post('/teams/grant', { teams: ['red'], amount_nano: -5 }),
  ],
  ['/event/pause', {}, [], post('/event/resume')],
  ['/key/block', { key: 'k' }, [], post('/key/unblock', { key: 'k' })],
  ['/teams/lock', { teams: 'all' }, [], null],
  ['/key/delete', { keys: ['k'] }, [], null],
])('%s of %j is undone', (path, body, changes, undo) => {
  const found = findUndo(post(path, body), changes)
  expect(found?.requests ?? []).toEqual(undo === null ? [] : [undo])
})

const phase = (what: string, from: string | null, to: string | null) => {
  return { what, subject: 'Contest', from, to, count: 1 }
}

test.each([
  ['the same values are restored', [change('red')], [{ ...change('red'), from: true, to: false }], true],
  ['someone has changed it again', [change('red')], [{ ...change('red'), from: 'later', to: false }], false],
  ['nothing would change', [change('red')], [], false],
  [
    'something else would change too',
    [change('red')],
    [change('red'), change('blue')].map(each => ({ ...each, from: true, to: false })),
    false,
  ],
  [
    'a restored phase lists its fields',
    [phase('phase', 'all day', null)],
    [phase('phase', null, 'all day'), phase('phase.gateway', 'open', 'closed')],
    true,
  ],
])('restored values: %s', (_, earlier, later, isRight) => {
  expect(isReversed(earlier, later)).toBe(isRight)
})
