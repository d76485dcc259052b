// What is said of the text of a note: nothing, that it is empty, or by how much it is too long.
import { expect, test } from 'bun:test'
import { checkNote, longestNote } from './check-note.ts'

test('a text passes up to the last character that the route takes', () => {
  expect(checkNote('They test by hand.')).toBeNull()
  expect(checkNote('x'.repeat(longestNote))).toBeNull()
  expect(checkNote('🙂'.repeat(longestNote))).toBeNull()
})

test('nothing but space is no note', () => {
  expect(checkNote('')).toBe('A note needs a text.')
  expect(checkNote(' \n\t ')).toBe('A note needs a text.')
})

test('a text that is too long is told by how much', () => {
  expect(checkNote('x'.repeat(longestNote + 12))).toContain('Shorten it by 12 characters.')
})
