// Drafts: kept by owner and thing, forgotten when they are saved, and no fault where the browser keeps nothing.
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

test('a draft is there again until there is nothing left of it', () => {
  const keeper = createKeeper()
  const name = nameDraft('judge-1', ['team', 'night-ferry'])
  keepDraft(keeper, name, 'They test')
  expect(readDraft(keeper, name)).toBe('They test')
  expect(readDraft(keeper, nameDraft('judge-2', ['team', 'night-ferry']))).toBeNull()
  keepDraft(keeper, name, null)
  expect(readDraft(keeper, name)).toBeNull()
})

test('two things never share a draft, whatever stands in their names', () => {
  expect(nameDraft('a', ['b', 'c'])).not.toBe(nameDraft('a', ['b c']))
  expect(nameDraft('a', ['1'])).not.toBe(nameDraft('a', [1]))
})

test('a browser that keeps nothing is no fault', () => {
  const refuse = () => {
    throw new Error('full')
  }
  const keeper = { getItem: refuse, setItem: refuse, removeItem: refuse }
  expect(() => keepDraft(keeper, 'a', 'text')).not.toThrow()
  expect(readDraft(keeper, 'a')).toBeNull()
})
