// Keeps what is typed and not yet saved in this browser, so that neither a reload nor an error loses it.

type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** `owner`: who is signed in, for others may use the same browser. `thing`: what is written about. */
export function nameDraft(owner: string, thing: readonly (string | number)[]): string {
  return `fairgate-draft ${JSON.stringify([owner, ...thing])}`
}

export function readDraft(storage: Keeper, name: string): string | null {
  try {
    return storage.getItem(name)
  } catch {
    // A browser that keeps nothing shows the page all the same.
    return null
  }
}

/** Null: there is nothing left to keep. */
export function keepDraft(storage: Keeper, name: string, text: string | null): void {
  try {
    if (text === null || text === '') storage.removeItem(name)
    else storage.setItem(name, text)
  } catch {
    // What is typed stays in the field.
  }
}
