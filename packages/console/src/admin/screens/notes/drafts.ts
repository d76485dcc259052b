// Stores unsaved text in this browser, so that neither a reload nor an error loses it.

type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** `owner`: the signed-in person, because others may use the same browser. `thing`: the subject of the text. */
export function nameDraft(owner: string, thing: readonly (string | number)[]): string {
  return `fairgate-draft ${JSON.stringify([owner, ...thing])}`
}

export function readDraft(storage: Keeper, name: string): string | null {
  try {
    return storage.getItem(name)
  } catch {
    // The page must work without browser storage.
    return null
  }
}

/** Null removes the draft. */
export function keepDraft(storage: Keeper, name: string, text: string | null): void {
  try {
    if (text === null || text === '') storage.removeItem(name)
    else storage.setItem(name, text)
  } catch {
    // The text stays in the field.
  }
}
