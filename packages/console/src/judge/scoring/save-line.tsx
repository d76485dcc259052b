// One line that says whether what the judge wrote has reached the server.
import { Moment } from '../../show/moment.tsx'
import type { Judgement } from './judgement-context.tsx'
import { isFrozen, isUnsaved } from './write-behind.ts'

export function SaveLine({ judgement }: { readonly judgement: Judgement }) {
  const { behind, isKept, isPaused } = judgement
  const { server, trouble, isFinishing } = behind
  const own = server?.own
  if (isFrozen(behind)) {
    return (
      <span data-part="saved">
        {own?.state === 'done' ? 'done ' : 'given up '}
        <Moment at={own?.saved_at ?? null} none="" />
        {own?.paper === true ? ', entered from paper by the head judge' : ''}
      </span>
    )
  }
  const rest = isUnsaved(behind)
  const problem = isPaused ? 'sign in again' : trouble === null ? null : describe(trouble)
  if (problem !== null && (rest || isFinishing)) {
    const kept = isKept ? 'kept on this device' : 'leave this page open'
    return (
      <span data-part="saved" className="tone-warn" role="status">
        {isFinishing && !rest ? 'done, not sent yet' : 'not saved yet'}: {problem}; {kept}
      </span>
    )
  }
  return (
    <span data-part="saved">
      {rest ? (
        'saving…'
      ) : own?.saved_at === null || own === undefined ? (
        'saves as you go'
      ) : (
        <>
          saved <Moment at={own.saved_at} />
        </>
      )}
    </span>
  )
}

function describe({ kind, status, message }: NonNullable<Judgement['behind']['trouble']>): string {
  if (kind === 'signed_out') return 'sign in again'
  if (kind === 'offline') return status === 0 ? 'no connection' : `the server answers ${status}`
  return message
}
