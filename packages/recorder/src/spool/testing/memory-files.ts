// A disk in memory for tests that crash thousands of times.
import { dirname } from 'node:path'
import type { Files } from '../files.ts'

class FileError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

type Stored = { readonly data: Uint8Array; readonly at: number }

export function createMemoryFiles(now: () => number): Files {
  const files = new Map<string, Stored>()
  const folders = new Map<string, number>()
  const requireFolder = (path: string) => {
    if (!folders.has(dirname(path))) throw new FileError('ENOENT')
  }
  const create = (path: string, data: Uint8Array) => {
    requireFolder(path)
    if (files.has(path)) throw new FileError('EEXIST')
    files.set(path, { data, at: now() })
  }
  return {
    makeFolder: path => {
      for (let folder = path; dirname(folder) !== folder && !folders.has(folder); folder = dirname(folder))
        folders.set(folder, now())
    },
    writeNew: (path, data) => create(path, typeof data === 'string' ? Buffer.from(data) : data),
    createMark: path => {
      if (files.has(path)) return false
      create(path, new Uint8Array())
      return true
    },
    isOpenToOthers: path => (files.has(path) || folders.has(path) ? false : null),
    closeToOthers: () => undefined,
    rename: (from, to) => {
      const file = files.get(from)
      if (file === undefined) throw new FileError('ENOENT')
      requireFolder(to)
      files.delete(from)
      files.set(to, file)
    },
    remove: path => void files.delete(path),
    list: path =>
      [...files.keys()].filter(file => dirname(file) === path).map(file => file.slice(path.length + 1)),
    read: path => files.get(path)?.data ?? null,
    modifiedAt: path => files.get(path)?.at ?? folders.get(path) ?? null,
    touch: (path, at) => {
      const file = files.get(path)
      if (file !== undefined) files.set(path, { data: file.data, at })
    },
  }
}
