// Tests who sees an announcement and when, and what its text may contain.
import { describe, expect, test } from 'bun:test'
import {
  type Announcement,
  buildAnnouncementRecord,
  checkLink,
  checkText,
  listShown,
} from './announcements.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const lunch: Announcement = {
  announcementId: 'an_1',
  text: 'Lunch',
  link: null,
  teams: null,
  from: now,
  until: null,
  removedAt: null,
  createdAt: now,
  createdBy: 'admin',
}

const teams = [
  { teamId: 'red', blocked: null },
  { teamId: 'blue', blocked: false },
  { teamId: 'blocked', blocked: true },
]

test.each([
  ['from now on', {}, 'shown'],
  ['from later on', { from: now + 1 }, 'coming'],
  ['until later', { until: now + 1 }, 'shown'],
  ['until now', { until: now }, 'over'],
  ['removed', { removedAt: now }, 'removed'],
  ['for the team', { teams: ['red'] }, 'shown'],
])('%s', (_name, changes, state) => {
  const announcement = { ...lunch, ...changes }
  expect(buildAnnouncementRecord(announcement, teams, now).state).toBe(state as 'shown')
  expect(listShown([announcement], 'red', now)).toHaveLength(state === 'shown' ? 1 : 0)
})

test('a team sees only its own announcements, and the record counts the teams reached', () => {
  const forRed = { ...lunch, teams: ['red', 'blocked'] }
  expect(listShown([forRed], 'blue', now)).toEqual([])
  expect(buildAnnouncementRecord(forRed, teams, now)).toMatchObject({
    audience: ['red', 'blocked'],
    shown_to: 1,
  })
})

test('the newest comes first, and only as many as can be read', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({
    ...lunch,
    announcementId: `an_${index}`,
    from: now - index,
  }))
  const shown = listShown(many.toReversed(), 'red', now)
  expect(shown.map(({ announcement_id }) => announcement_id)).toEqual(
    many.slice(0, 20).map(({ announcementId }) => announcementId),
  )
})

describe('the text', () => {
  test.each([' Lunch ', 'Déjeuner à 12 h', '점심 시간', '🍜 at 12', '❤️', '👨‍👩‍👧 welcome', 'a \\u{202e} b'])(
    '%s is accepted',
    text => {
      expect(checkText('text', text)).toBe(text.trim())
    },
  )

  test.each([
    ['a line break', 'one\ntwo'],
    ['an escape', '\u001b[31mred'],
    ['NUL', 'a\u0000b'],
    ['a direction mark', 'pay \u202eyraid'],
    ['an invisible space', 'a\u200bb'],
    ['a joiner between letters', 'a\u200db'],
    ['half a surrogate pair', 'a\ud800'],
    ['nothing', '  '],
  ])('%s is refused', (_name, text) => {
    expect(() => checkText('text', text)).toThrow("Invalid value for 'text'")
  })
})

test.each(['javascript:alert(1)', 'ftp://a.example', 'a.example', 'https://me:pw@a.example/', ''])(
  'the link %s is refused',
  link => {
    expect(() => checkLink('link', link)).toThrow("Invalid value for 'link'")
  },
)
