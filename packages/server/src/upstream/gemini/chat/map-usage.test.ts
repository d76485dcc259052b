// The vendor's token counts become ours: either spelling, thoughts included or separate, and impossible figures.
import { describe, expect, test } from 'bun:test'
import { mapUsage } from './map-usage.ts'

/** input, cached, output, reasoning; or the kind of a report without usage. */
function read(usageMetadata: unknown): unknown {
  const report = mapUsage({ usageMetadata })
  if (report.kind !== 'reported') return report.kind
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = report.usage
  return [inputTokens, cachedTokens, outputTokens, reasoningTokens]
}

const rows: readonly [string, unknown, unknown][] = [
  [
    'thoughts next to candidates',
    { promptTokenCount: 83, candidatesTokenCount: 14, thoughtsTokenCount: 104, totalTokenCount: 201 },
    [83, 0, 118, 104],
  ],
  [
    'thoughts inside candidates',
    { promptTokenCount: 10, candidatesTokenCount: 50, thoughtsTokenCount: 30, totalTokenCount: 60 },
    [10, 0, 50, 30],
  ],
  [
    'no total: thoughts are added',
    { promptTokenCount: 10, candidatesTokenCount: 50, thoughtsTokenCount: 30 },
    [10, 0, 80, 30],
  ],
  [
    'a total that leaves out larger thoughts',
    { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 30, totalTokenCount: 15 },
    [10, 0, 35, 30],
  ],
  [
    'cached input',
    { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 1 },
    [100, 60, 1, 0],
  ],
  [
    'more cached than input is clamped',
    { promptTokenCount: 10, cachedContentTokenCount: 60 },
    [10, 10, 0, 0],
  ],
  [
    'tool use is input',
    { promptTokenCount: 10, toolUsePromptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 16 },
    [15, 0, 1, 0],
  ],
  [
    'snake case',
    { prompt_token_count: 3, candidates_token_count: 4, thoughts_token_count: 5, total_token_count: 12 },
    [3, 0, 9, 5],
  ],
  [
    'a reported zero stays zero',
    { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    [0, 0, 0, 0],
  ],
  ['absent', undefined, 'absent'],
  ['null', null, 'absent'],
  ['empty', {}, 'absent'],
  ['another shape', [1], 'absent'],
  ['a total alone', { totalTokenCount: 5 }, 'invalid'],
  ['negative', { promptTokenCount: -1, candidatesTokenCount: 1 }, 'invalid'],
  ['fractional', { promptTokenCount: 1.5 }, 'invalid'],
  ['absurd', { promptTokenCount: 1, candidatesTokenCount: 100_000_001 }, 'invalid'],
  ['at the bound', { promptTokenCount: 100_000_000 }, [100_000_000, 0, 0, 0]],
  ['text', { promptTokenCount: '12' }, 'invalid'],
  ['not finite', { promptTokenCount: Number.POSITIVE_INFINITY }, 'invalid'],
  ['a negative thought', { promptTokenCount: 5, thoughtsTokenCount: -5 }, 'invalid'],
]

describe('usage', () => {
  test.each(rows)('%s', (_name, metadata, expected) => {
    expect(read(metadata)).toEqual(expected)
  })

  test('the block itself in snake case', () => {
    expect(mapUsage({ usage_metadata: { prompt_token_count: 1 } }).kind).toBe('reported')
  })
})
