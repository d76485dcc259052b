// The way to publication: what is missing, verification by a second person, the time, and corrections afterwards.
import type { ResultsReply, VerifyResultsBody } from '@fairgate/contracts/judging/results.ts'
import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { FormDialog } from '../../../show/form-dialog.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { TimeField } from '../../../show/time-field.tsx'
import { useSession } from '../../session-context.tsx'

type Open = 'verify' | 'publish' | 'cancel' | 'correct' | null

export function PublishCard({ results }: { readonly results: ResultsReply }) {
  const { name } = useSession()
  const [open, setOpen] = useState<Open>(null)
  const { missing, verification, publication } = results
  const isVerified = verification?.current === true
  const mayPublish = isVerified && verification.by !== name
  const close = () => setOpen(null)
  return (
    <Card
      title={publication?.published === true ? 'Published' : 'Publication'}
      note={
        publication === null ? undefined : (
          <>
            {publication.published ? 'since' : 'planned for'} <Moment at={publication.at} /> by{' '}
            {publication.by}
          </>
        )
      }
      action={
        <span className="row wrap">
          <Button size="xs" variant="default" disabled={isVerified} onClick={() => setOpen('verify')}>
            Verify…
          </Button>
          {publication === null ? (
            <Button size="xs" disabled={!mayPublish} onClick={() => setOpen('publish')}>
              Publish…
            </Button>
          ) : publication.published ? (
            <Button size="xs" variant="default" disabled={!mayPublish} onClick={() => setOpen('correct')}>
              Correct…
            </Button>
          ) : (
            <Button size="xs" variant="default" onClick={() => setOpen('cancel')}>
              Cancel the publication…
            </Button>
          )}
        </span>
      }
    >
      {missing.length === 0 ? null : (
        <ul className="stack-tight" aria-label="Missing before publication">
          {missing.map(line => (
            <li key={line}>
              <Badge tone="warn">open</Badge> {line}
            </li>
          ))}
        </ul>
      )}
      <p>
        {verification === null ? (
          'No one has verified these results yet. A second person does, who then cannot publish them.'
        ) : verification.current ? (
          <>
            <Badge tone="ok">verified</Badge> by {verification.by} <Moment at={verification.at} as="ago" />
            {verification.note === null ? null : (
              <>
                : <ForeignText text={verification.note} most={500} />
              </>
            )}
            {mayPublish ? '' : '. Somebody else publishes them.'}
          </>
        ) : (
          <>
            <Badge tone="warn">changed</Badge> since {verification.by} verified them{' '}
            <Moment at={verification.at} as="ago" />. They must be verified again.
          </>
        )}
      </p>
      {publication?.corrections.map(({ number, text, at, by }) => (
        <p key={number}>
          Correction {number}, <Moment at={at} /> by {by}: <ForeignText text={text} most={1000} />
        </p>
      ))}
      {open === 'verify' ? <VerifyDialog digest={results.digest} onClose={close} /> : null}
      {open === 'publish' ? <PublishDialog digest={results.digest} onClose={close} /> : null}
      {open === 'correct' ? <CorrectDialog digest={results.digest} onClose={close} /> : null}
      {open === 'cancel' ? (
        <ActionDialog
          title="Cancel the publication"
          verb="Cancel it"
          request={{ method: 'DELETE', path: '/judging/results/publish', body: {} }}
          onClose={close}
        />
      ) : null}
    </Card>
  )
}

type DialogProps = { readonly digest: string; readonly onClose: () => void }

function VerifyDialog({ digest, onClose }: DialogProps) {
  const [note, setNote] = useState('')
  const verify = useAction<VerifyResultsBody, ResultsReply>({
    method: 'POST',
    path: '/judging/results/verify',
    changes: ['/judging/results'],
    done: 'Results verified',
  })
  return (
    <FormDialog
      title="Verify the results"
      verb="I have checked them"
      action={verify}
      note="If they change, they must be verified again."
      onConfirm={() =>
        verify.mutate(
          { digest, ...(note.trim() === '' ? {} : { note: note.trim() }) },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <TextField
        label="What you have checked"
        description="For example: ten sheets against the scores, the ties, the gates"
        value={note}
        maxLength={1000}
        onChange={setNote}
      />
    </FormDialog>
  )
}

function PublishDialog({ digest, onClose }: DialogProps) {
  const [at, setAt] = useState('')
  const isNow = at === ''
  return (
    <ActionDialog
      title="Publish the results"
      verb={isNow ? 'Publish now' : 'Plan the publication'}
      isDanger={isNow}
      {...(isNow ? { confirm: 'publish' } : {})}
      request={{
        method: 'POST',
        path: '/judging/results/publish',
        body: { digest, ...(isNow ? {} : { at }) },
      }}
      undo="Teams see their scores and comments, everybody the ranking. Afterwards only corrections are possible."
      onClose={onClose}
    >
      <TimeField label="At" whenEmpty="Empty: at once" value={at} onChange={setAt} />
    </ActionDialog>
  )
}

function CorrectDialog({ digest, onClose }: DialogProps) {
  const [text, setText] = useState('')
  return (
    <ActionDialog
      title="Correct the published results"
      verb="Publish the correction"
      isDanger
      request={{
        method: 'POST',
        path: '/judging/results/corrections',
        body: text.trim() === '' ? null : { digest, text: text.trim() },
      }}
      onClose={onClose}
    >
      <Textarea
        label="What is corrected, and why"
        description="Everybody can read it"
        autosize
        minRows={2}
        maxLength={2000}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
      />
    </ActionDialog>
  )
}
