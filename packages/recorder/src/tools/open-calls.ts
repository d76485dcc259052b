// Tool calls whose result has not come in the transcript yet, kept from one scan to the next.
import { asInput, objectOf, textOf } from './payload.ts'
import type { Payload } from './tool.ts'

export type OpenCall = { readonly name: string | null; readonly input: string | object | null }

/** A call may never get a result. Only so many run at once. */
const mostOpen = 64

export function readOpenCalls(state: Payload): Map<string, OpenCall> {
  const calls = Object.entries(objectOf(state, 'open')).map(([id, call]): [string, OpenCall] => {
    const members = objectOf({ call }, 'call')
    return [id, { name: textOf(members, 'name'), input: asInput(members.input) }]
  })
  return new Map(calls)
}

/** The newest ones. */
export function keepOpenCalls(calls: ReadonlyMap<string, OpenCall>): Record<string, OpenCall> {
  return Object.fromEntries([...calls].slice(-mostOpen))
}
