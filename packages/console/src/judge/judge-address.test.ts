import { expect, test } from 'bun:test'
import { entryHref, judgingPath, readPlace, sessionHref, teamHref, viewHref } from './judge-address.ts'

const readHref = (href: string) => readPlace(Object.fromEntries(new URL(href, 'http://page').searchParams))

test('every address leads to the place that it was made for', () => {
  expect(readHref('/judging')).toEqual({ kind: 'start', team: null })
  expect(readHref(teamHref('17'))).toEqual({ kind: 'team', team: '17' })
  expect(readHref(entryHref('a&b', 118))).toEqual({ kind: 'entry', team: 'a&b', seq: '118' })
  expect(readHref(sessionHref({ team: '17', session: 's/1?x', tool: 'codex', seq: 4 }))).toEqual({
    kind: 'session',
    team: '17',
    session: 's/1?x',
    tool: 'codex',
  })
})

test('a team in the address filters the sessions of all teams', () => {
  expect(viewHref('sessions', { team: '17' })).toBe('/judging?view=sessions&team=17')
  expect(readHref(viewHref('sessions', { team: '17' }))).toEqual({ kind: 'sessions', team: null })
})

test('paths of routes keep what a team or tool has put into a name', () => {
  expect(judgingPath('sessions', '17', '../queue')).toBe('/judging/sessions/17/..%2Fqueue')
})
