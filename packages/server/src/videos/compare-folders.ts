// Finds out whether the machines of one database keep copies of videos in the same folder: each finds only its own otherwise.
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
  /** Of this machine. */
  readonly host: string
  /** `hosts`: those whose folder is another one. */
  readonly warn: (hosts: readonly string[]) => void
}

/** The name of the file that gives a folder its identity. */
const markerName = '.folder-id'
const factPrefix = 'videos-folder/'
export const compareEveryMs = 3_600_000
/** A machine that has said nothing for two looks runs no process any more. */
const currentMs = 2.5 * compareEveryMs

/** Tells the others which folder this machine has, and warns when one of them has another. Rejects when folder or store fail. */
export async function compareFolders(dependencies: CompareFoldersDependencies): Promise<void> {
  const { folder, store, host, newId, clock, warn } = dependencies
  const id = await readMarker(folder, newId)
  const now = clock()
  await store.write.replaceFacts({ facts: [{ name: `${factPrefix}${host}`, value: id, now }] })
  const facts = await store.read.readFacts({ prefix: factPrefix, since: now - currentMs })
  const others = facts.filter(({ value }) => value !== id).map(({ name }) => name.slice(factPrefix.length))
  if (others.length > 0) warn(others)
}

/** Made by whoever comes first. */
async function readMarker(folder: string, newId: () => string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, markerName)
  await writeFile(path, newId(), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(path, 'utf8')).trim()
}
