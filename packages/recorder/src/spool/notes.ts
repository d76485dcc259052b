// Notes that one hook leaves for a later one: small values by key, each in its own file.
import { join } from 'node:path'
import type { JsonObject } from '../json/members.ts'
import { readObject, type Spool } from './spool.ts'

export type Notes = {
  /** null when there is none. */
  readonly read: (key: string) => JsonObject | null
  readonly write: (key: string, value: object) => void
  /** The values whose key begins with `prefix`, which must consist of plain letters, digits and dashes. */
  readonly readAll: (beginning: string) => JsonObject[]
}

/** A file name for any text. Special characters become their codes, so that no two texts share a name. */
export function fileNameOf(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_-]/g, character => `%${character.charCodeAt(0).toString(16)}.`)
  return plain.length <= 200 ? plain : `${plain.slice(0, 100)}%${plain.slice(-80)}`
}

export function createNotes(spool: Spool): Notes {
  const { files, layout } = spool
  const pathOf = (key: string) => join(layout.notes, fileNameOf(key))
  return {
    read: key => readObject(files, pathOf(key)),
    readAll: beginning =>
      files
        .list(layout.notes)
        .filter(name => name.startsWith(beginning))
        .map(name => readObject(files, join(layout.notes, name)))
        .filter(note => note !== null),
    write: (key, value) => {
      files.makeFolder(layout.notes)
      spool.writeAtomically(pathOf(key), JSON.stringify(value))
    },
  }
}
