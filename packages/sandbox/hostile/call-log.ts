// Logs each call to the hostile vendor and what it would bill: the other side's own record.
import type { Family } from './families.ts'

export type LoggedCall = {
  /** Unix ms. */
  readonly at: number
  readonly family: Family
  /** The vendor's own name of the model; '' if the address has none. */
  readonly model: string
  /** The mark that the caller put into its prompt to find the call later; null if there is none. */
  readonly mark: string | null
  readonly fault: string | null
  status: number | null
  /** When the last byte was sent, or when the caller was seen to have left. */
  endedAt: number | null
  /** When anything was last sent. */
  lastSentAt: number | null
  isWhole: boolean
  /** The usage reported at the end of a well-behaved reply. */
  usage: { readonly prompt: number; readonly output: number } | null
  /** The number of images in a reply. */
  images: number
}

const maxCalls = 1_000_000

export function createCallLog(now: () => number) {
  const calls: LoggedCall[] = []
  let trapped = 0
  return {
    begin: (facts: Pick<LoggedCall, 'family' | 'model' | 'mark' | 'fault'>): LoggedCall => {
      const call: LoggedCall = {
        at: now(),
        ...facts,
        status: null,
        endedAt: null,
        lastSentAt: null,
        isWhole: false,
        usage: null,
        images: 0,
      }
      if (calls.length < maxCalls) calls.push(call)
      return call
    },
    trap: (): void => {
      trapped += 1
    },
    /** The calls from this one on. */
    read: (from = 0): { readonly calls: readonly LoggedCall[]; readonly trapped: number } => ({
      calls: calls.slice(from),
      trapped,
    }),
  }
}

/** The last usage figures that a good reply reports, in any framing. */
export function readFigures(text: string): Pick<LoggedCall, 'usage' | 'images'> {
  const last = (name: string): number =>
    Number([...text.matchAll(new RegExp(`"${name}":\\s*(\\d+)`, 'g'))].at(-1)?.[1] ?? Number.NaN)
  const first = (...names: readonly string[]) => names.map(last).find(Number.isFinite)
  const uncached = first('promptTokenCount', 'prompt_tokens', 'input_tokens', 'totalTokens')
  // Only Anthropic's figures leave these out of the input.
  const cached = (first('cache_read_input_tokens') ?? 0) + (first('cache_creation_input_tokens') ?? 0)
  const prompt = uncached === undefined ? undefined : uncached + cached
  const output =
    (first('candidatesTokenCount', 'completion_tokens', 'output_tokens') ?? 0) +
    (first('thoughtsTokenCount') ?? 0)
  return {
    usage: prompt === undefined ? null : { prompt, output },
    images: text.match(/"(?:bytesBase64Encoded|b64_json)":/g)?.length ?? 0,
  }
}
