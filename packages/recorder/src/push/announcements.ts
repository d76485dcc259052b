// Announcements of the organisers: fetched from the logbook during a push and shown once per clone.
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import { memberAt, textOf } from '../json/members.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import type { Spool } from '../spool/spool.ts'

export type Announcement = { readonly id: string; readonly text: string; readonly link: string | null }

/** Limits of the logbook; longer texts do not come from it. */
const maxCharacters = 1000
const maxAnnouncements = 20
/** Maximum ids of shown announcements to remember; older ones are no longer sent. */
const maxRemembered = 200

/** Returns null if the logbook does not provide any, for example because it is too old. Never rejects. */
export async function readAnnouncements(
  call: CallLogbook,
  timeoutMs: number,
): Promise<readonly Announcement[] | null> {
  const reply = await call({ method: 'GET', path: '/api/announcements', timeoutMs })
  if (reply.kind !== 'reply' || reply.status !== 200) return null
  const items = memberAt(reply.body, 'items')
  if (!Array.isArray(items)) return null
  return items.slice(0, maxAnnouncements).flatMap((item: unknown): Announcement[] => {
    const [id, text, link] = ['announcement_id', 'text', 'link'].map(name => shortTextOf(item, name))
    return id && text ? [{ id, text, link: link ?? null }] : []
  })
}

function shortTextOf(value: unknown, name: string): string | null {
  const text = textOf(value, name)
  return text !== null && text.length <= maxCharacters ? text : null
}

/** Returns announcements not yet shown in this clone and marks them as shown, so that none is shown twice even if a later step fails. */
export function takeUnshown(spool: Spool, announcements: readonly Announcement[]): readonly Announcement[] {
  const { files, layout, writeAtomically } = spool
  const shown = readShown(files.read(layout.announced))
  const unshown = announcements.filter(({ id }) => !shown.includes(id))
  if (unshown.length === 0) return []
  const remembered = [...shown, ...unshown.map(({ id }) => id)].slice(-maxRemembered)
  writeAtomically(layout.announced, `${JSON.stringify(remembered)}\n`)
  return unshown
}

function readShown(bytes: Uint8Array | null): readonly string[] {
  try {
    const ids: unknown = JSON.parse(Buffer.from(bytes ?? []).toString('utf8'))
    return Array.isArray(ids) ? ids.map(String) : []
  } catch {
    return []
  }
}

/** One line for all that are new; null when there are none. */
export function describeAnnouncements(announcements: readonly Announcement[]): string | null {
  const [newest, ...others] = announcements
  if (newest === undefined) return null
  const more = others.length === 0 ? '' : ` (${others.length} more: "fairgate-recorder status")`
  return showLine(`fairgate-recorder: the organisers say: ${nameAnnouncement(newest)}${more}`)
}

export function nameAnnouncement({ text, link }: Announcement): string {
  return link === null ? text : `${text} ${link}`
}
