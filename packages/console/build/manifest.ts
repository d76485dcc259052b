// The manifest of a page build, read by the server.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The documents that are served; each has its own script and style sheet. */
export const appNames = ['admin', 'judge', 'team', 'wall'] as const
export type AppName = (typeof appNames)[number]

export type BuiltApp = {
  readonly script: string
  readonly style: string
  /** Chunks that the script needs before anything is shown. */
  readonly preload: readonly string[]
}

export type BuiltFile = {
  readonly type: string
  /** Sizes in bytes: plain, gzip and brotli. They are equal if compression does not help. */
  readonly bytes: number
  readonly gzip: number
  readonly brotli: number
}

export type Manifest = {
  readonly apps: Readonly<Record<AppName, BuiltApp>>
  /** Runs before the first paint, so that the page does not flash in the other colours. */
  readonly schemeScript: string
  /** Files of the claim pages, which the server writes. */
  readonly joinScript: string
  readonly font: string
  readonly files: Readonly<Record<string, BuiltFile>>
}

/** Null if there is no readable build. */
export function readManifest(folder: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, manifestName), 'utf8'))
  } catch {
    return null
  }
}

export const manifestName = 'manifest.json'
