// What images by the piece and vectors want of the limits.
import type { GeminiEmbed } from '@fairgate/contracts/gemini/embed-request.ts'
import type { GeminiPredict } from '@fairgate/contracts/gemini/predict-request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { inputCeiling, inputEstimate } from '../../../ledger/estimate-tokens.ts'
import { costOf } from '../../../ledger/price.ts'
import type { CallPlan } from '../../flow/admit.ts'

/** Held for as many images as are asked for; charged are those that come. */
export function planPredict({ parameters }: GeminiPredict, model: CatalogModel): CallPlan {
  const cost = costOf(model.price, { image: parameters?.sampleCount ?? 1 }, 0)
  return { model, endpoint: 'predict', tokens: { input: 0, output: 0 }, estimate: { kind: 'fixed', cost } }
}

/** Every byte of the body a token: the charge is what the upstream counts. */
export function planEmbed(wishes: readonly GeminiEmbed[], bodyBytes: number, model: CatalogModel): CallPlan {
  const inputText = inputCeiling(bodyBytes, wishes.length)
  return {
    model,
    endpoint: 'embedContent',
    tokens: { input: inputEstimate(bodyBytes, wishes.length), output: 0 },
    estimate: { kind: 'fixed', cost: costOf(model.price, { inputText }, inputText) },
  }
}

/** The texts as a prompt, for the upstream to count: replies with vectors carry no usage. */
export function buildCountOfTexts(wishes: readonly GeminiEmbed[]): object {
  return {
    contents: wishes.map(({ content, title }) => ({
      role: 'user',
      parts: [...(title === undefined ? [] : [{ text: title }]), ...content.parts],
    })),
  }
}
