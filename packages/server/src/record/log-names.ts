// Collects what a team's entries call things: people, repositories, branches, and the users whose folders are in their texts.
import type { LabelledEntry } from './session-book.ts'

export type NamesInLog = {
  /** Email addresses, usually. */
  readonly students: readonly string[]
  readonly repositories: readonly string[]
  readonly branches: readonly string[]
  readonly users: readonly string[]
}

/** More names of one kind, which only a hostile team sends, are dropped. */
const maxNames = 200
const maxLength = 300
const home = /(?:\/home\/|[\\/]Users[\\/]{1,2})([^\\/\s"'`:;,<>|*?()[\]{}%]{1,64})/g

export class LogNames {
  readonly #students = new Set<string>()
  readonly #repositories = new Set<string>()
  readonly #branches = new Set<string>()
  readonly #users = new Set<string>()

  /** `body`: its JSON. Takes time by its length. */
  add({ student, repo, branch }: Pick<LabelledEntry, 'student' | 'repo' | 'branch'>, body: string): void {
    addName(this.#students, student)
    addName(this.#repositories, repo)
    addName(this.#branches, branch)
    if (body.includes('/home/') || body.includes('Users'))
      for (const [, user = ''] of body.matchAll(home)) addName(this.#users, user)
  }

  read(): NamesInLog {
    return {
      students: [...this.#students],
      repositories: [...this.#repositories],
      branches: [...this.#branches],
      users: [...this.#users],
    }
  }
}

function addName(names: Set<string>, name: string | null): void {
  if (name !== null && names.size < maxNames) names.add(name.slice(0, maxLength))
}
