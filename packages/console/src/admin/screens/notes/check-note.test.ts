// Note validation: empty notes, and how much too long a note is.
import { expect, test } from 'bun:test'
import { checkNote, longestNote } from './check-note.ts'

test('a note may be as long as the route accepts', () => {
  expect(checkNote('They test by hand.')).toBeNull()
  expect(checkNote('x'.repeat(longestNote))).toBeNull()
  expect(checkNote('🙂'.repeat(longestNote))).toBeNull()
})

test('a note of only whitespace is empty', () => {
  expect(checkNote('')).toBe('Enter a note')
  expect(checkNote(' \n\t ')).toBe('Enter a note')
})

test('a note that is too long shows by how much', () => {
  expect(checkNote('x'.repeat(longestNote + 12))).toContain('Shorten it by 12 characters.')
})
