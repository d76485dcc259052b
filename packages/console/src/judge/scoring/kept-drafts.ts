// Judgements that the server has not confirmed, in the browser's storage: one for each judge, team and page.
import type { Kept } from './write-behind.ts'

export type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** Both ids can hold any character but a space. */
const prefix = 'fairgate-judgement'

export class KeptDrafts {
  readonly #storage: Storage
  readonly #judgeId: string
  readonly #device: string

  constructor(given: { readonly storage: Storage; readonly judgeId: string; readonly device: string }) {
    this.#storage = given.storage
    this.#judgeId = given.judgeId
    this.#device = given.device
  }

  /** False if the browser has no room, or allows no storage. */
  write(team: string, kept: Kept | null): boolean {
    const key = this.#keyOf(team)
    try {
      if (kept === null) this.#storage.removeItem(key)
      else this.#storage.setItem(key, JSON.stringify(kept))
      return true
    } catch {
      return false
    }
  }

  /** Those of this page and of pages that were closed. A page that is open still has its text in memory, so that joining it is harmless. */
  read(team: string): Kept[] {
    return this.#keys(team).flatMap(key => {
      const kept = this.#readKey(key)
      return kept === null ? [] : [kept]
    })
  }

  /** Removes the drafts of other pages that are still as they were read. */
  forgetOthers(team: string, joined: readonly Kept[]): void {
    const known = new Set(joined.map(kept => JSON.stringify(kept)))
    for (const key of this.#keys(team)) {
      if (key === this.#keyOf(team)) continue
      if (known.has(JSON.stringify(this.#readKey(key)))) this.#storage.removeItem(key)
    }
  }

  /** Teams with a draft of this judge. */
  teams(): string[] {
    const found = this.#allKeys().flatMap(key => {
      const [name, judgeId, team] = key.split(' ')
      return name === prefix && judgeId === this.#judgeId && team !== undefined
        ? [decodeURIComponent(team)]
        : []
    })
    return [...new Set(found)]
  }

  #keyOf(team: string): string {
    return `${this.#startOf(team)}${this.#device}`
  }

  #startOf(team: string): string {
    return `${prefix} ${this.#judgeId} ${encodeURIComponent(team)} `
  }

  #keys(team: string): string[] {
    return this.#allKeys().filter(key => key.startsWith(this.#startOf(team)))
  }

  #allKeys(): string[] {
    return Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index) ?? '')
  }

  #readKey(key: string): Kept | null {
    try {
      return JSON.parse(this.#storage.getItem(key) ?? 'null')
    } catch {
      return null
    }
  }
}
