// The file of models where one process owns it: read and replaced whole, so that no start ever finds half of it.
import { accessSync, constants, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type CatalogFile = {
  readonly read: () => string
  /** False if other processes have files of their own, or the file may not be written. */
  readonly canWrite: () => boolean
  readonly write: (text: string) => void
}

/** `isShared`: other processes admit calls by files of their own. */
export function openCatalogFile(path: string, isShared: boolean): CatalogFile {
  return {
    read: () => readFileSync(path, 'utf8'),
    canWrite: () => {
      if (isShared) return false
      try {
        accessSync(path, constants.W_OK)
        accessSync(dirname(path), constants.W_OK)
        return true
      } catch {
        return false
      }
    },
    write: text => {
      const unfinished = `${path}.new`
      writeFileSync(unfinished, text, { mode: statSync(path).mode, flush: true })
      renameSync(unfinished, path)
    },
  }
}
