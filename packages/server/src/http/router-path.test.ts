// Paths with verbs: what the router takes, what handlers get, and what people read.
import { expect, test } from 'bun:test'
import { readPathParameters, showPath, toRouterPath } from './router-path.ts'

test.each([
  ['/v1/models', '/v1/models', '/v1/models'],
  ['/v1/models/:id', '/v1/models/:id', '/v1/models/{id}'],
  ['/models/:model{[^/:]+}', '/models/:model{[^/:]+}', '/models/{model}'],
  ['/models/:model::predict', '/models/:model{[^/:]+:predict}', '/models/{model}:predict'],
])('%s', (path, router, shown) => {
  expect(toRouterPath(path)).toBe(router)
  expect(showPath(path)).toBe(shown)
})

test('handlers get the name without its verb', () => {
  expect(readPathParameters('/models/:model::predict', { model: 'a-2.5:predict' })).toEqual({
    model: 'a-2.5',
  })
  expect(readPathParameters('/models/:id', { id: 'a:b' })).toEqual({ id: 'a:b' })
})
