// A key's allowed routes: by any spelling of a path, or by everything below one.
import { expect, test } from 'bun:test'
import { isRouteAllowed } from './gate.ts'

const names = ['/vendor/v1beta/models/:model::predict', '/vendor/v1beta/models/{model}:predict']

test.each<[string[], boolean]>([
  [[], true],
  [['/vendor/v1beta/models/{model}:predict'], true],
  [['/v1/models', '/vendor/*'], true],
  [['/vendor/v1beta/*'], true],
  [['/*'], true],
  [['/vendor'], false],
  [['/vendor/v1beta/models'], false],
  [['/vend*'], false],
  [['/vendor/v1beta/models/{model}:generateContent'], false],
  [['*'], false],
])('%j: %p', (allowed, isAllowed) => expect(isRouteAllowed(allowed, names)).toBe(isAllowed))
