// Status header that a recorder sends with each batch, so that organisers see which recorders have stopped or lag behind. Recorders that
// do not send it and logbooks that do not read it work as before.

export const recorderHeader = 'x-fairgate-recorder'

export type RecorderReport = {
  /** Version of the recorder. */
  readonly version: string
  /** Id of the recorded clone, 8 hex digits: the `recorder.id` of its entries. */
  readonly cloneId: string
  /** Entries waiting, besides those in this batch. */
  readonly unsent: number
  /** How long the oldest of them has waited, in seconds; null if none is waiting. */
  readonly oldestSeconds: number | null
  /** Entries set aside because the logbook rejects them. */
  readonly rejected: number
  /** Tools that were set up but no longer have their hooks. */
  readonly gone: readonly string[]
  /** Time of writing by the laptop's clock, in Unix seconds; null from a recorder older than this member. */
  readonly sentSeconds: number | null
}

/** `version=0.1.0; clone=1a2b3c4d; unsent=12; oldest=340; rejected=0; gone=codex,gemini; sent=1795258800` */
export function writeRecorderReport(report: RecorderReport): string {
  const { version, cloneId, unsent, oldestSeconds, rejected, gone, sentSeconds } = report
  const members = [
    `version=${version}`,
    `clone=${cloneId}`,
    `unsent=${unsent}`,
    ...(oldestSeconds === null ? [] : [`oldest=${Math.max(0, Math.round(oldestSeconds))}`]),
    `rejected=${rejected}`,
    ...(gone.length === 0 ? [] : [`gone=${gone.join(',')}`]),
    ...(sentSeconds === null ? [] : [`sent=${Math.round(sentSeconds)}`]),
  ]
  return members.join('; ')
}

const longest = 512
const maxGone = 16

/** Parses the header; null if no recorder wrote it. Ignores members that a later version adds. */
export function readRecorderReport(text: string): RecorderReport | null {
  if (text.length > longest) return null
  const members = new Map(
    text.split(';').map(member => {
      const [name = '', ...value] = member.trim().split('=')
      return [name, value.join('=')]
    }),
  )
  const version = members.get('version') ?? ''
  const cloneId = members.get('clone') ?? ''
  if (!/^[0-9A-Za-z.+-]{1,32}$/.test(version) || !/^[0-9a-f]{8}$/.test(cloneId)) return null
  const unsent = readCount(members.get('unsent'))
  if (unsent === null) return null
  const gone = (members.get('gone') ?? '').split(',').filter(name => /^[a-z-]{1,32}$/.test(name))
  return {
    version,
    cloneId,
    unsent,
    oldestSeconds: readCount(members.get('oldest')),
    rejected: readCount(members.get('rejected')) ?? 0,
    gone: gone.slice(0, maxGone),
    sentSeconds: readCount(members.get('sent'), 11),
  }
}

function readCount(text: string | undefined, digits = 9): number | null {
  return text !== undefined && /^\d+$/.test(text) && text.length <= digits ? Number(text) : null
}
