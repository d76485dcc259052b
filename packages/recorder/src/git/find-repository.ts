// Finds the repository that a folder belongs to by reading files, because a hook must not pay for a git process.

import { readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

export type Repository = {
  /** Top of the work tree. */
  readonly root: string
  /** Holds the HEAD of this work tree. */
  readonly gitFolder: string
  /** Shared by all work trees: configuration, branches and our spool. */
  readonly commonFolder: string
}

/** Climbs from `folder` to the first `.git`; null outside of any work tree. */
export function findRepository(folder: string, readText: ReadText): Repository | null {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const gitFolder = findGitFolder(root, readText)
    if (gitFolder !== null) return { root, gitFolder, commonFolder: findCommonFolder(gitFolder, readText) }
    if (dirname(root) === root) return null
  }
}

/** All repositories that contain `folder`, the innermost first. */
export function findRepositories(folder: string, readText: ReadText): Repository[] {
  const inner = findRepository(folder, readText)
  if (inner === null) return []
  const parent = dirname(inner.root)
  return parent === inner.root ? [inner] : [inner, ...findRepositories(parent, readText)]
}

/** The repository of a shared git folder when none of its work trees is known. */
export function openGitFolder(commonFolder: string, readText: ReadText): Repository | null {
  if (readText(join(commonFolder, 'HEAD')) === null) return null
  const root = basename(commonFolder) === '.git' ? dirname(commonFolder) : commonFolder
  return { root, gitFolder: commonFolder, commonFolder }
}

/** `.git` is a folder. In linked work trees and submodules it is a file that names one. */
function findGitFolder(root: string, readText: ReadText): string | null {
  const path = join(root, '.git')
  if (readText(join(path, 'HEAD')) !== null) return path
  const target = /^gitdir:\s*(.+?)\s*$/m.exec(readText(path) ?? '')?.[1]
  if (target === undefined) return null
  const gitFolder = isAbsolute(target) ? target : resolve(root, target)
  return readText(join(gitFolder, 'HEAD')) === null ? null : gitFolder
}

function findCommonFolder(gitFolder: string, readText: ReadText): string {
  const target = readText(join(gitFolder, 'commondir'))?.trim()
  if (target === undefined || target === '') return gitFolder
  return isAbsolute(target) ? target : resolve(gitFolder, target)
}

/** The text of a file; null when there is none or it cannot be read. */
export type ReadText = (path: string) => string | null

export const readText: ReadText = path => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
