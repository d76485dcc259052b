// The tokens of a charge, in every unit that they can be charged as.
import { expect, test } from 'bun:test'
import { countTokens } from './count-tokens.ts'
import { unitsOfTokens } from './price.ts'

test('are the ones that the upstream reported', () => {
  const media = { inputAudio: 5, inputImage: 6, inputVideo: 7, outputAudio: 8, outputImage: 9 }
  const usage = { inputTokens: 100, cachedTokens: 40, outputTokens: 60, reasoningTokens: 20, media }
  expect(countTokens(unitsOfTokens(usage))).toEqual({ input: 100, output: 60 })
})

test('are none if other units were charged', () => {
  expect(countTokens({ inputCharacter: 5, image: 2, song: 1, search: 3, second4k: 8, request: 1 })).toEqual({
    input: 0,
    output: 0,
  })
  expect(countTokens({})).toEqual({ input: 0, output: 0 })
})
