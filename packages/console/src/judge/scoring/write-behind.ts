// The judgement of one team on its way to the server: edits, saves, lost replies, other devices, reloads. Pure; the store carries it out.
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import { type Doubt, joinJudgements } from './join-judgements.ts'
import { isSame, nothingWritten, readContent, type Written } from './judgement.ts'

/** What stays in the browser until the server has confirmed it. */
export type Kept = {
  /** The server's judgement that `written` was made from, and its revision. */
  readonly base: Written
  readonly revision: number
  readonly written: Written
  /** Saves without a reply: each may have reached the server. */
  readonly sent: readonly { readonly revision: number; readonly written: Written }[]
  /** Questions that only this page can ask. */
  readonly doubts: readonly Doubt[]
  /** The judge has pressed Done. */
  readonly isFinishing: boolean
}

export type Trouble = {
  /** `offline`: tried again by itself. `signed_out`: after the next sign-in. `refused`: after the next edit, or when scores open again. */
  readonly kind: 'offline' | 'signed_out' | 'refused'
  /** 0: no answer. */
  readonly status: number
  readonly message: string
}

export type Task = 'read' | 'save' | 'finish'

export type Behind = Kept & {
  /** The last reply; null before the first. */
  readonly server: JudgementReply | null
  /** Left by pages that were closed before they could save; joined to the first reply. */
  readonly strays: readonly Kept[]
  readonly busy: Task | null
  readonly trouble: Trouble | null
  readonly mustRead: boolean
  /** A refusal with 409, which another revision explains. If there is none, the refusal stands. */
  readonly outdated: { readonly revision: number; readonly message: string } | null
  /** When another device saved this judgement, in ISO 8601; null if none did. */
  readonly otherDeviceAt: string | null
}

export type Happening =
  | { readonly kind: 'edited'; readonly written: Written }
  /** The value on this device is right. */
  | { readonly kind: 'settled'; readonly doubt: Doubt }
  | { readonly kind: 'finishes' }
  /** Drops what was written since the judgement was finished elsewhere. */
  | { readonly kind: 'discarded' }
  | { readonly kind: 'started'; readonly task: Task }
  | { readonly kind: 'replied'; readonly reply: JudgementReply; readonly device: string }
  | {
      readonly kind: 'failed'
      /** 0: no answer. */
      readonly status: number
      readonly message: string
    }
  /** Somebody else has changed it, or it is shown again. */
  | { readonly kind: 'noticed' }
  /** What stood in the way may be over. */
  | { readonly kind: 'woke' }

/** Saves without a reply that are remembered. More would need that many lost requests one after another. */
const maxSent = 20

export function openBehind(strays: readonly Kept[]): Behind {
  return {
    base: nothingWritten,
    revision: 0,
    written: nothingWritten,
    sent: [],
    doubts: [],
    isFinishing: false,
    server: null,
    strays,
    busy: null,
    trouble: null,
    mustRead: true,
    outdated: null,
    otherDeviceAt: null,
  }
}

/** Finished judgements are frozen until they are opened again. */
export function isFrozen({ server }: Pick<Behind, 'server'>): boolean {
  return server !== null && (server.own.state === 'done' || server.own.state === 'unable')
}

export function isUnsaved({ written, base }: Pick<Kept, 'written' | 'base'>): boolean {
  return !isSame(written, base)
}

/** What to do next; null while something is done, or nothing helps. */
export function nextTask(behind: Behind): Task | null {
  if (behind.busy !== null || behind.trouble !== null) return null
  if (behind.mustRead) return 'read'
  if (isFrozen(behind)) return null
  if (isUnsaved(behind)) return 'save'
  return behind.isFinishing ? 'finish' : null
}

/** What has to stay in the browser; null if the server has everything. */
export function toKeep({ base, revision, written, sent, doubts, isFinishing }: Behind): Kept | null {
  if (isSame(written, base) && doubts.length === 0 && !isFinishing) return null
  return { base, revision, written, sent, doubts, isFinishing }
}

