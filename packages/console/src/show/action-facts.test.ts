// What undoes an action must not reach teams that it left as they were.
import { expect, test } from 'bun:test'
import { findUndo } from './action-facts.ts'

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
  expect(findUndo(post(path, body), { changes })).toEqual(undo)
})
