// Toasts that briefly confirm an action and offer to undo it.
import { Button, CloseButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Check, TriangleAlert } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { usePageParts } from '../live/live-context.tsx'
import { isReversed, type Undo } from './action-facts.ts'
import { type Preview, sendPlanned } from './send-planned.ts'

export type Toast = {
  readonly text: string
  /** Adds an undo button. */
  readonly undo?: Undo | null
  readonly isBad?: boolean
}

/** Long enough to read the toast and reach its button. The audit has the action too. */
const shownMs = 12_000
/** Only said. It may lie over the next button of a phone, which works through it. */
const saidMs = 5_000

const ToasterContext = createContext<(toast: Toast) => void>(() => undefined)

/** Returns the function that shows a toast. It does nothing outside of a Toaster. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToasterContext)
}

/** Shows one toast at a time; the newest replaces the one before. */
export function Toaster({ children }: { readonly children: ReactNode }) {
  const [toast, setToast] = useState<Toast | null>(null)
  const [isHeld, setHeld] = useState(false)
  const show = useCallback((next: Toast) => {
    setHeld(false)
    setToast(next)
  }, [])
  const isSaid = toast !== null && (toast.undo ?? null) === null && toast.isBad !== true
  useEffect(() => {
    if (toast === null || isHeld) return
    const timer = setTimeout(() => setToast(null), isSaid ? saidMs : shownMs)
    return () => clearTimeout(timer)
  }, [toast, isHeld, isSaid])
  return (
    <ToasterContext.Provider value={show}>
      {children}
      <div className="toasts" role="status">
        {toast === null ? null : (
          // biome-ignore lint/a11y/noStaticElementInteractions: hover and focus only keep the toast visible.
          <div
            className="toast"
            data-said={isSaid}
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={() => setHeld(false)}
            onFocus={() => setHeld(true)}
            onBlur={() => setHeld(false)}
          >
            {toast.isBad === true ? (
              <TriangleAlert size={16} aria-hidden color="var(--fill-bad)" />
            ) : (
              <Check size={16} aria-hidden color="var(--fill-ok)" />
            )}
            <span>{toast.text}</span>
            {toast.undo === undefined || toast.undo === null ? null : (
              <UndoButton undo={toast.undo} show={show} />
            )}
            <CloseButton size="sm" aria-label="Dismiss" onClick={() => setToast(null)} />
          </div>
        )}
      </div>
    </ToasterContext.Provider>
  )
}

function UndoButton({
  undo: { requests, reverses },
  show,
}: {
  readonly undo: Undo
  readonly show: (toast: Toast) => void
}) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const [isActing, setActing] = useState(false)
  const run = async () => {
    setActing(true)
    try {
      const previews = await Promise.all(
        requests.map(request => sendPlanned<Preview>(send, request, { dry_run: true })),
      )
      if (
        reverses !== null &&
        !isReversed(
          reverses,
          previews.flatMap(({ changes }) => changes),
        )
      )
        return show({
          text: 'Not undone, because something has changed since then. Check the current values and change them yourself.',
          isBad: true,
        })
      for (const [index, request] of requests.entries())
        await sendPlanned(send, request, {
          reason: 'Undone right afterwards',
          ...(previews[index] === undefined ? {} : { preview_id: previews[index].preview_id }),
        })
      await queries.invalidateQueries()
      show({ text: 'Undone' })
    } catch (error) {
      show({ text: `Not undone. ${(error as RequestFailure).message}`, isBad: true })
    }
  }
  return (
    <Button size="xs" variant="default" loading={isActing} onClick={() => void run()}>
      Undo
    </Button>
  )
}
