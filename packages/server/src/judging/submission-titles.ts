// Titles of what teams have handed in. Versions never change, so a title is read once.
import type { Store } from '../store/store.ts'

export class SubmissionTitles {
  readonly #read: Pick<Store['read'], 'listSubmissionHeads' | 'readSubmission'>
  readonly #known = new Map<string, { readonly version: number; readonly title: string }>()

  constructor(read: Pick<Store['read'], 'listSubmissionHeads' | 'readSubmission'>) {
    this.#read = read
  }

  /** By team id, of these teams that have handed in. One statement, and one for each version that is new. */
  async read(teams: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(teams)
    const heads = (await this.#read.listSubmissionHeads(null)).filter(({ teamId }) => wanted.has(teamId))
    await Promise.all(heads.map(head => this.#learn(head)))
    return new Map(heads.map(({ teamId }) => [teamId, this.#known.get(teamId)?.title ?? '']))
  }

  async #learn({ teamId, version }: { readonly teamId: string; readonly version: number }): Promise<void> {
    if (this.#known.get(teamId)?.version === version) return
    const found = await this.#read.readSubmission({ teamId, version })
    if (found !== null) this.#known.set(teamId, { version, title: found.content.title })
  }
}
