// Converts the usage of Anthropic's messages to token usage. Impossible figures are reported as invalid and never charged as they are.
import { asRecord, isPresent, type JsonRecord, readTokenCount } from '../narrow-json.ts'
import type { UsageReport } from '../port.ts'

/** `usage` of a message; null if it has none. Its `input_tokens` leave out what was read from or written to the cache. */
export function mapUsage(usage: JsonRecord | null): UsageReport {
  if (usage === null) return { kind: 'absent' }
  const fresh = readTokenCount(usage.input_tokens)
  const cachedTokens = readTokenCount(usage.cache_read_input_tokens)
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } =
    asRecord(usage.cache_creation) ?? {}
  const cacheWrite5m = readTokenCount(short)
  const known = cacheWrite5m + readTokenCount(long)
  const written = Math.max(known, readTokenCount(usage.cache_creation_input_tokens))
  const outputTokens = readTokenCount(usage.output_tokens)
  const reasoningTokens = readTokenCount(asRecord(usage.output_tokens_details)?.thinking_tokens)
  const searches = readTokenCount(asRecord(usage.server_tool_use)?.web_search_requests)
  const inputTokens = fresh + cachedTokens + written
  if (Number.isNaN(inputTokens + outputTokens + reasoningTokens + searches))
    return { kind: 'invalid', said: usage }
  // A fast answer has other prices. No request of ours asks for one.
  if (!isPresent(usage.input_tokens) || usage.speed === 'fast') return { kind: 'invalid', said: usage }
  return {
    kind: 'reported',
    usage: {
      inputTokens,
      cachedTokens,
      outputTokens,
      reasoningTokens,
      // Tokens of unknown lifetime count as the more expensive kind.
      ...(written === 0 ? {} : { cacheWrites: { cacheWrite5m, cacheWrite1h: written - cacheWrite5m } }),
      ...(searches === 0 ? {} : { searches }),
    },
  }
}

const charactersPerToken = 4

/** The usage of a stream: input in its first event, output in its last but one. Until then the output is estimated. */
export class StreamedUsage {
  #said: JsonRecord | null = null
  #hasOutput = false
  #characters = 0

  /** Reads the figures of an event, and how much output it delivered. True if it had figures. */
  read(event: JsonRecord): boolean {
    if (event.type === 'content_block_delta') this.#characters += measureDelta(asRecord(event.delta) ?? {})
    const isStart = event.type === 'message_start'
    const usage = asRecord((isStart ? asRecord(event.message) : event)?.usage)
    if (usage === null) return false
    // Later figures are totals. A null says nothing.
    const given = Object.entries(usage).filter(([, value]) => isPresent(value))
    this.#said = { ...this.#said, ...Object.fromEntries(given) }
    this.#hasOutput ||= !isStart && isPresent(usage.output_tokens)
    return true
  }

  /** Null before the first figures. */
  report(): UsageReport | null {
    if (this.#said === null) return null
    const report = mapUsage(this.#said)
    if (report.kind !== 'reported' || this.#hasOutput) return report
    const delivered = Math.ceil(this.#characters / charactersPerToken)
    const outputTokens = Math.max(report.usage.outputTokens, delivered)
    return { kind: 'reported', usage: { ...report.usage, outputTokens }, isEstimated: true }
  }
}

/** Thoughts that are not shown arrive only as their signature. */
export function measureDelta({ text, thinking, partial_json: json, signature }: JsonRecord): number {
  const [said = ''] = [text, thinking, json, signature].filter(each => typeof each === 'string')
  return said.length
}
