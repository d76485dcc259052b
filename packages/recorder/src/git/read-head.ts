// Reads the branch and commit of a work tree from its files. The result is null where only git can read the repository's format.
import { join } from 'node:path'
import type { Repository } from './find-repository.ts'
import type { ReadText } from './read-text.ts'

export type Head = {
  /** `HEAD` if no branch is checked out. */
  readonly branch: string
  /** All hexadecimal digits of the commit; null before the first one. */
  readonly commit: string | null
}

const objectId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const mostHops = 5

export function readHead(repository: Repository, readText: ReadText): Head | null {
  const head = readText(join(repository.gitFolder, 'HEAD'))?.trim() ?? ''
  if (objectId.test(head)) return { branch: 'HEAD', commit: head }
  const reference = /^ref:\s*(\S.*)$/.exec(head)?.[1]
  // With the reftable format HEAD names a branch that cannot exist.
  if (reference === undefined || reference === 'refs/heads/.invalid') return null
  return {
    branch: reference.replace(/^refs\/heads\//, ''),
    commit: readReference(repository, reference, readText),
  }
}

function readReference(repository: Repository, name: string, readText: ReadText): string | null {
  let reference = name
  for (let hop = 0; hop < mostHops; hop += 1) {
    const text =
      readText(join(repository.commonFolder, reference)) ?? readText(join(repository.gitFolder, reference))
    const value = text?.trim() ?? ''
    if (objectId.test(value)) return value
    const next = /^ref:\s*(\S.*)$/.exec(value)?.[1]
    if (next === undefined) return readPacked(repository, reference, readText)
    reference = next
  }
  return null
}

function readPacked(repository: Repository, reference: string, readText: ReadText): string | null {
  const packed = readText(join(repository.commonFolder, 'packed-refs'))
  const end = packed?.split('\n').find(line => line.trimEnd().endsWith(` ${reference}`))
  const id = end?.slice(0, end.indexOf(' ')) ?? ''
  return objectId.test(id) ? id : null
}
