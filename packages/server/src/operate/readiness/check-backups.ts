// Checks the age of the newest backup in a folder.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../world/message-of.ts'
import { type Found, fault, ok, warning } from './finding.ts'

const hourMs = 3_600_000
/** Max age, as much as a day of work is worth: docs/backup.md advises a backup each night. */
const oldHours = 24

/** `folder`: a backup, or the folder that holds them. */
export async function checkBackups(folder: string, now: number): Promise<Found> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    return fault(
      `the backup folder cannot be read (${messageOf(error)})`,
      'Set the right folder with --backups.',
    )
  }
  const places = [folder, ...names.map(name => join(folder, name))]
  const times = (await Promise.all(places.map(readTime))).filter(time => time !== null)
  const take = `Run: fairgate backup create ${join(folder, 'a-new-name')}`
  if (times.length === 0) return warning(`there is no backup in ${folder}`, take)
  const hours = (now - Math.max(...times)) / hourMs
  const text = `${times.length} in ${folder}, the newest ${hours < 1 ? 'less than an hour old' : `${Math.floor(hours)} hours old`}`
  return [hours > oldHours ? warning(text, take) : ok(text)]
}

/** When the backup was taken, in Unix ms; null if this is not a backup. */
async function readTime(folder: string): Promise<number | null> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
    const taken = Date.parse(String(Object(manifest).created_at))
    return Number.isNaN(taken) ? null : taken
  } catch {
    return null
  }
}
