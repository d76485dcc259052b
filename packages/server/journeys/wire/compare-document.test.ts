// Checks what counts as a difference between two OpenAPI documents, and how it is reported.
import { expect, test } from 'bun:test'
import { describeDifferences } from './compare-document.ts'

const recorded = {
  info: { title: 'Doors', description: 'Old text' },
  paths: { '/team/new': { post: { tags: ['Teams'], parameters: [{ name: 'a' }, { name: 'b' }] } } },
}

function describe(change: (document: typeof recorded) => object): string | null {
  return describeDifferences(recorded, change(structuredClone(recorded)))
}

test('the order of members does not matter', () => {
  expect(describe(({ info, paths }) => ({ paths, info }))).toBeNull()
})

test('a changed description is shown with its pointer', () => {
  const changed = describe(document => {
    document.info.description = 'New text'
    return document
  })
  expect(changed).toBe('changed /info/description\n- "Old text"\n+ "New text"')
})

test('a new member and a missing one are shown, and a slash in a name is escaped', () => {
  const changed = describe(({ paths, info: { title } }) => ({ paths, info: { title, version: '1' } }))
  expect(changed).toBe('removed /info/description\n- "Old text"\n\nadded /info/version\n+ "1"')
  const renamed = describe(({ info }) => ({ info, paths: {} }))
  expect(renamed).toStartWith('removed /paths/~1team~1new\n')
})

test('an item at the start of a list is one difference', () => {
  const changed = describe(document => {
    document.paths['/team/new'].post.parameters.unshift({ name: 'first' })
    return document
  })
  expect(changed).toBe('added /paths/~1team~1new/post/parameters/0\n+ {"name":"first"}')
})

test('the order of a list matters', () => {
  const changed = describe(document => {
    document.paths['/team/new'].post.parameters.reverse()
    return document
  })
  expect(changed).toContain('changed /paths/~1team~1new/post/parameters/0/name\n- "a"\n+ "b"')
})

test('the number of reported differences is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, index]))
  expect(describeDifferences({}, many)).toEndWith('… and 75 more differences')
})
