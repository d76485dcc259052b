// Figures of this process from the operating system. They stay available when no file descriptor is left to read them with.
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

/** Descriptors are null if the system does not report them. */
export function createProcessFigures(sources = linux) {
  const maximumDescriptors = readMaximum(sources)
  let lastResident = 0
  return {
    maximumDescriptors,
    openDescriptors: () => {
      if (maximumDescriptors === null) return null
      try {
        // One descriptor is the one that reads the list.
        return sources.listDescriptors().length - 1
      } catch {
        return maximumDescriptors
      }
    },
    residentBytes: () => {
      try {
        lastResident = sources.residentBytes()
      } catch {
        // Read from a file. When no descriptor is left, the last figure is shown again.
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
