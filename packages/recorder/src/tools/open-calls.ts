// Tool calls whose result has not come in the transcript yet, kept from one scan to the next.
import { asInput, memberAt, objectOf, textOf } from '../json/members.ts'
import type { Payload } from './tool.ts'

export type OpenCall = { readonly name: string | null; readonly input: string | object | null }

/** A call may never get a result. Only so many run at once. */
const mostOpen = 64

export function readOpenCalls(state: Payload): Map<string, OpenCall> {
  return new Map(
    Object.entries(objectOf(state, 'open')).map(([id, call]) => [
      id,
      { name: textOf(call, 'name'), input: asInput(memberAt(call, 'input')) },
    ]),
  )
}

/** The newest ones. */
export function keepOpenCalls(calls: ReadonlyMap<string, OpenCall>): Record<string, OpenCall> {
  return Object.fromEntries([...calls].slice(-mostOpen))
}
