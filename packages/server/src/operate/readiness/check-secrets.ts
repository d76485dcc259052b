// Checks who on this machine can read the files with secrets, and the data.
import { stat } from 'node:fs/promises'
import { messageOf } from '../../world/message-of.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

export type SecretPlace = {
  readonly path: string
  /** In words: `the admin key`. */
  readonly holds: string
  readonly isFolder: boolean
  /** Made at the first start when it is not there. */
  readonly isMadeAtStart: boolean
}

export async function checkSecrets(places: readonly SecretPlace[]): Promise<Finding[]> {
  const findings = (await Promise.all(places.map(checkPlace))).flat()
  const sound = findings.length === 0
  return sound ? [ok(`${places.length} places with secrets, none open to others on this machine`)] : findings
}

/** `unreadable`: webhooks whose secrets were encrypted with another join key. */
export function judgeWebhookSecrets(unreadable: number): Finding[] {
  if (unreadable === 0) return []
  return [
    fault(
      `${unreadable} ${unreadable === 1 ? 'webhook is' : 'webhooks are'} off: the secrets were encrypted with another join key`,
      'Remove them and add them again: fairgate webhook list shows which.',
    ),
  ]
}

async function checkPlace({ path, holds, isFolder, isMadeAtStart }: SecretPlace): Promise<Finding[]> {
  try {
    const { mode } = await stat(path)
    if ((mode & 0o007) !== 0)
      return [
        fault(
          `everybody on this machine can use ${path}, which holds ${holds}`,
          `Run: chmod ${isFolder ? '700' : '600'} ${path}`,
        ),
      ]
    return (mode & 0o020) === 0
      ? []
      : [warning(`the group of ${path} can change it; it holds ${holds}`, `Run: chmod g-w ${path}`)]
  } catch (error) {
    if (isMadeAtStart && error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    return [
      fault(
        `${path}, which holds ${holds}, cannot be read (${messageOf(error)})`,
        'Put the file there, or correct the setting that names it.',
      ),
    ]
  }
}
