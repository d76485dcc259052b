// Edits the model file: changes only the requested parts of its text, keeps comments, and replaces the file as a whole.
import { accessSync, constants, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ModelEdits } from '@fairgate/contracts/management/catalog.ts'
import { parseDocument } from 'yaml'

/** `undo`: edits that change the new text back into the old one, except for comments. */
export type EditedCatalog = { readonly text: string; readonly undo: ModelEdits }

type Members = Readonly<Record<string, unknown>>
type CatalogText = { readonly models?: Readonly<Record<string, Members>> }

/**
 * The new text, and the edits that undo it. A model or member set to `null` is removed, prices individually; other models and members are added
 * or replaced. Their values are checked when the text is loaded. Throws ApiError `invalid_request` if the text is not YAML, or if a model to
 * remove does not exist.
 */
export function editCatalogFile(text: string, edits: ModelEdits): EditedCatalog {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined)
    throw new ApiError('invalid_request', { message: `The file is not YAML: ${error.message}` })
  const undo = reverseEdits(document.toJS() as CatalogText, edits)
  for (const [id, entry] of Object.entries(edits)) {
    const path = ['models', id]
    if (entry === null) {
      if (!document.deleteIn(path))
        throw new ApiError('invalid_request', {
          param: `models.${id}`,
          message: `The file has no model "${id}" to remove.`,
        })
      continue
    }
    for (const [member, value] of Object.entries(entry)) {
      const isPrices = member === 'price' && isMembers(value)
      const parts = isPrices
        ? Object.entries(value).map(([unit, usd]) => [[...path, member, unit], usd] as const)
        : [[[...path, member], value] as const]
      for (const [place, next] of parts)
        if (next === null) document.deleteIn(place)
        else document.setIn(place, next)
    }
  }
  // The line width of the file that Fairgate ships; longer lists are folded.
  return { text: document.toString({ lineWidth: 130 }), undo }
}

/** Members that did not exist are removed again, prices individually. Comments of a removed model are lost. */
function reverseEdits({ models = {} }: CatalogText, edits: ModelEdits): ModelEdits {
  const known = new Map(Object.entries(models))
  return Object.fromEntries(
    Object.entries(edits).map(([id, entry]) => {
      const before = known.get(id)
      if (entry === null || before === undefined) return [id, before ?? null]
      return [id, pickMembers(before, entry)]
    }),
  )
}

function pickMembers(before: Members, named: Members): Members {
  const known = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => {
      const was = known.get(name) ?? null
      return [name, name === 'price' && isMembers(was) && isMembers(value) ? pickMembers(was, value) : was]
    }),
  )
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

// The model file when one process owns it: read and replaced as a whole, so that no start ever finds half of it.

export type CatalogFile = {
  readonly read: () => string
  /** False if the file is not ours, or the system does not let us write it. */
  readonly canWrite: () => boolean
  readonly write: (text: string) => void
}

/** `isOurs`: the file belongs only to this event and process. The file that Fairgate ships, and one shared with other processes, do not. */
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