export function advance(behind: Behind, happening: Happening): Behind {
  switch (happening.kind) {
    case 'edited': {
      const { written } = happening
      return {
        ...behind,
        written,
        // A new answer settles the question.
        doubts: behind.doubts.filter(doubt => answerTo(written, doubt) === answerTo(behind.written, doubt)),
        isFinishing: false,
        trouble: behind.trouble?.kind === 'refused' ? null : behind.trouble,
      }
    }
    case 'settled':
      return { ...behind, doubts: behind.doubts.filter(doubt => doubt !== happening.doubt) }
    case 'finishes':
      return {
        ...behind,
        isFinishing: true,
        trouble: behind.trouble?.kind === 'refused' ? null : behind.trouble,
      }
    case 'discarded':
      return { ...behind, written: behind.base, doubts: [], isFinishing: false }
    case 'started':
      return start(behind, happening.task)
    case 'replied':
      return accept(behind, happening.reply, happening.device)
    case 'failed':
      return fail(behind, happening)
    case 'noticed':
      return { ...behind, mustRead: true }
    case 'woke':
      return { ...behind, trouble: null }
  }
}

function answerTo({ scores, gates }: Written, { kind, id }: Doubt): number | boolean | null {
  return kind === 'score' ? (scores[id]?.score ?? null) : (gates[id] ?? null)
}

function start(behind: Behind, task: Task): Behind {
  if (task !== 'save') return { ...behind, busy: task }
  const { revision, written } = behind
  return { ...behind, busy: task, sent: [...behind.sent, { revision, written }].slice(-maxSent) }
}

/** Joins what the server has with what was written here. */
function accept(behind: Behind, reply: JudgementReply, device: string): Behind {
  const theirs = readContent(reply.own)
  const { revision } = reply.own
  // The server may have changed what it was sent, such as its line ends.
  const saved = behind.busy === 'save' ? behind.sent.at(-1)?.written : undefined
  const base = saved ?? (isOwn(behind, theirs) ? theirs : behind.base)
  let { written, doubts } = joinJudgements(base, behind.written, theirs)
  doubts = [...behind.doubts, ...doubts]
  for (const stray of behind.strays) {
    const joined = joinJudgements(isOwn(stray, theirs) ? theirs : stray.base, stray.written, written)
    written = joined.written
    doubts = [...doubts, ...stray.doubts, ...joined.doubts]
  }
  const all = [behind, ...behind.strays]
  const isNews = saved === undefined && all.some(each => !isOwn(each, theirs) && !isSame(each.base, theirs))
  const isFinal = isFrozen({ server: reply })
  const refusal = isFinal || behind.outdated?.revision !== revision ? null : behind.outdated.message
  return {
    base: theirs,
    revision,
    written,
    sent: behind.sent.filter(each => each.revision >= revision),
    doubts: isFinal ? [] : dropAnswered(written, doubts),
    // What came from elsewhere has to be seen before it is finished.
    isFinishing: !isFinal && !isNews && all.some(each => each.isFinishing),
    server: reply,
    strays: [],
    busy: null,
    trouble: refusal === null ? null : { kind: 'refused', status: 409, message: refusal },
    mustRead: false,
    outdated: null,
    otherDeviceAt: findOtherDevice(reply, device) ?? behind.otherDeviceAt,
  }
}

/** After this time without a save from there, the judge has only changed places. */
export const otherDeviceMs = 120_000

function findOtherDevice({ own, as_of }: JudgementReply, device: string): string | null {
  if (own.device === null || own.device === device || own.saved_at === null) return null
  return Date.parse(as_of) - Date.parse(own.saved_at) < otherDeviceMs ? own.saved_at : null
}

/** True if the server has what one of these saves sent, although its reply was lost. */
function isOwn({ sent }: Kept, theirs: Written): boolean {
  return sent.some(({ written }) => isSame(written, theirs))
}

/** The newest question of each kind and id. */
function dropAnswered(written: Written, doubts: readonly Doubt[]): Doubt[] {
  const newest = new Map(doubts.map(doubt => [`${doubt.kind} ${doubt.id}`, doubt]))
  return [...newest.values()].filter(doubt => doubt.other !== answerTo(written, doubt))
}

function fail(behind: Behind, { status, message }: { readonly status: number; readonly message: string }) {
  const after: Behind = { ...behind, busy: null }
  if (status === 409) return { ...after, mustRead: true, outdated: { revision: behind.revision, message } }
  if (status === 401) return { ...after, trouble: { kind: 'signed_out' as const, status, message } }
  if (status === 0 || status === 429 || status >= 500)
    return { ...after, trouble: { kind: 'offline' as const, status, message } }
  return { ...after, isFinishing: false, trouble: { kind: 'refused' as const, status, message } }
}
