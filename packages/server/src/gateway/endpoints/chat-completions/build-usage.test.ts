// Checks the usage that clients get for reports of each kind of upstream: every kind of token under its own name.
import { expect, test } from 'bun:test'
import { mapUsage as mapGeminiUsage } from '../../../upstream/gemini/chat/map-usage.ts'
import { mapUsage as mapOpenaiUsage } from '../../../upstream/openai/map-usage.ts'
import { buildUsage } from './build-completion.ts'

const vendor = (usageMetadata: object) => mapGeminiUsage({ usageMetadata })
const openai = (usage: object) => mapOpenaiUsage({ usage })
const part = (modality: string, tokenCount: number) => ({ modality, tokenCount })

const mixed = vendor({
  promptTokenCount: 1000,
  cachedContentTokenCount: 40,
  candidatesTokenCount: 1300,
  thoughtsTokenCount: 20,
  totalTokenCount: 2320,
  promptTokensDetails: [part('TEXT', 100), part('IMAGE', 258), part('AUDIO', 320), part('VIDEO', 322)],
  candidatesTokensDetails: [part('TEXT', 10), part('IMAGE', 1290)],
})

test.each([
  [
    'text alone has no member for media',
    [vendor({ promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 })],
    { cached_tokens: 0, text_tokens: 9 },
    { reasoning_tokens: 0, text_tokens: 3 },
  ],
  [
    'images, audio and video of the vendor',
    [mixed],
    { cached_tokens: 40, text_tokens: 60, audio_tokens: 320, image_tokens: 258, video_tokens: 322 },
    { reasoning_tokens: 20, text_tokens: 10, image_tokens: 1290 },
  ],
  [
    'two choices, one of which drew',
    [mixed, vendor({ promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 })],
    { cached_tokens: 40, text_tokens: 69, audio_tokens: 320, image_tokens: 258, video_tokens: 322 },
    { reasoning_tokens: 20, text_tokens: 13, image_tokens: 1290 },
  ],
  [
    'an OpenAI-compatible server',
    [
      openai({
        prompt_tokens: 50,
        completion_tokens: 60,
        total_tokens: 110,
        prompt_tokens_details: { audio_tokens: 30, image_tokens: 8, cached_tokens: 2 },
        completion_tokens_details: { audio_tokens: 55, reasoning_tokens: 1 },
      }),
    ],
    { cached_tokens: 2, text_tokens: 10, audio_tokens: 30, image_tokens: 8 },
    { reasoning_tokens: 1, text_tokens: 4, audio_tokens: 55 },
  ],
  [
    'nothing reported',
    [vendor({})],
    { cached_tokens: 0, text_tokens: 0 },
    { reasoning_tokens: 0, text_tokens: 0 },
  ],
])('%s', (_, reports, prompt, completion) => {
  const usage = buildUsage(reports)
  expect(usage.prompt_tokens_details).toEqual(prompt)
  expect(usage.completion_tokens_details).toEqual(completion)
  const sum = (parts: object) => Object.values(parts).reduce((total, count) => total + count, 0)
  expect([sum(prompt), sum(completion)]).toEqual([usage.prompt_tokens, usage.completion_tokens])
})
