// A dialect of the model server: how it reads a conversation, and how it puts a step on the wire.
import type { Step, Turn } from './script.ts'

export type ServerEvent = { readonly event?: string; readonly data: object }

export type Dialect = {
  readonly readTurns: (body: Readonly<Record<string, unknown>>) => Turn[]
  /** Whether the model may call tools in this request. A request without tools is a side question. */
  readonly hasTools: (body: Readonly<Record<string, unknown>>) => boolean
  /** `id` differs between replies. */
  readonly writeEvents: (step: Step, model: string, id: string) => ServerEvent[]
  /** The same as one JSON body. */
  readonly writeBody: (step: Step, model: string, id: string) => object
}

export function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'object' && item !== null) : []
}
