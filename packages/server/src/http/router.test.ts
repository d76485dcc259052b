// Checks which route a path leads to: parameters, verbs, other spellings, and the form for people.
import { expect, test } from 'bun:test'
import { createRouter, showPath } from './router.ts'

function find(path: string, asked: string) {
  const router = createRouter<string>()
  router.add('GET', path, path)
  router.add('GET', '/console/*', 'console')
  return router.find('GET', asked)
}

test.each([
  ['/v1/models', '/v1/models', {}],
  ['/v1/models/:id', '/v1/models/a:b', { id: 'a:b' }],
  ['/v1/models/:id', '/v1/models/a%2Fb%20c', { id: 'a/b c' }],
  ['/v1/models/:id', '/v1/models/%zz', { id: '%zz' }],
  ['/models/:model::predict', '/models/a-2.5:predict', { model: 'a-2.5' }],
])('%s is found at %s', (path, asked, parameters) => {
  expect(find(path, asked)).toEqual({ serve: path, parameters })
})

test.each([
  ['/v1/models', '/v1/models/'],
  ['/v1/models/:id', '/v1/models/a/b'],
  ['/models/:model::predict', '/models/a:b:predict'],
])('%s is not found at %s', (path, asked) => {
  expect(find(path, asked)).toBeNull()
})

test('another method is not found; the route added first wins', () => {
  const router = createRouter<string>()
  router.add('POST', '/v1/files/:id', 'one')
  router.add('GET', '/v1/files/new', 'first')
  router.add('GET', '/v1/files/:id', 'second')
  expect(router.find('DELETE', '/v1/files/new')).toBeNull()
  expect(router.find('GET', '/v1/files/new')?.serve).toBe('first')
  expect(router.find('GET', '/v1/files/old')?.serve).toBe('second')
})

test.each([
  ['/v1/models', '/v1/models'],
  ['/v1/models/:id', '/v1/models/{id}'],
  ['/models/:model{[^/:]+}', '/models/{model}'],
  ['/models/:model::predict', '/models/{model}:predict'],
])('%s is shown as %s', (path, shown) => {
  expect(showPath(path)).toBe(shown)
})
