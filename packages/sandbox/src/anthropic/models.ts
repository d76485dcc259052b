// The models of Anthropic's dialect, and what the sandbox derives from an id: size, and which parameters a generation still takes.
import { VendorError } from '../vendor-error.ts'

/** The listed models. Other ids of the family work too. */
const listed = [
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-opus-4-8',
  'claude-sonnet-4-6',
  'claude-opus-4-5-20251101',
  'claude-haiku-4-5-20251001',
  'claude-sonnet-4-5-20250929',
] as const

export type ClaudeModel = {
  readonly id: string
  readonly line: 'haiku' | 'sonnet' | 'opus' | null
  readonly contextLimit: number
  readonly maxOutput: number
  /** Models since Opus 4.7 take neither sampling parameters nor a thinking budget nor the beginning of an answer. */
  readonly isNew: boolean
}

/** Throws VendorError 404 for ids of other families. */
export function findClaude(id: string): ClaudeModel {
  const found = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id)
  if (found === null) throw new VendorError(404, `model: ${id}`)
  const [, name, major, minor = '0'] = found
  const line = (['haiku', 'sonnet', 'opus'] as const).find(known => known === name) ?? null
  const isNew = Number(major) * 100 + Number(minor) >= 407
  return {
    id,
    line,
    contextLimit: line === 'haiku' && !isNew ? 200_000 : 1_000_000,
    maxOutput: isNew ? 128_000 : 64_000,
    isNew,
  }
}

const pageSize = 20
const largestPage = 1_000

/** Throws VendorError 400 for a bad limit, and 404 for an unknown cursor. */
export function listClaude(query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? pageSize)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > largestPage)
    throw new VendorError(400, `limit: Input should be from 1 to ${largestPage}`)
  const ids: readonly string[] = listed
  const [after, before] = [query.get('after_id'), query.get('before_id')]
  const cursor = after ?? before
  const at = cursor === null ? -1 : ids.indexOf(cursor)
  if (cursor !== null && at < 0) throw new VendorError(404, `model: ${cursor}`)
  const start = after === null && before !== null ? Math.max(0, at - limit) : at + 1
  const end = after === null && before !== null ? at : start + limit
  const data = ids.slice(start, end).map(id => describeClaude(id))
  const hasMore = after === null && before !== null ? start > 0 : end < ids.length
  return {
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/** Throws VendorError 404 for ids of other families. */
export function describeClaude(id: string) {
  const { line, contextLimit, maxOutput, isNew } = findClaude(id)
  const can = (supported: boolean) => ({ supported })
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-01-02T00:00:00Z',
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line,
    max_input_tokens: contextLimit,
    max_tokens: maxOutput,
    capabilities: {
      batch: can(false),
      citations: can(false),
      code_execution: can(false),
      context_management: {
        supported: false,
        clear_thinking_20251015: null,
        clear_tool_uses_20250919: null,
        compact_20260112: null,
      },
      effort: {
        supported: true,
        low: can(true),
        medium: can(true),
        high: can(true),
        xhigh: can(isNew),
        max: can(isNew),
      },
      image_input: can(true),
      pdf_input: can(true),
      server_tools: { supported: false, code_execution: can(false), web_search: can(false) },
      structured_outputs: can(true),
      thinking: {
        supported: true,
        types: { adaptive: can(true), between_tools: can(isNew), disabled: can(true), enabled: can(!isNew) },
      },
    },
  } as const
}
