// The file of models where one process owns it: read and replaced whole, so that no start ever finds half of it.
import { accessSync, constants, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type CatalogFile = {
  readonly read: () => string
  /** False if the file is not ours, or the system does not let us write it. */
  readonly canWrite: () => boolean
  readonly write: (text: string) => void
}

/** `isOurs`: it belongs to this event and to this process alone. The file that Fairgate ships, and one beside other processes, do not. */
export function openCatalogFile(path: string, isOurs: boolean): CatalogFile {
  return {
    read: () => readFileSync(path, 'utf8'),
    canWrite: () => {
      if (!isOurs) return false
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
