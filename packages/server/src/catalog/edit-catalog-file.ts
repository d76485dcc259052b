// The file of models: its text is changed only where it is asked to be, and comments stay; it is replaced whole.
import { accessSync, constants, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ModelEdits } from '@fairgate/contracts/management/catalog.ts'
import { parseDocument } from 'yaml'

/** `undo`: changes the new text back into the old one, comments aside. */
export type EditedCatalog = { readonly text: string; readonly undo: ModelEdits }

type Members = Readonly<Record<string, unknown>>
type CatalogText = { readonly models?: Readonly<Record<string, Members>> }

/**
 * The new text, and the edits that take it back. A model or member of `null` is removed, a price one by one; other models and members are added or replaced. What the members
 * may be is checked when the text is loaded. Throws ApiError `invalid_request` for a text that is not YAML, and for a model to remove that is not there.
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
  // The width of the file that Fairgate ships; longer lists are folded.
  return { text: document.toString({ lineWidth: 130 }), undo }
}

/** Members that were not there are removed again, prices one by one. Comments of a removed model are lost. */
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

// The file of models where one process owns it: read and replaced whole, so that no start ever finds half of it.

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
