// Usage of OpenAI-compatible servers becomes ours: either vocabulary, reasoning included or separate, and impossible figures.
import { expect, test } from 'bun:test'
import { mapUsage } from './map-usage.ts'

/** input, cached, output, reasoning and media; or the kind of a report without usage. */
function read(usage: unknown): unknown {
  const report = mapUsage({ usage })
  if (report.kind !== 'reported') return report.kind
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, media } = report.usage
  return [inputTokens, cachedTokens, outputTokens, reasoningTokens, ...(media === undefined ? [] : [media])]
}

const sum = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  ...more,
})

test.each<[string, unknown, unknown]>([
  ['the usual', sum(9, 12), [9, 0, 12, 0]],
  ['no output yet', sum(9, 0), [9, 0, 0, 0]],
  ['no total', { prompt_tokens: 9, completion_tokens: 12 }, [9, 0, 12, 0]],
  ['embeddings', { prompt_tokens: 9, total_tokens: 9 }, [9, 0, 0, 0]],
  ['cached', sum(100, 1, { prompt_tokens_details: { cached_tokens: 64 } }), [100, 64, 1, 0]],
  ['more cached than sent', sum(10, 1, { prompt_tokens_details: { cached_tokens: 64 } }), [10, 10, 1, 0]],
  ['reasoning inside', sum(9, 50, { completion_tokens_details: { reasoning_tokens: 40 } }), [9, 0, 50, 40]],
  [
    'separate reasoning, by the total',
    {
      prompt_tokens: 9,
      completion_tokens: 5,
      total_tokens: 54,
      completion_tokens_details: { reasoning_tokens: 40 },
    },
    [9, 0, 45, 40],
  ],
  [
    'output that only the total shows',
    { prompt_tokens: 9, completion_tokens: 5, total_tokens: 54 },
    [9, 0, 45, 40],
  ],
  [
    'reasoning above its whole',
    sum(9, 5, { completion_tokens_details: { reasoning_tokens: 40 } }),
    [9, 0, 45, 40],
  ],
  ['null details', sum(9, 5, { prompt_tokens_details: null, completion_tokens_details: null }), [9, 0, 5, 0]],
  [
    'audio in and out',
    sum(50, 60, {
      prompt_tokens_details: { audio_tokens: 40 },
      completion_tokens_details: { audio_tokens: 55 },
    }),
    [50, 0, 60, 0, { inputAudio: 40, outputAudio: 55 }],
  ],
  [
    'images',
    {
      input_tokens: 30,
      output_tokens: 1056,
      total_tokens: 1086,
      input_tokens_details: { text_tokens: 10, image_tokens: 20 },
    },
    [30, 0, 1056, 0, { inputImage: 20 }],
  ],
  [
    'a transcript',
    {
      type: 'tokens',
      input_tokens: 14,
      output_tokens: 45,
      total_tokens: 59,
      input_token_details: { audio_tokens: 14 },
    },
    [14, 0, 45, 0, { inputAudio: 14 }],
  ],
  [
    'more audio than input',
    sum(5, 1, { prompt_tokens_details: { audio_tokens: 9 } }),
    [5, 0, 1, 0, { inputAudio: 5 }],
  ],
  ['nothing', undefined, 'absent'],
  ['null', null, 'absent'],
  ['an empty block', {}, 'absent'],
  ['zeros alone', { completion_tokens: 0, total_tokens: 0 }, 'absent'],
  ['a total alone', { total_tokens: 5 }, 'invalid'],
  ['negative', sum(-5, 1), 'invalid'],
  ['fractional', sum(2.5, 1), 'invalid'],
  ['absurd', sum(9e15, 1), 'invalid'],
  ['text', { prompt_tokens: '9', completion_tokens: 1 }, 'invalid'],
])('%s', (_, usage, expected) => expect(read(usage)).toEqual(expected))
