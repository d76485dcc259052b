// State of the form for the set-up: what is typed, what is saved, and what somebody else has saved meanwhile.
import type { PutSetupBody, SetupReply } from '@fairgate/contracts/judging/setup.ts'
import { Lock } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { useReadAgain } from '../../../api/use-read-again.ts'
import { useZone } from '../../../show/zone-context.tsx'
import { useDraft } from '../notes/use-draft.ts'
import { draftOfSetup, emptySetup, type Faults, readSetup, type SetupDraft } from './setup-draft.ts'

export type SetupForm = {
  readonly draft: SetupDraft
  readonly set: (changes: Partial<SetupDraft>) => void
  /** Empty before the first attempt to save. */
  readonly faults: Faults
  /** Why scores, ranking and draws cannot be changed any longer; null while they can. */
  readonly lock: string | null
}

/** What was typed, and the version of the set-up that it was made from. */
type Typed = { readonly version: number; readonly draft: SetupDraft }

/** Unsaved text stays in this browser, because a set-up takes longer to write than a tab may live. */
export function useSetupForm(reply: SetupReply, lock: string | null) {
  const zone = useZone()
  const readAgain = useReadAgain()
  const kept = useDraft(['judging set-up'])
  const [typed, setTyped] = useState(() => readTyped(kept.text))
  const [isTried, setTried] = useState(false)
  const save = useAction<PutSetupBody, SetupReply>({
    method: 'PUT',
    path: '/judging/setup',
    changes: ['/judging/setup', '/judging/plan', '/judging/judges', '/judging/assignments'],
    done: 'Set-up saved',
  })
  const saved = useMemo(
    () => (reply.setup === null ? emptySetup() : draftOfSetup(reply.setup, zone)),
    [reply.setup, zone],
  )
  const draft = typed?.draft ?? saved
  const read = readSetup(draft, zone)
  const isTouched =
    typed !== null &&
    (read.setup === null || JSON.stringify(read.setup) !== JSON.stringify(readSetup(saved, zone).setup))
  const basis = typed?.version ?? reply.version
  const write = (next: Typed | null) => {
    setTyped(next)
    kept.write(next === null ? '' : JSON.stringify(next))
  }
  const send = (version: number) => {
    setTried(true)
    if (read.setup === null) {
      focusFault()
      return
    }
    save.mutate(
      { setup: read.setup, version },
      {
        onSuccess: () => {
          setTried(false)
          write(null)
        },
        // Somebody else may have saved: their version is shown beside what was typed.
        onError: () => readAgain([['/judging/setup']]),
      },
    )
  }
  const form: SetupForm = {
    draft,
    set: changes => write({ version: basis, draft: { ...draft, ...changes } }),
    faults: isTried ? read.faults : new Map(),
    lock,
  }
  return {
    form,
    isTouched,
    faultCount: isTried ? read.faults.size : 0,
    mine: read.setup,
    /** The version that somebody else has saved since the first letter was typed here; null if there is none. */
    newer: isTouched && basis !== reply.version ? reply.version : null,
    isSaving: save.isPending,
    failure: save.error,
    save: () => send(basis),
    saveOver: () => send(reply.version),
    discard: () => {
      save.reset()
      setTried(false)
      write(null)
    },
  }
}

function readTyped(text: string): Typed | null {
  if (text === '') return null
  try {
    const { version, draft } = JSON.parse(text) as Typed
    // A form of another release may have other fields.
    const isWhole = Object.keys(emptySetup()).every(name => Object.hasOwn(draft, name))
    return isWhole ? { version, draft } : null
  } catch {
    return null
  }
}

/** After the next paint, when the faults are shown. */
function focusFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('#content [aria-invalid=true]')?.focus(), 50)
}

export function LockNote({ lock }: { readonly lock: string | null }) {
  return lock === null ? null : (
    <p className="row muted small" data-lock>
      <Lock size={14} aria-hidden />
      {lock}
    </p>
  )
}
