// Drafts are kept per owner and subject, dropped once saved, and cause no error if the browser stores nothing.
import { expect, test } from 'bun:test'
import { keepDraft, nameDraft, readDraft } from './drafts.ts'

function createKeeper() {
  const kept = new Map<string, string>()
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  }
}

test('a draft is restored until it is cleared', () => {
  const keeper = createKeeper()
  const name = nameDraft('judge-1', ['team', 'night-ferry'])
  keepDraft(keeper, name, 'They test')
  expect(readDraft(keeper, name)).toBe('They test')
  expect(readDraft(keeper, nameDraft('judge-2', ['team', 'night-ferry']))).toBeNull()
  keepDraft(keeper, name, null)
  expect(readDraft(keeper, name)).toBeNull()
})

test('two subjects never share a draft, whatever their names contain', () => {
  expect(nameDraft('a', ['b', 'c'])).not.toBe(nameDraft('a', ['b c']))
  expect(nameDraft('a', ['1'])).not.toBe(nameDraft('a', [1]))
})

test('a browser without storage causes no error', () => {
  const refuse = () => {
    throw new Error('full')
  }
  const keeper = { getItem: refuse, setItem: refuse, removeItem: refuse }
  expect(() => keepDraft(keeper, 'a', 'text')).not.toThrow()
  expect(readDraft(keeper, 'a')).toBeNull()
})
