// Confirmation dialog for actions that affect many or cannot be undone: previews the changes, takes the reason, and proceeds only if nothing
// changed since the preview.

import type { ActionReply, PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { Alert, Button, Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useState } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { countOf } from '../format/number.ts'
import { usePageParts } from '../live/live-context.tsx'
import { findUndo, isReasonForTeams, restore } from './action-facts.ts'
import { Dialog } from './dialog.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { FailureNote } from './failure-note.tsx'
import { PlannedChanges } from './planned-changes.tsx'
import { type PlannedRequest, type Preview, sendPlanned } from './send-planned.ts'
import { Skeleton } from './states.tsx'
import { TextField } from './text-field.tsx'
import { useToast } from './toaster.tsx'

type ActionDialogProps = {
  readonly title: ReactNode
  readonly request: PlannedRequest
  readonly verb: string
  readonly isDanger?: boolean
  readonly confirm?: string
  /** Explains how to undo the action. */
  readonly undo?: ReactNode
  /** Requests that restore the previous state, for actions that have no opposite. */
  readonly takeBack?: (reply: unknown, changes: readonly PlannedChange[]) => readonly PlannedRequest[]
  readonly describe?: (change: PlannedChange) => ReactNode
  readonly onDone?: ((reply: unknown) => void) | undefined
  readonly onClose: () => void
  readonly children?: ReactNode
  readonly asksReason?: boolean
  /** For actions that stop calls or entries: how many calls are running now. */
  readonly showsRunning?: boolean
  /** Shown if the preview has no changes. The action is then still possible. */
  readonly whenNothing?: string
  /** True if the reply has something to show before the dialog closes. */
  readonly staysOpen?: (reply: unknown) => boolean
}

/**
 * `children`: the fields. `verb`: the button's label, which repeats the effect ("Extend to 18:15"). `confirm`: a word that must be typed if
 * the action is dangerous for many. `describe` renders a change; by default its subject, what, from and to.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { title, request, verb, isDanger = false, confirm, undo, onClose, asksReason = true } = props
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const { preview, failure, isOutdated, agreed, setAgreed, isActing, action } = usePlannedAction(props)
  const isComplete =
    preview !== null &&
    (preview.changes.length > 0 || props.whenNothing !== undefined) &&
    (preview.warnings.length === 0 || agreed) &&
    (!asksReason || reason.trim() !== '') &&
    (confirm === undefined || typed.trim() === confirm)
  const run = () => void action(reason.trim())
  return (
    <Dialog title={title} size={560} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          // Enter never confirms a dangerous action.
          if (!isDanger && isComplete) run()
        }}
      >
        {props.children}
        <Effect {...props} preview={preview} hasFailed={failure !== null} />
        {preview === null || preview.warnings.length === 0 ? null : (
          <Warnings warnings={preview.warnings} agreed={agreed} setAgreed={setAgreed} />
        )}
        {asksReason ? (
          <TextField
            label="Reason"
            description={
              isReasonForTeams(request) ? 'Shown to teams and kept in the audit log' : 'Kept in the audit log'
            }
            value={reason}
            maxLength={200}
            onChange={setReason}
            required
          />
        ) : null}
        {confirm === undefined ? null : (
          <TextField label={`Type ${confirm} to confirm`} value={typed} onChange={setTyped} />
        )}
        {isOutdated ? (
          <Alert color="yellow" role="alert">
            Something changed since the preview, so nothing was done. Review the changes again.
          </Alert>
        ) : null}
        <FailureNote text={failure?.message} />
        <DialogButtons note={undo} onCancel={onClose}>
          <Button
            data-confirm
            type={isDanger ? 'button' : 'submit'}
            color={isDanger ? 'red' : 'blue'}
            disabled={!isComplete}
            loading={isActing}
            {...(isDanger ? { onClick: run } : {})}
          >
            {verb}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** Fetches the preview for the current fields, and sends the action with the preview's id. */
function usePlannedAction({ request, verb, takeBack, onDone, onClose, staysOpen }: ActionDialogProps) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const say = useToast()
  const [agreed, setAgreed] = useState(false)
  const [preview, setPreview] = useState<Preview | null>(null)
  const [failure, setFailure] = useState<RequestFailure | null>(null)
  const [isActing, setIsActing] = useState(false)
  const [round, setRound] = useState(0)
  /** The request that was refused because something had changed since its preview. */
  const [outdated, setOutdated] = useState<string | null>(null)
  const asked = JSON.stringify(request)

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` stands for the request; a new round sends the same request again.
  useEffect(() => {
    setPreview(null)
    setFailure(null)
    setAgreed(false)
    if (request.body === null) return
    const abort = new AbortController()
    // Waits until the typing pauses.
    const timer = setTimeout(() => {
      sendPlanned<Preview>(send, request, { dry_run: true }, abort.signal).then(
        setPreview,
        (error: RequestFailure) => {
          if (!abort.signal.aborted) setFailure(error)
        },
      )
    }, 200)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [asked, round, send])

  const action = async (reason: string) => {
    if (preview === null) return
    setIsActing(true)
    setOutdated(null)
    try {
      const reply = await sendPlanned<unknown>(send, request, {
        preview_id: preview.preview_id,
        ...(reason === '' ? {} : { reason }),
      })
      // The reply comes first, because only it holds the secret.
      onDone?.(reply)
      await queries.invalidateQueries()
      const undoing =
        takeBack === undefined
          ? findUndo(request, preview.changes)
          : restore(takeBack(reply, preview.changes), preview.changes)
      say({ text: `Done: ${verb}`, undo: undoing })
      if (staysOpen?.(reply) !== true) onClose()
    } catch (error) {
      if ((error as RequestFailure).code === 'preview_outdated') {
        setOutdated(asked)
        setRound(round + 1)
      } else setFailure(error as RequestFailure)
    } finally {
      setIsActing(false)
    }
  }
  return { preview, failure, isOutdated: outdated === asked, agreed, setAgreed, isActing, action }
}

function Effect({
  request,
  preview,
  hasFailed,
  describe,
  whenNothing,
  showsRunning = false,
}: Pick<ActionDialogProps, 'request' | 'describe' | 'whenNothing' | 'showsRunning'> & {
  readonly preview: Preview | null
  readonly hasFailed: boolean
}) {
  return (
    <section className="sunken-box" aria-live="polite">
      <h3>What will change</h3>
      {request.body === null ? (
        <p className="muted small">Complete the fields above to preview the changes.</p>
      ) : preview === null ? (
        hasFailed ? null : (
          <Skeleton lines={2} />
        )
      ) : (
        <>
          <PlannedChanges changes={preview.changes} describe={describe} whenNothing={whenNothing} />
          {showsRunning && preview.meets !== undefined ? <Running meets={preview.meets} /> : null}
        </>
      )}
    </section>
  )
}

function Warnings({
  warnings,
  agreed,
  setAgreed,
}: {
  readonly warnings: readonly string[]
  readonly agreed: boolean
  readonly setAgreed: (agreed: boolean) => void
}) {
  const id = useId()
  return (
    <Alert color="yellow" title="Check before you continue" id={id}>
      <ul className="stack">
        {warnings.map(warning => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
      <Checkbox
        mt={8}
        label="Continue anyway"
        checked={agreed}
        onChange={event => setAgreed(event.currentTarget.checked)}
        aria-describedby={id}
      />
    </Alert>
  )
}

function Running({ meets: { running_calls, open_streams } }: Pick<ActionReply, 'meets'>) {
  return (
    <p className="muted small">
      {running_calls === 0
        ? 'No calls are running now.'
        : `${countOf(running_calls, 'call')} running now (${countOf(open_streams, 'stream')}) will finish.`}
    </p>
  )
}
