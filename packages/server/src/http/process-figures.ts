// What the system says of this process, also when it has no descriptor left to ask with.
import { readdirSync, readFileSync } from 'node:fs'

export type ProcessSources = {
  readonly readLimits: () => string
  readonly listDescriptors: () => readonly string[]
  readonly residentBytes: () => number
}

const linux: ProcessSources = {
  readLimits: () => readFileSync('/proc/self/limits', 'utf8'),
  listDescriptors: () => readdirSync('/proc/self/fd'),
  residentBytes: () => process.memoryUsage.rss(),
}

/** Descriptors are null where the system does not tell. */
export function createProcessFigures(sources = linux) {
  const maximumDescriptors = readMaximum(sources)
  let lastResident = 0
  return {
    maximumDescriptors,
    openDescriptors: () => {
      if (maximumDescriptors === null) return null
      try {
        // One of them reads the list.
        return sources.listDescriptors().length - 1
      } catch {
        return maximumDescriptors
      }
    },
    residentBytes: () => {
      try {
        lastResident = sources.residentBytes()
      } catch {
        // It is read from a file: without a descriptor the last figure has to do.
      }
      return lastResident
    },
  }
}

/** The limit is read at the start, while there are descriptors to read it with. */
function readMaximum({ readLimits }: ProcessSources): number | null {
  try {
    const found = /^Max open files +(\d+)/m.exec(readLimits())?.[1]
    return found === undefined ? null : Number(found)
  } catch {
    return null
  }
}
