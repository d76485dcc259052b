// The ids of responses and of their items. Both contain the id of the call, so a reference is resolved without an index of items.
// Also the names of items in errors.

export function writeResponseId(callId: string): string {
  return `resp_${callId}`
}

/** `index`: of the item in the output. */
export function writeItemId(kind: string, callId: string, index: number): string {
  return `${kind}_${callId}_${index}`
}

const responseId = /^resp_([0-9a-f-]{36})$/
const itemId = /^[a-z]+_([0-9a-f-]{36})_(\d{1,5})$/

/** The call; null if the id is not in our form. Nothing else reaches the store, which accepts no NUL. */
export function readResponseId(id: string): string | null {
  return responseId.exec(id)?.[1] ?? null
}

/** Null if the id is not in our form. */
export function readItemId(id: string): { readonly callId: string; readonly index: number } | null {
  const [, callId, index] = itemId.exec(id) ?? []
  return callId === undefined ? null : { callId, index: Number(index) }
}

/** The place of an item for errors. `earlier`: number of stored items before those of the client. */
export function nameItem(index: number, earlier: number): string {
  return index < earlier ? `previous_response_id[${index}]` : `input[${index - earlier}]`
}
