// Checks whether the machines on one database keep video copies in the same folder. Otherwise each finds only its own.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

export type CompareFoldersDependencies = Pick<World, 'clock' | 'newId'> & {
  readonly folder: string
  readonly store: {
    readonly read: Pick<Store['read'], 'readFacts'>
    readonly write: Pick<Store['write'], 'replaceFacts'>
  }
  /** Name of this machine. */
  readonly host: string
  /** `hosts`: machines with another folder. */
  readonly warn: (hosts: readonly string[]) => void
}

/** Name of the file that identifies a folder. */
const markerName = '.folder-id'
const factPrefix = 'videos-folder/'
export const compareEveryMs = 3_600_000
/** A machine that has been silent for two checks no longer runs a process. */
const currentMs = 2.5 * compareEveryMs

/** Publishes which folder this machine has, and warns if another machine has a different one. Rejects if folder or store fail. */
export async function compareFolders(dependencies: CompareFoldersDependencies): Promise<void> {
  const { folder, store, host, newId, clock, warn } = dependencies
  const id = await readMarker(folder, newId)
  const now = clock()
  await store.write.replaceFacts({ facts: [{ name: `${factPrefix}${host}`, value: id, now }] })
  const facts = await store.read.readFacts({ prefix: factPrefix, since: now - currentMs })
  const others = facts.filter(({ value }) => value !== id).map(({ name }) => name.slice(factPrefix.length))
  if (others.length > 0) warn(others)
}

/** Created by the first machine. */
async function readMarker(folder: string, newId: () => string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, markerName)
  await writeFile(path, newId(), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(path, 'utf8')).trim()
}
